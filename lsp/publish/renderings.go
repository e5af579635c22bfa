package publish

import (
	"fmt"
	"hash/fnv"

	"spell-lsp/lsp/view"
)

// A rendering is compared with a later one to see whether a file renders differently. The zero
// value belongs to a file that is not open and shows nothing.
type rendering struct {
	open    bool
	version int32  // of the document
	marks   uint64 // hash of the marks and their places; 0 without marks
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
			fmt.Fprintf(h, "%p %d %d %v\n", m.Result.Run, m.Index, m.From, m.Stale) //nolint:errcheck // a hash never fails
		}
		now.marks = h.Sum64()
	}
	return now
}

// rendered records how a file is shown, and reports whether it renders differently although it
// was not edited: after an edit the client sends its requests anyway. If the file is open too,
// its lenses and hints must be refreshed.
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
