package instrument

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"spell-lsp/spell/wording"
)

func TestWhatIsNotMeasuredIsNamed(t *testing.T) {
	dir := unpack(t, "testdata/unmeasured.txtar")
	p := Params{Dir: dir, Temp: t.TempDir(), Cache: t.TempDir(), Exclude: []string{"gen", "no/such", "gen/[", "broken/*.txt", "asm_amd64.s"}}
	for _, from := range []string{"made", "kept"} {
		b, err := Prepare(t.Context(), p)
		if err != nil {
			t.Fatal(err)
		}
		const noBody = "it has no Go body (it is written in assembly, or linked to another name)"
		for _, want := range []string{
			"asm.go:3: example.com/dark.Sum is not measured: " + noBody,
			"asm.go:7: example.com/dark.(*T).Linked is not measured: " + noBody,
			"split.go:6: example.com/dark.Tight is not measured: it is marked //go:nosplit",
			"shown.go is not measured: a //go:embed line makes its text part of the program",
			"broken/broken.go is not measured: it does not parse",
			`exclude entry "no/such" matches nothing in ` + b.Root,
			`exclude entry "broken/*.txt" matches nothing in ` + b.Root,
			`exclude entry "gen/[" is not written as one: see path.Match in Go's documentation`,
		} {
			if n := strings.Count(strings.Join(wording.Texts(b.Notes), "\n")+"\n", want+"\n"); n != 1 {
				t.Errorf("%s: %q is said %d times", from, want, n)
			}
		}
		all := strings.Join(wording.Texts(b.Notes), "\n")
		for _, never := range []string{"Fine", "TestGo", "Generated", "._ ", `"gen" `, `"asm_amd64.s" `} {
			if strings.Contains(all, never) {
				t.Errorf("%s: %s is in the warnings:\n%s", from, never, all)
			}
		}
		unprobed := []string{
			"example.com/dark.Sum", "example.com/dark.(*T).Linked", "example.com/dark.Shown", "example.com/dark.Tight",
			"example.com/dark/gen.asm", "example.com/dark/gen.Generated",
		}
		if diff := cmp.Diff(unprobed, b.Unprobed); diff != "" {
			t.Errorf("%s: functions without a probe (-want +got):\n%s", from, diff)
		}
		var bare []string
		for _, c := range b.Bare {
			if len(c.Hash) != 16 {
				t.Errorf("%s: the hash of %s is %q", from, c.ID, c.Hash)
			}
			bare = append(bare, fmt.Sprintf("%s %s:%d", c.ID, c.File, c.Line))
		}
		if diff := cmp.Diff([]string{"example.com/dark.Shown shown.go:3", "example.com/dark.Tight split.go:6", "example.com/dark/gen.Generated gen/gen.go:3"}, bare); diff != "" {
			t.Errorf("%s: functions in Go without a probe (-want +got):\n%s", from, diff)
		}
		if diff := cmp.Diff([]string{"example.com/dark", "example.com/dark/broken", "example.com/dark/gen"}, b.Packages); diff != "" {
			t.Errorf("%s: packages (-want +got):\n%s", from, diff)
		}
		p.Temp = t.TempDir()
	}
}

// Hundreds of lines that say the same hide the one that does not.
func TestManyWarningsOfOneKindAreSummedUp(t *testing.T) {
	dir := unpack(t, "testdata/unmeasured.txtar")
	var many strings.Builder
	for i := range 332 {
		fmt.Fprintf(&many, "//go:nosplit\nfunc f%d() {}\n", i)
	}
	if err := os.WriteFile(filepath.Join(dir, "gen", "many.go"), []byte("package gen\n"+many.String()), 0o644); err != nil {
		t.Fatal(err)
	}
	b, err := Prepare(t.Context(), Params{Dir: dir, Patterns: []string{".", "./gen"}, Temp: t.TempDir(), Cache: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	all := strings.Join(wording.Texts(b.Notes), "\n")
	if !strings.Contains(all, "\nand 313 more are not measured: it is marked //go:nosplit") || !strings.Contains(all, "gen/many.go:39: example.com/dark/gen.f18 is") || len(b.Notes) > 30 {
		t.Errorf("%d warnings:\n%s", len(b.Notes), all)
	}
	if len(b.Unprobed) < 332 {
		t.Errorf("%d functions without a probe are listed", len(b.Unprobed))
	}
}

// Somebody who types in one file of a package asks for the blocks of a function in
// another one. The package cannot be built, which the go command will say.
func TestBlocksBesideAFileThatDoesNotParse(t *testing.T) {
	builds(t)
	dir := t.TempDir()
	for name, text := range map[string]string{
		"go.mod":         "module example.com/m\n\ngo 1.26\n",
		"a.go":           "package m\n\nfunc F(n int) {\n\tfor range n {\n\t}\n}\n",
		"broken.go":      "package m\n\nfunc G( {\n",
		"a_test.go":      "package m\n\nimport \"testing\"\n\nfunc TestF(*testing.T) { F(3) }\n",
		"fine/f_test.go": "package fine\n\nimport \"testing\"\n\nfunc TestG(*testing.T) {}\n",
	} {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	b, err := Prepare(t.Context(), Params{Dir: dir, Temp: t.TempDir(), Cache: t.TempDir(), Block: "F"})
	if err != nil {
		t.Fatal(err)
	}
	if b.LastBlock == 0 || !strings.Contains(strings.Join(wording.Texts(b.Notes), "\n"), "broken.go is not measured: it does not parse") {
		t.Errorf("the last block is %d, warnings are %q", b.LastBlock, wording.Texts(b.Notes))
	}
}
