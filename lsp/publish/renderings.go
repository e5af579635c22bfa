package publish

import (
	"fmt"
	"hash/fnv"

	"spell-lsp/lsp/view"
)

// A look is how a file looked when it was last published. The zero look is that of a
// file that is not open and has nothing to show.
type rendering struct {
	open    bool
	version int32
	marks   uint64
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

// relooked reports whether a file looks different although it was not edited: the
// client asks by itself only for what is edited. If it is open too, its lenses and
// hints must be asked for again. Only run calls it.
func (p *Publisher) rerendered(path string, v *view.View) (changed, open bool) {
	before, now := p.renderings[path], renderingOf(v)
	if now == (rendering{}) {
		delete(p.renderings, path)
	} else {
		p.renderings[path] = now
	}
	stayed := before.open && now.open
	changed = now.marks != before.marks && (!stayed || now.version == before.version)
	return changed, changed && stayed
}
