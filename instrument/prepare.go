package instrument

import (
	"context"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"spell-lsp/instrument/cache"
	"spell-lsp/instrument/gocmd"
	"spell-lsp/instrument/goroot"
	"spell-lsp/instrument/inlining"
	"spell-lsp/instrument/overlay"
	"spell-lsp/instrument/structure"
	"spell-lsp/spell/exclusion"
	"spell-lsp/spell/gosource"
	"spell-lsp/spell/note"
	"spell-lsp/spell/shortlist"
	"spell-lsp/spell/suggestion"
)

// formatVersion is increased when the same source gets another text or another part, which
// invalidates the cache.
const formatVersion = 9

// A preparation is the state of one call of Prepare.
type preparation struct {
	*Params
	build   *Build
	tools   gocmd.Runner
	goroot  *goroot.Files
	loaded  *loaded
	cache   cache.Cache
	rows    *cache.RowTable
	replace map[string]string // the overlay so far
	base    string            // the overlay of a build with no probes in the module
	units   []*unit
	sources []structure.Package // of the units, until findStructure takes them
	stale   bool                // the standard library is not in the build cache with the edits

	settings string // what decides the text with probes, beside the packages
	std      string // the cache key of the standard library with the edits in this build cache
}

// load finds the packages, and writes the base overlay: the edited standard library and
// the editor's buffers, without probes in the module.
func (p *preparation) load(ctx context.Context, env *gocmd.Environment) error {
	l, err := load(ctx, env, *p.Params)
	if err != nil {
		return err
	}
	b := p.build
	p.loaded, b.Module, b.Modules, b.Beside, b.Tests, b.LeftOut = l, l.module, l.modules, l.beside, l.tests, l.leftOut
	for _, problem := range l.problems {
		p.note(note.PackageNotLoaded(problem))
	}
	b.Plain = l.sums
	files := maps.Clone(l.sums)
	if files == nil {
		files = make(map[string][]byte)
	}
	maps.Copy(files, p.goroot.Texts)
	maps.Copy(files, p.Buffers)
	dir := filepath.Join(p.Temp, "base")
	if err := os.Mkdir(dir, 0o700); err != nil {
		return fmt.Errorf("writing the overlay: %w", err)
	}
	if p.replace, err = overlay.Copies(dir, files); err != nil {
		return err
	}
	p.base, err = overlay.Describe(filepath.Join(dir, "overlay.json"), p.replace)
	return err
}

// askStale reports whether the edited standard library has to be built first.
func (p *preparation) askStale(ctx context.Context) bool {
	if there, known := p.cache.Built(p.std); known {
		return !there
	}
	args := append([]string{"list", "-overlay", p.base, "-f", "{{.Stale}}"}, p.buildFlags()...)
	out, err := p.tools.Output(ctx, p.Dir, nil, append(args, "runtime")...)
	return err == nil && strings.TrimSpace(out) == "true"
}

// readUnits reads the packages, and takes their parts from the cache where it has them.
func (p *preparation) readUnits(ctx context.Context) error {
	if !p.Sampled {
		p.stale = p.askStale(ctx)
	}
	paths := make([]string, len(p.loaded.main))
	for i, pkg := range p.loaded.main {
		paths[i] = pkg.path
	}
	p.rows = p.cache.Rows(p.build.Root)
	p.rows.Use(paths)
	for _, pkg := range p.loaded.main {
		u, err := p.newUnit(pkg)
		if err != nil {
			return err
		}
		p.sources = append(p.sources, u.source())
		rows := p.rows.Packages[u.path]
		if part, dir := p.cache.Get(u.key(rows.First)); part != nil && len(part.Components) <= int(rows.Size) {
			u.part, u.dir = part, dir
			u.forget()
		}
		p.units = append(p.units, u)
	}
	return nil
}

