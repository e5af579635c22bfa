package probe

import (
	"encoding/binary"
	"fmt"
	"hash/fnv"
	"os"
	"regexp"
	"strings"
)

// NamedRows tell what the functions on a stack are.
type NamedRows struct {
	Components []string // names at run time (runtime.Func.Name), without type arguments; "" for none
	Unprobed   []string // of functions whose time is their caller's
	Packages   []string // whose other functions are test code
	// Commands are the packages main among these, by their folders, both as runtime names spell
	// import paths. Programs that the go command builds of single files are known by the folder.
	Commands map[string]string
}

// Names is the table by which a program's samples find rows, made once for many
// programs. A slot has the FNV-1a hash of a name, 64 bits, 0 if it is free, and
// a row.
type Names struct {
	file  *os.File
	slots int // a power of two
}

const further = 1 << 32 // the row of functions whose time is their caller's

// NewNames makes the table.
func NewNames(index Index) (*Names, error) {
	slots := 64
	for slots < 2*len(index) {
		slots *= 2
	}
	table := make([]byte, slots*16)
	for name, row := range index {
		addName(table, name, row)
	}
	file, err := nameless()
	if err == nil {
		_, err = file.WriteAt(table, 0)
	}
	if err != nil {
		return nil, fmt.Errorf("writing the table of names: %w", err)
	}
	seal(file, true) // all programs read it
	return &Names{file, slots}, nil
}

// Close frees the table.
func (n *Names) Close() error { return n.file.Close() }

func addName(table []byte, name string, row uint64) {
	hash := nameHash(name)
	for i := hash; ; i++ {
		slot := table[i%uint64(len(table)/16)*16:]
		if taken := binary.NativeEndian.Uint64(slot); taken == 0 || taken == hash {
			binary.NativeEndian.PutUint64(slot, hash)
			binary.NativeEndian.PutUint64(slot[8:], row)
			return
		}
	}
}

// nameHash is FNV-1a, 64 bits.
func nameHash(name string) uint64 {
	h := fnv.New64a()
	h.Write([]byte(name))
	return h.Sum64()
}

// An Index finds rows by the names of functions, as the program's samples do:
// without type arguments; a literal, a method value or a deferred call by its
// function; any other function of a package by the package.
type Index map[string]uint64

// NewIndex makes an index of the rows.
func NewIndex(rows NamedRows) Index {
	x := make(Index)
	for _, pkg := range rows.Packages {
		x[pkg], x[pkg+"_test"] = 0, 0
	}
	for folder, pkg := range rows.Commands {
		x[folder] = nameHash(pkg)
	}
	for _, name := range rows.Unprobed {
		x[name] = further
	}
	for i, name := range rows.Components {
		if name != "" {
			x[name] = uint64(i) + 1
		}
	}
	return x
}

// Row is that of a function. It is not known, and the time is the caller's, of a
// function without a probe, and of a literal whose function was inlined: such a
// one has the name of the caller, and that of its function without the package.
func (x Index) Row(function string) (row int, ok bool) {
	pkg, segments, kept := enclosing(function)
	name := pkg + strings.Join(segments[:kept], "")
	if row, ok := x[name]; ok {
		return int(row), row != further
	}
	row64, ok := x[pkg]
	return int(row64), ok && (kept <= 1 || kept == len(segments))
}

// Measured tells whether a function is of a package that is measured, whatever its row is.
func (x Index) Measured(function string) bool {
	pkg, _, _ := enclosing(function)
	_, ok := x[pkg]
	return ok
}

// EnclosingFunction is the name of a function, of a literal that of the function which it is in.
func EnclosingFunction(function string) string {
	pkg, segments, kept := enclosing(function)
	return pkg + strings.Join(segments[:kept], "")
}

// enclosing cuts a name into that of the package and the segments behind it, of which the first ones,
// kept, are the function that a literal is in.
func enclosing(function string) (pkg string, segments []string, kept int) {
	pkg, rest := splitName(WithoutTypeArguments(function))
	segments = segmentsOf(rest)
	kept = len(segments)
	for kept > 1 && partOfFunction.MatchString(segments[kept-1]) {
		kept--
	}
	return pkg, segments, kept
}

// partOfFunction is what the compiler adds to a function's name.
var partOfFunction = regexp.MustCompile(`^[.-](func[0-9]+|range[0-9]+|gowrap[0-9]+|deferwrap[0-9]+|[0-9]+|fm)$`)

// splitName cuts a name at the first dot behind the last slash.
func splitName(name string) (pkg, rest string) {
	slash := strings.LastIndexByte(name, '/') + 1
	dot := strings.IndexByte(name[slash:], '.')
	if dot < 0 {
		return name, ""
	}
	return name[:slash+dot], name[slash+dot:]
}

// segmentsOf cuts before each dot and hyphen.
func segmentsOf(name string) []string {
	var segments []string
	for name != "" {
		next := strings.IndexAny(name[1:], ".-") + 1
		if next == 0 {
			next = len(name)
		}
		segments, name = append(segments, name[:next]), name[next:]
	}
	return segments
}

// WithoutTypeArguments is a name of the linker without what stands in brackets.
func WithoutTypeArguments(name string) string {
	depth := 0
	return strings.Map(func(c rune) rune {
		switch {
		case c == '[':
			depth++
			return -1
		case c == ']':
			depth--
			return -1
		case depth > 0:
			return -1
		}
		return c
	}, name)
}
