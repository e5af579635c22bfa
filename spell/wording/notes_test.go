package wording

import (
	"flag"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"spell-lsp/spell/note"
)

var update = flag.Bool("update", false, "write docs/notes.md anew")

// A kind is what the source of package note says of a constructor.
type kind struct {
	name, code, doc string
	keys            []string
	types           map[string]string // of the arguments, by key
}

// kinds reads the constructors in the order of files and lines.
func kinds(t *testing.T) []kind {
	t.Helper()
	files, err := filepath.Glob("../note/*.go")
	if err != nil {
		t.Fatal(err)
	}
	var list []kind
	for _, name := range files {
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.ParseComments)
		if err != nil {
			t.Fatal(err)
		}
		codes := codesOf(file)
		for _, decl := range file.Decls {
			f, ok := decl.(*ast.FuncDecl)
			if !ok || f.Recv != nil || !f.Name.IsExported() || f.Name.Name == "Text" {
				continue
			}
			list = append(list, kindOf(t, f, codes))
		}
	}
	return list
}

func codesOf(file *ast.File) map[string]string {
	codes := make(map[string]string)
	ast.Inspect(file, func(n ast.Node) bool {
		if spec, ok := n.(*ast.ValueSpec); ok && len(spec.Values) == 1 {
			if text, ok := spec.Values[0].(*ast.BasicLit); ok {
				codes[spec.Names[0].Name], _ = strconv.Unquote(text.Value)
			}
		}
		return true
	})
	return codes
}

// kindOf reads return Note{Code, Args{"key": parameter, ...}}, the only form that
// constructors have.
func kindOf(t *testing.T, f *ast.FuncDecl, codes map[string]string) kind {
	t.Helper()
	parameters := make(map[string]string)
	for _, field := range f.Type.Params.List {
		for _, name := range field.Names {
			switch of := field.Type.(type) {
			case *ast.Ident:
				parameters[name.Name] = of.Name
			case *ast.ArrayType:
				parameters[name.Name] = "list of " + of.Elt.(*ast.Ident).Name
			}
		}
	}
	k := kind{name: f.Name.Name, doc: strings.TrimSpace(f.Doc.Text()), types: make(map[string]string)}
	literal := f.Body.List[0].(*ast.ReturnStmt).Results[0].(*ast.CompositeLit)
	k.code = codes[literal.Elts[0].(*ast.Ident).Name]
	for _, e := range literal.Elts[1].(*ast.CompositeLit).Elts {
		pair := e.(*ast.KeyValueExpr)
		key, _ := strconv.Unquote(pair.Key.(*ast.BasicLit).Value)
		value := pair.Value
		if call, ok := value.(*ast.CallExpr); ok { // float64(count)
			value = call.Args[0]
		}
		k.keys = append(k.keys, key)
		k.types[key] = parameters[value.(*ast.Ident).Name]
	}
	return k
}

// sample is a note of the kind with values that show in its text.
func (k kind) sample() note.Note {
	n := note.Note{Code: note.Code(k.code), Args: note.Args{}}
	for _, key := range k.keys {
		switch k.types[key] {
		case "string":
			n.Args[key] = "<" + key + ">"
		case "Note":
			n.Args[key] = note.Text("<" + key + ">")
		case "list of Note":
			n.Args[key] = []note.Note{note.Text("<" + key + ">"), note.Text("b")}
		case "list of string":
			n.Args[key] = []string{"<" + key + ">", "b"}
		default:
			n.Args[key] = 0.5
		}
	}
	return n
}

// args are the arguments without which a piece cannot be written.
func (p piece) args() []string {
	switch {
	case p.isArg():
		return []string{p.key}
	case p.key == "@change":
		return []string{"base_" + p.word, "head_" + p.word}
	}
	return nil
}

// Every note can be written: each constructor has a code of its own and a text, each text
// a constructor, and no text names an argument that its notes do not have.
func TestEveryNoteHasAText(t *testing.T) {
	seen := make(map[note.Code]bool)
	for _, k := range kinds(t) {
		code := note.Code(k.code)
		if code == "" || seen[code] {
			t.Errorf("%s has the code %q, which is none or that of another", k.name, code)
		}
		seen[code] = true
		template, ok := texts[code]
		if !ok {
			t.Errorf("%s (%s) has no text", k.name, code)
			continue
		}
		for _, s := range template {
			for _, p := range s.pieces {
				for _, key := range p.args() {
					if !slices.Contains(k.keys, key) {
						t.Errorf("the text of %s names %q, its notes have %q", code, key, k.keys)
					}
				}
			}
		}
		for _, a := range []Audience{CommandLine, Editor("the baseline"), Brief} {
			text := a.Text(k.sample())
			if strings.ContainsAny(text, "{}[]") || strings.Contains(text, "%!") || text == "" {
				t.Errorf("%s is written as %q", code, text)
			}
			if a.Base != "BASE" && (strings.Contains(text, "BASE") || strings.Contains(text, "HEAD") || strings.Contains(text, "--")) {
				t.Errorf("%s speaks to an editor as to a command line: %q", code, text)
			}
		}
	}
	for code := range texts {
		if !seen[code] {
			t.Errorf("%s has a text, but no constructor", code)
		}
	}
}

// docs/notes.md lists all codes that a record can have, with their arguments, for those who
// read records.
func TestNotesAreDocumented(t *testing.T) {
	var b strings.Builder
	b.WriteString("# Notes\n\nA run record lists in `notes` what its reader must know, as facts: a code with\narguments (`{\"code\": \"round.drift\", \"args\": {...}}`). The same facts as texts stand in\n`warnings`. The end of an argument's name is its unit: `_j` joules, `_w` watts, `_ms`\nmilliseconds, `_share` a share from 0 to 1, `_change` a relative change, `_p` a\nprobability, `_psi` a psi; other numbers are counts. An argument can be a note, or a\nlist of notes. `text` is a fact without a code, as in records of older versions.\n\nThis file is written by `go test ./spell/wording -update`.\n\n| code | arguments | says |\n|---|---|---|\n")
	for _, k := range kinds(t) {
		if strings.HasPrefix(k.code, "gate.") || strings.HasPrefix(k.code, "budget.") {
			continue // no record has it
		}
		_, doc, _ := strings.Cut(k.doc, " says: ")
		args := make([]string, len(k.keys))
		for i, key := range k.keys {
			args[i] = "`" + key + "`"
		}
		fmt.Fprintf(&b, "| `%s` | %s | %s |\n", k.code, strings.Join(args, ", "), strings.Join(strings.Fields(strings.TrimSuffix(doc, ".")), " "))
	}
	const file = "../../docs/notes.md"
	if *update {
		if err := os.WriteFile(file, []byte(b.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), b.String()); diff != "" {
		t.Errorf("%s (-want +got), go test ./spell/wording -update writes it:\n%s", file, diff)
	}
}