// settle makes what all cache keys have in common: the settings of the build.
func (p *preparation) settle(env *gocmd.Environment) {
	p.settings = fmt.Sprintf("%d %q %q %q", formatVersion, p.goroot.Probe, p.Tags, env.Compiler()) // without probes, that of the probe is ""
	edits := fmt.Appendf(nil, "%s %q", p.settings, env.GOCACHE)
	for _, name := range slices.Sorted(maps.Keys(p.goroot.Texts)) {
		edits = fmt.Appendf(edits, " %q %s", name, cache.Hash(p.goroot.Texts[name]))
	}
	p.std = cache.Hash(edits)
}

// key is the cache key of the unit's part with rows from first on.
func (u *unit) key(first uint32) string {
	return cache.Hash(fmt.Appendf(nil, "%s %d", u.sum, first))
}

// instrument makes the parts that the cache does not have.
func (p *preparation) instrument(ctx context.Context) error {
	in, err := p.askInlining(ctx)
	if err != nil {
		return err
	}
	for i, u := range p.units {
		if u.part != nil {
			continue
		}
		if err := p.instrumentUnit(u, in, i); err != nil {
			return err
		}
		u.forget()
	}
	return nil
}

// askInlining asks for the compiler's report, if a package needs it. Without it, all
// functions are timed.
func (p *preparation) askInlining(ctx context.Context) (*inlining.Report, error) {
	pkgs, generic := p.uncached()
	if len(pkgs) == 0 || p.Sampled {
		return nil, nil
	}
	if p.stale {
		p.Progress("building the instrumented standard library (once)")
	} else {
		p.Progress("asking the compiler which functions it inlines")
	}
	files := make(map[string][]string)
	for _, pkg := range p.loaded.main {
		files[pkg.path] = pkg.files
	}
	in, err := inlining.Ask(ctx, inlining.Params{Go: p.tools, Dir: p.build.Root, Overlay: p.base, Flags: p.buildFlags(), Files: files}, pkgs, generic)
	switch {
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case err != nil:
		p.note(note.InliningUnknown(err.Error()))
		in = nil
	default:
		std := in.Compiled["runtime"]
		if p.stale = std == ""; !p.stale {
			p.cache.KeepBuilt(p.std, std)
		}
	}
	return in, nil
}

// uncached lists the packages whose report is needed, and those of them whose tests have
// to be compiled for it. If one has generic functions, the lists have every package that
// could instantiate them.
func (p *preparation) uncached() (pkgs, generic []string) {
	var all []string
	tested := make(map[string]bool)
	for _, t := range p.loaded.tests {
		tested[t.Path] = true
	}
	anyGeneric := false
	for _, u := range p.units {
		if len(u.files) == 0 {
			continue
		}
		all = append(all, u.path)
		if u.part != nil {
			continue
		}
		pkgs = append(pkgs, u.path)
		if u.generic() {
			anyGeneric = true
			if tested[u.path] {
				generic = append(generic, u.path)
			}
		}
	}
	if anyGeneric {
		pkgs = all
	}
	return pkgs, generic
}

func (p *preparation) instrumentUnit(u *unit, in *inlining.Report, number int) error {
	var first uint32
	err := u.instrument(in, p.goroot.Probe, func(n int) (uint32, error) {
		var err error
		first, err = p.rows.Place(u.path, n)
		return first, err
	})
	if err != nil {
		return err
	}
	if len(u.files) == 0 || in != nil && in.Compiled[u.path] != "" {
		if part, dir, err := p.cache.Put(u.key(first), u.part); err == nil {
			u.part, u.dir = part, dir
			return nil
		}
	} else if in != nil {
		p.note(note.InliningUnknownOf(u.path))
	}
	u.dir = filepath.Join(p.Temp, fmt.Sprintf("part%d", number))
	if err = os.Mkdir(u.dir, 0o700); err == nil {
		err = cache.WritePart(u.dir, u.part)
	}
	if err != nil {
		return fmt.Errorf("writing the overlay: %w", err)
	}
	return nil
}

