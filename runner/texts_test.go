package runner

import (
	"os"
	"path/filepath"
	"testing"

	"spell-lsp/instrument"
	"spell-lsp/spell"
	"spell-lsp/spell/record"
)

// Why: lines of a function are shown beside its text only if that is the text that was measured. Where the files are not
// at hand, as they are ignored by git and did not go along, it must be told by the same hashes.
func TestTextsOfATask(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"usual.go": "package p\n\nfunc F() {\n\tprintln()\n}\n\nfunc G() {}",
		"y.go":     "package p\n//line x.y:3\nfunc H() {}\n",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	list := []spell.Component{
		{ID: "p.F", Kind: spell.KindFunction, File: "usual.go", Line: 3, EndLine: 5},
		{ID: "p.G", Kind: spell.KindFunction, File: "usual.go", Line: 7, EndLine: 7},
		{ID: "p.H", Kind: spell.KindFunction, File: "y.go", Line: 3, EndLine: 3},
		{ID: "p.Other", Kind: spell.KindFunction, File: "usual.go", Line: 7, EndLine: 8},
		{ID: "p.Gone", Kind: spell.KindFunction, File: "gone.go", Line: 2, EndLine: 3},
		{ID: "p", Kind: spell.KindPackage},
	}
	here := &measurement{subject: subject{build: &instrument.Build{Root: dir, Components: list}}}
	there, err := (&Task{Dir: ".", Root: ".", Built: dir, Build: instrument.Build{Components: list}, Texts: here.textHashes()}).measurement(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []struct {
		own, ownThere, known bool
	}{{true, true, true}, {true, true, true}, {false, false, true}, {true, false, false}, {true, false, false}} {
		c := &record.Component{ID: list[i].ID, File: list[i].File, Line: list[i].Line, EndLine: list[i].EndLine}
		hash, own := here.texts().of(c)
		hashThere, ownThere := there.texts().of(c)
		if own != want.own || ownThere != want.ownThere || own && hash() != hashThere() || own && (hash() != "") != want.known {
			t.Errorf("%s: %t %q here, %t %q there", c.ID, own, hash(), ownThere, hashThere())
		}
	}
	outside := &record.Component{ID: "strings.ToUpper", Kind: spell.KindFunction} // of the standard library
	if hash, own := there.texts().of(outside); !own || hash() != "" {
		t.Errorf("a function without a file: %t %q", own, hash())
	}
}
