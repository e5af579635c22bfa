package rewrite

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/tools/txtar"

	"spell-lsp/spell"
)

// functionBlocks are those of one function.
type functionBlocks struct {
	*Blocks
	of spell.Component
}

// instrumentBlocks treats every function of a file as the chosen one: function
// i has the row i+1, its blocks those from rowsOf(i) on.
func instrumentBlocks(t testing.TB, name string, src []byte, probe string) ([]byte, []functionBlocks) {
	t.Helper()
	f := parseOne(t, name, src)
	out := NewText(src)
	if len(f.Funcs) > 0 {
		out.Insert(f.offset(f.ast.Name.End()), fmt.Sprintf("; import _p %q", probe))
	}
	var all []functionBlocks
	for i, fn := range f.Funcs {
		b := f.Blocks(i)
		all = append(all, functionBlocks{b, fn.Component("m", "x.go")})
		out.Insert(f.offset(fn.Body.Lbrace)+1, fmt.Sprintf("defer _p.SpellExit(_p.SpellEnter(%d));", i+1))
		ast.Inspect(fn.Body, func(n ast.Node) bool {
			if lit, ok := n.(*ast.FuncLit); ok {
				out.Insert(f.offset(lit.Body.Lbrace)+1, fmt.Sprintf("defer _p.SpellExit(_p.SpellLiteral(%d));", i+1))
			}
			return true
		})
		b.insert(out, "_p", uint32(i+1), rowsOf(i))
	}
	return out.Bytes(), all
}

func rowsOf(function int) uint32 { return uint32(100 * (function + 1)) }

func described(all []functionBlocks) []byte {
	var out bytes.Buffer
	for _, fn := range all {
		for _, c := range fn.Components(fn.of) {
			fmt.Fprintf(&out, "%s %d:%d-%d\n", c.ID, c.Line, c.Column, c.EndLine)
		}
	}
	return out.Bytes()
}

func readArchive(t testing.TB, name string) (inputs []txtar.File, want map[string][]byte) {
	t.Helper()
	archive, err := txtar.ParseFile(name)
	if err != nil {
		t.Fatal(err)
	}
	want = make(map[string][]byte)
	for _, f := range archive.Files {
		if filepath.Ext(f.Name) == ".go" {
			inputs = append(inputs, f)
		} else {
			want[f.Name] = f.Data
		}
	}
	return inputs, want
}

const blocksArchive = "testdata/blocks.txtar"