// finish assembles the build from the parts, and writes the overlay.
func (p *preparation) finish() error {
	b := p.build
	b.Commands = make(map[string]string)
	var warnings, ignored []cache.Warning
	for _, u := range p.units {
		first := int(p.rows.Packages[u.path].First)
		b.place(first, u.part)
		b.Packages = append(b.Packages, gosource.RuntimeName(u.path, u.path))
		if u.command && len(u.files) > 0 {
			folder := filepath.Dir(u.files[0].path)
			b.Commands[gosource.RuntimeName(folder, folder)] = gosource.RuntimeName(u.path, u.path)
		}
		b.Unprobed = append(b.Unprobed, u.part.Bodiless...)
		for _, c := range u.part.Bare {
			b.Unprobed = append(b.Unprobed, gosource.RuntimeName(u.path, c.ID))
		}
		b.Bare = append(b.Bare, u.part.Bare...)
		warnings = append(warnings, u.part.Warnings...)
		b.Budgets, ignored = append(b.Budgets, u.part.Budgets...), append(ignored, u.part.Ignored...)
		for _, f := range u.part.Files {
			if p.Sampled {
				break
			}
			p.replace[u.files[f.Index].path] = filepath.Join(u.dir, f.Name)
		}
	}
	p.noteUseless()
	if err := p.addBlocks(); err != nil {
		return err
	}
	p.note(summarize(warnings)...)
	ignored = append(ignored, p.readTestBudgets()...)
	p.noteIgnored(ignored)
	b.StdStale = p.stale
	p.cache.KeepRows(b.Root, p.rows)
	var err error
	b.Overlay, err = overlay.Describe(filepath.Join(p.Temp, "overlay.json"), p.replace)
	return err
}

// again starts over with new rows for all packages, without room to grow, after the table
// was full with it.
func (p *preparation) again(ctx context.Context) error {
	p.rows = p.rows.Tight()
	for i, pkg := range p.loaded.main {
		u, err := p.newUnit(pkg)
		if err != nil {
			return err
		}
		p.units[i] = u
	}
	return p.instrument(ctx)
}

// noteUseless notes the entries to exclude that exclude nothing, the first few one by one.
func (p *preparation) noteUseless() {
	n := 0
	for _, glob := range p.Exclude {
		why := p.useless(glob)
		if why == "" {
			continue
		}
		if n++; n <= shortlist.Most {
			p.note(note.ExcludeUseless(glob, why))
		}
	}
	if n > shortlist.Most {
		p.note(note.MoreUseless(n - shortlist.Most))
	}
}

// useless says why a glob excludes nothing; "" if it excludes something.
func (p *preparation) useless(glob string) string {
	found, err := fs.Glob(os.DirFS(p.build.Root), glob)
	if err != nil {
		return "is not written as one: see path.Match in Go's documentation"
	}
	for _, u := range p.units {
		for _, f := range u.files {
			if f.excluded && exclusion.File([]string{glob}, f.rel) {
				return ""
			}
		}
		for _, id := range u.part.Excluded {
			if exclusion.Function([]string{glob}, id) {
				return ""
			}
		}
	}
	if len(found) == 0 {
		return "matches nothing in " + p.build.Root + p.meant(glob)
	}
	return ""
}

// meant asks for the file or function that a misspelt entry to exclude may mean; "" if none
// is near.
func (p *preparation) meant(entry string) string {
	var known []string
	for _, u := range p.units {
		for _, f := range u.files {
			known = append(known, f.rel)
		}
	}
	for _, c := range slices.Concat(p.build.Components, p.build.Bare) {
		if c.ID != "" {
			known = append(known, c.ID)
		}
	}
	found, near := suggestion.Match(entry, known, 1)
	for _, i := range append(found, near...) {
		return "; did you mean " + known[i] + "?"
	}
	return ""
}

func (p *preparation) note(notes ...note.Note) { p.build.Notes = append(p.build.Notes, notes...) }
