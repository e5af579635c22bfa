package lsptest

// Watched lists the globs of files for which the server registered to be notified of
// changes.
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
				if w.Kind == nil || *w.Kind&2 != 0 { // includes changes, not only creation and deletion
					globs = append(globs, w.GlobPattern)
				}
			}
		}
	}
	return globs
}
