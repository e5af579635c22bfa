package publish

import (
	"fmt"
	"hash/fnv"

	"spell-lsp/lsp/view"
)

// A rendering tells whether a file looks as it did. The zero value is that of a file that
// is not open and shows nothing.
type rendering struct {
	open    bool
	version int32  // of the document
	marks   uint64 // hash of what is shown and where, 0 for nothing
}

func renderingOf(v *view.View) rendering {
	if v == nil {
		return rendering{}
	}
	now := rendering{}
	if v.Document != nil {
		now.open, now.version = true, v.Document.Version
	}
	if shown := v.Visible(); len(shown) > 0 {
		h := fnv.New64a()
		for _, m := range shown {
			fmt.Fprintf(h, "%p %d %d %v\n", m.Result.Run, m.Index, m.From, m.Stale) //nolint:errcheck // a hash takes everything
		}
		now.marks = h.Sum64()
	}
	return now
}

// rendered notes how a file is shown, and reports whether it looks different although it
// was not edited: the client asks by itself only for what is edited. If it is open too, its
// lenses and hints must be asked for again.
func (p *Publisher) rendered(path string, v *view.View) (changed, open bool) {
	before, now := p.renderings[path], renderingOf(v)
	if now == (rendering{}) {
		delete(p.renderings, path)
	} else {
		p.renderings[path] = now
	}
	stayedOpen := before.open && now.open
	changed = now.marks != before.marks && (!stayedOpen || now.version == before.version)
	return changed, changed && stayedOpen
}
