package lsptest

// Watched lists the globs of the files whose changes on disk the server asked
// for.
func (e *Editor) Watched() []string {
	e.t.Helper()
	var globs []string
	for _, m := range e.Messages(register) {
		var p struct {
			Registrations []struct {
				Method          string
				RegisterOptions struct {
					Watchers []struct {
						GlobPattern string
						Kind        *int // WatchKind, nil for all
					}
				}
			}
		}
		e.into(m.Params, &p)
		for _, r := range p.Registrations {
			if r.Method != "workspace/didChangeWatchedFiles" {
				continue
			}
			for _, w := range r.RegisterOptions.Watchers {
				if w.Kind == nil || *w.Kind&2 != 0 { // changes, not only what comes and goes
					globs = append(globs, w.GlobPattern)
				}
			}
		}
	}
	return globs
}