func TestBlockEdits(t *testing.T) {
	inputs, want := readArchive(t, blocksArchive)
	updated := inputs
	for _, in := range inputs {
		t.Run(in.Name, func(t *testing.T) {
			got, all := instrumentBlocks(t, in.Name, in.Data, "runtime")
			name := strings.TrimSuffix(in.Name, ".go")
			for _, out := range []txtar.File{{Name: name + ".want", Data: got}, {Name: name + ".blocks", Data: described(all)}} {
				updated = append(updated, out)
				if diff := cmp.Diff(string(want[out.Name]), string(out.Data)); diff != "" && !*update {
					t.Errorf("%s (-want +got):\n%s", out.Name, diff)
				}
			}
		})
	}
	if *update {
		archive, err := txtar.ParseFile(blocksArchive)
		if err != nil {
			t.Fatal(err)
		}
		archive.Files = updated
		if err := os.WriteFile(blocksArchive, txtar.Format(archive), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// stubs imports the probe's part of runtime.
type stubs struct{ types.Importer }

func (s stubs) Import(path string) (*types.Package, error) {
	if path != "runtime" {
		return s.Importer.Import(path)
	}
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, "stubs.go", `package runtime
type SpellFrame struct{}
func SpellEnter(uint32) SpellFrame { return SpellFrame{} }
func SpellLiteral(uint32) SpellFrame { return SpellFrame{} }
func SpellExit(SpellFrame) {}
func SpellBlock(uint32) {}
func SpellBack(uint32) {}
`, 0)
	if err != nil {
		return nil, err
	}
	return new(types.Config).Check("runtime", fset, []*ast.File{file}, nil)
}

func typeErrors(src []byte) error {
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, "x.go", src, 0)
	if err != nil {
		return err
	}
	config := types.Config{Importer: stubs{importer.ForCompiler(fset, "source", nil)}}
	_, err = config.Check("x", fset, []*ast.File{file}, nil)
	return err
}

// A function that compiles must compile with its blocks: a list that ended in
// a terminating statement still does, labels stay with their loops, and no
// jump leads over or into what it must not.
func TestBlocksCompile(t *testing.T) {
	inputs, _ := readArchive(t, blocksArchive)
	for _, in := range inputs {
		t.Run(in.Name, func(t *testing.T) {
			if err := typeErrors(in.Data); err != nil {
				t.Fatal("the original does not compile:", err)
			}
			got, _ := instrumentBlocks(t, in.Name, in.Data, "runtime")
			if err := typeErrors(got); err != nil {
				t.Errorf("%v\n%s", err, got)
			}
		})
	}
}

// A block's hash says whether its body is the one that was measured.
func TestBlockHash(t *testing.T) {
	hashes := func(src string) (list []string) {
		_, all := instrumentBlocks(t, "x.go", []byte("package p\n"+src), "runtime")
		for _, fn := range all[0].List {
			list = append(list, fn.Hash)
		}
		return list
	}
	const original = "func F(n int) {\n\tfor n > 1 {\n\t\tn--\n\t}\n\tswitch {\n\tcase n > 3:\n\t\tn++\n\tdefault:\n\t}\n}\n"
	before := hashes(original)
	for _, test := range []struct {
		why, old, new string
		changed       []bool
	}{
		{"comments and layout do not run", "n--\n", "\n\n/* less */ n-- // by one\n", []bool{false, false, false}},
		{"a changed body", "n--", "n -= 2", []bool{true, false, false}},
		{"a changed clause", "n++", "n += 2", []bool{false, true, false}},
		{"a default with something in it", "default:\n", "default:\n\t\tn = 3\n", []bool{false, false, true}},
	} {
		after := hashes(strings.Replace(original, test.old, test.new, 1))
		for i, changed := range test.changed {
			if (before[i] != after[i]) != changed {
				t.Errorf("%s: hash %d was %s, is %s", test.why, i, before[i], after[i])
			}
		}
	}
}

// Whatever parses must parse after its blocks have calls, with as many lines,
// and nothing taken away; and what compiles must compile.
func FuzzBlocks(f *testing.F) {
	inputs, _ := readArchive(f, blocksArchive)
	for _, in := range inputs {
		f.Add(in.Data)
	}
	f.Add([]byte("package p\nfunc F() { goto; L: ; for { continue L }; if x {} else {}; switch { case 1: L: } }"))
	f.Fuzz(func(t *testing.T, src []byte) {
		if _, err := parser.ParseFile(token.NewFileSet(), "x.go", src, parser.SkipObjectResolution); err != nil {
			return
		}
		got, all := instrumentBlocks(t, "x.go", src, "runtime")
		if _, err := parser.ParseFile(token.NewFileSet(), "x.go", got, parser.SkipObjectResolution); err != nil {
			t.Fatalf("does not parse any more: %v\n%s", err, got)
		}
		if bytes.Count(src, []byte("\n")) != bytes.Count(got, []byte("\n")) || !subsequence(src, got) {
			t.Fatalf("lines or text were lost:\n%s", got)
		}
		// Imports would take long, and here the probe has a name that may be in use.
		if !bytes.Contains(src, []byte("import")) && !bytes.Contains(src, []byte("_p")) && typeErrors(src) == nil {
			if err := typeErrors(got); err != nil {
				t.Errorf("does not compile any more: %v\n%s", err, got)
			}
		}
		for _, b := range all {
			seen := make(map[string]bool)
			for _, fn := range b.List {
				if seen[fn.Path] || fn.End.Offset < fn.Start.Offset || fn.Start.Line < 1 || len(fn.Hash) != 16 {
					t.Errorf("%+v of %q", fn, src)
				}
				seen[fn.Path] = true
			}
		}
	})
}
