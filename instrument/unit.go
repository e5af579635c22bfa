package instrument

import (
	"crypto/sha256"
	"fmt"
	"go/token"
	"regexp"

	"spell-lsp/instrument/cache"
	"spell-lsp/instrument/inlining"
	"spell-lsp/instrument/rewrite"
	"spell-lsp/spell/exclusion"
	"spell-lsp/spell/regularfile"
)

// A unit is a package of a main module that is being instrumented.
type unit struct {
	path    string
	command bool // it is called main
	old     bool // its language has no generics
	files   []unitFile
	sum     string // of all that the part depends on, but for the rows and the compiler's report
	part    *cache.Part
	dir     string   // where the part's files are
	exclude []string // IDs of functions that get no probe, or their ends
}

type unitFile struct {
	path, rel string // absolute; relative to the root, with forward slashes
	src       []byte
	excluded  bool
	embedded  bool // somewhere in the program
}

// newUnit reads a package.
func (p *preparation) newUnit(pkg mainPackage) (*unit, error) {
	u := &unit{path: pkg.path, command: pkg.command, old: pkg.old, files: make([]unitFile, len(pkg.files))}
	key := fmt.Appendf(nil, "%s %q %t", p.settings, pkg.path, pkg.old)
	for i, name := range pkg.files {
		src, ok := p.Buffers[name]
		if !ok {
			var err error
			if src, err = regularfile.Read(name, regularfile.MaxBuilt); err != nil {
				return nil, fmt.Errorf("reading a source file: %w", err)
			}
		}
		f := unitFile{path: name, rel: p.build.relative(name), src: src, embedded: p.loaded.embedded[name]}
		f.excluded = exclusion.File(p.Exclude, f.rel)
		key = fmt.Appendf(key, "\n%q %x %t %t", f.rel, sha256.Sum256(src), f.excluded, f.embedded)
		u.files[i] = f
	}
	if u.exclude = exclusion.Functions(p.Exclude, pkg.path); len(u.exclude) > 0 {
		key = fmt.Appendf(key, "\n%q", u.exclude)
	}
	u.sum = cache.Hash(key)
	return u, nil
}

// forget releases the source text, which may be large, for the garbage collector.
func (u *unit) forget() {
	for i := range u.files {
		u.files[i].src = nil
	}
}

// typeParameters matches the start of a generic function, or of a method of a generic
// type. A comment that looks the same does no harm.
var typeParameters = regexp.MustCompile(`(?m)^func (\([^)\n]*\[|[\pL\pN_]*\[)`)

func (u *unit) generic() bool {
	for _, f := range u.files {
		if typeParameters.Match(f.src) {
			return true
		}
	}
	return false
}

// instrument makes the unit's part. place returns the first of the rows for that many
// components.
func (u *unit) instrument(in *inlining.Report, probePath string, place func(components int) (uint32, error)) error {
	u.part = &cache.Part{}
	made := partMaker{u.part, u}
	sources, broken := u.parse()
	made.addBroken(broken)
	rows := make([][]uint32, len(sources)) // from 1
	for i, f := range sources {
		rows[i] = made.addFile(f)
	}
	first, err := place(len(u.part.Components))
	if err != nil {
		return err
	}
	name := rewrite.ProbeName(sources)
	for i, f := range sources {
		inlines := func(pos token.Pos) bool { return in.Inlines(f, pos) }
		edit := false
		for j, row := range rows[i] {
			if row > 0 {
				edit = true
				rows[i][j] += first - 1
				u.part.Counted = append(u.part.Counted, f.CountedOnly(j, inlines))
				u.part.Defers = append(u.part.Defers, f.Defers(j))
				u.part.Sizes = append(u.part.Sizes, f.Sizes(j, inlines))
			}
		}
		if edit {
			made.addText(f, f.Instrument(rewrite.Probes{Rows: rows[i], Inlines: inlines, Name: name, Path: probePath}))
		}
	}
	return nil
}

// parse parses the files of the package; broken are the indexes of those that do not
// parse. The compiler will say what is wrong with them, and the other packages are
// measured.
func (u *unit) parse() (files []*rewrite.File, broken []int) {
	sources := make([]rewrite.Source, len(u.files))
	for i, file := range u.files {
		sources[i] = rewrite.Source{Path: file.path, Text: file.src, Old: u.old}
	}
	return rewrite.Parse(sources)
}
