package goroot

import (
	_ "embed"
	"go/ast"
	"go/token"
	"go/types"
	"path/filepath"
)

//go:embed energy/energy.go
var energyHandler []byte

// energyAdded is added to net/http/pprof. The handler is a package of its own, which
// nothing but net/http can import, because the names in it need not be unlike those of pprof.
const energyAdded = `package pprof

import (
	"net/http"
	energy "net/http/internal/spellenergy"
)

func init() {
	profileDescriptions["energy"] = "CPU profile with energy. You can specify the duration in the seconds GET parameter. spell-lsp meter must run."
}

func spellServeEnergy(w http.ResponseWriter, r *http.Request) { energy.Serve(w, r) }
`

// A profile that runtime/pprof has under no name is looked for here last: so energy is
// served by Index, and with it by the default mux and each mux that has Index, and by
// Handler("energy"). A program that made a profile of that name itself keeps it.
var energyEdits = []edit{
	{"net/http/pprof/pprof.go", "Index", listEnd, `, "energy"`},
	{"net/http/pprof/pprof.go", "(handler).ServeHTTP", ifBody("p == nil"), ` if name == "energy" { spellServeEnergy(w, r); return };`},
}

// ServeEnergy makes the files with which net/http/pprof serves the profile energy, by absolute
// path, for a Go release that is installed in dir.
func ServeEnergy(dir string) (map[string][]byte, error) {
	var f Files
	if err := f.edit(dir, energyEdits); err != nil {
		return nil, err
	}
	for name, text := range map[string][]byte{
		"net/http/pprof/spellenergy.go":           []byte(energyAdded),
		"net/http/internal/spellenergy/energy.go": energyHandler,
	} {
		f.Texts[filepath.Join(dir, "src", filepath.FromSlash(name))] = text
	}
	return f.Texts, nil
}

// listEnd is the end of the first list of strings.
func listEnd(decl ast.Node) token.Pos {
	return first(find(decl, func(n ast.Node) token.Pos {
		if list, ok := n.(*ast.CompositeLit); ok && list.Type != nil && types.ExprString(list.Type) == "[]string" {
			return list.Rbrace
		}
		return token.NoPos
	}))
}
