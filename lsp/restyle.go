package lsp

import (
	"fmt"
	"hash/fnv"
)

// A look is how a file looked when it was last published. The zero look is that of a
// file that is not open and has nothing to show.
type look struct {
	open    bool
	version int32
	marks   uint64
}

func (v *view) look() look {
	if v == nil {
		return look{}
	}
	now := look{}
	if v.document != nil {
		now.open, now.version = true, v.document.version
	}
	if shown := v.visible(); len(shown) > 0 {
		h := fnv.New64a()
		for _, m := range shown {
			fmt.Fprintf(h, "%p %d %d %v\n", m.result.run, m.component, m.From, m.stale) //nolint:errcheck // a hash takes everything
		}
		now.marks = h.Sum64()
	}
	return now
}

// relooked reports whether a file looks different although it was not edited: the
// client asks by itself only for what is edited. If it is open too, its lenses and
// hints must be asked for again. Only run calls it.
func (p *publisher) relooked(path string, v *view) (changed, open bool) {
	before, now := p.looks[path], v.look()
	if now == (look{}) {
		delete(p.looks, path)
	} else {
		p.looks[path] = now
	}
	stayed := before.open && now.open
	changed = now.marks != before.marks && (!stayed || now.version == before.version)
	return changed, changed && stayed
}
