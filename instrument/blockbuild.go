package instrument

import (
	"fmt"
	"go/token"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"spell-lsp/instrument/probe"
	"spell-lsp/instrument/rewrite"
	"spell-lsp/spell/note"
)

// addBlocks adds the blocks of the chosen function as components, with rows after all
// others, and writes its file again: the cached one has no blocks. The function and its
// literals are timed, because the frame of a timed function tells which row to restore
// after a block.
func (p *preparation) addBlocks() error {
	if p.Block == "" {
		return nil
	}
	b := p.build
	chosen, err := chosenFunction(b.Components, p.Block)
	if err != nil {
		return err
	}
	c := b.Components[chosen]
	unit := slices.IndexFunc(p.units, func(u *unit) bool { return u.path == c.Package })
	u, err := p.newUnit(p.loaded.main[unit])
	if err != nil {
		return err
	}
	sources, _ := u.parse()
	of := slices.IndexFunc(sources, func(f *rewrite.File) bool { return u.files[f.Index].rel == c.File })
	f := sources[of]
	fileRows, function := b.rowsOf(u, f, chosen)
	first := len(b.Components)
	found := f.Blocks(function)
	b.Components = append(b.Components, found.Components(c)...)
	b.Counted = append(b.Counted, make([]bool, len(found.List))...)
	b.Defers = append(b.Defers, make([]bool, len(found.List))...)
	b.Sizes = append(b.Sizes, make([][]string, len(found.List))...)
	b.Counted[chosen] = false
	if len(b.Components) > probe.MaxComponents {
		return fmt.Errorf("there are more functions and blocks than the %d that can be measured at once: name fewer packages", probe.MaxComponents)
	}
	if len(found.List) == 0 {
		p.note(note.NoBlocks(c.ID))
	} else {
		b.Owner, b.FirstBlock, b.LastBlock = chosen, first, len(b.Components)-1
	}
	counted := func(pos token.Pos) bool {
		for i := range f.Funcs {
			if f.FuncPos(i) == pos {
				return fileRows[i] > 0 && b.Counted[fileRows[i]-1]
			}
		}
		return false
	}
	text := f.Instrument(rewrite.Probes{
		Rows: fileRows, Inlines: counted, Name: rewrite.ProbeName(sources), Path: p.goroot.Probe,
		Blocks: found, Function: function, FirstBlock: uint32(first) + 1,
	})
	name := filepath.Join(p.Temp, "blocks_"+filepath.Base(f.Path))
	p.replace[f.Path] = name
	if err := os.WriteFile(name, text, 0o600); err != nil {
		return fmt.Errorf("writing the overlay: %w", err)
	}
	return nil
}

// rowsOf returns the rows of a file's functions, and which of them is the
// chosen component.
func (b *Build) rowsOf(u *unit, f *rewrite.File, chosen int) (rows []uint32, function int) {
	byID := make(map[string]uint32)
	for i, c := range b.Components {
		if c.Package == u.path {
			byID[strings.TrimPrefix(c.ID, u.path+".")] = uint32(i + 1)
		}
	}
	rows = make([]uint32, len(f.Funcs))
	for i, fn := range f.Funcs {
		rows[i] = byID[fn.Name]
		if rows[i] == uint32(chosen+1) {
			function = i
		}
	}
	return rows, function
}
