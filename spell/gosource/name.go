package gosource

import (
	"fmt"
	"go/ast"
	"strings"
)

// DeclName is the linker's name of a function, without the package, as far as
// its declaration tells it: the receiver may be written with an alias.
func DeclName(d *ast.FuncDecl) string {
	if d.Recv == nil || len(d.Recv.List) == 0 {
		return d.Name.Name
	}
	return receiver(d.Recv.List[0].Type).String() + "." + d.Name.Name
}

// A typeName is T or *T. The name of a type that no receiver can have is "?":
// the parser accepts some that the type checker will not.
type typeName struct {
	name    string
	pointer bool
}

func (t typeName) String() string {
	if t.pointer {
		return "(*" + t.name + ")"
	}
	return t.name
}

func receiver(typ ast.Expr) typeName {
	typ = ast.Unparen(typ)
	star, pointer := typ.(*ast.StarExpr)
	if pointer {
		typ = ast.Unparen(star.X)
	}
	switch generic := typ.(type) {
	case *ast.IndexExpr:
		typ = generic.X
	case *ast.IndexListExpr:
		typ = generic.X
	}
	if id, ok := ast.Unparen(typ).(*ast.Ident); ok {
		return typeName{id.Name, pointer}
	}
	return typeName{"?", pointer}
}

// Unalias names the methods whose receivers are written with an alias as the
// linker does, after the type itself; funcs[i] are the functions of files[i].
// Functions has done so for the aliases of the method's own file; given all
// files of a package, Unalias knows those of the others too.
func Unalias(files []*ast.File, funcs [][]Func) {
	aliases := make(map[string]typeName)
	for _, file := range files {
		addAliases(aliases, file)
	}
	if len(aliases) == 0 {
		return
	}
	for _, list := range funcs {
		for i := range list {
			if d := list[i].Decl; d != nil && d.Recv != nil && len(d.Recv.List) > 0 {
				list[i].Name = meaning(aliases, receiver(d.Recv.List[0].Type)).String() + "." + d.Name.Name
			}
		}
	}
}

func addAliases(aliases map[string]typeName, file *ast.File) {
	for _, decl := range file.Decls {
		if decl, ok := decl.(*ast.GenDecl); ok {
			for _, spec := range decl.Specs {
				if spec, ok := spec.(*ast.TypeSpec); ok && spec.Assign.IsValid() {
					aliases[spec.Name.Name] = receiver(spec.Type)
				}
			}
		}
	}
}

// meaning follows aliases to a type that is none. They are no more than there
// are names, so that one that leads back to itself ends too.
func meaning(aliases map[string]typeName, t typeName) typeName {
	for range aliases {
		next, ok := aliases[t.name]
		if !ok {
			break
		}
		t = typeName{next.name, t.pointer || next.pointer}
	}
	return t
}

// RuntimeName is what runtime.Func.Name says of a component or, given the path
// itself as id, how the names of a package begin, before the dot. pkg is the
// import path with which the id begins. Type arguments, [...], are left out. A
// command's functions have such names in the programs of its tests; in the
// command itself they are main.F.
func RuntimeName(pkg, id string) string {
	return escape(pkg) + strings.TrimPrefix(id, pkg)
}

// escape writes an import path as it stands in the linker's symbols: in its
// last element a dot would be taken for the end of it.
func escape(path string) string {
	var out strings.Builder
	slash := strings.LastIndexByte(path, '/')
	for i := range len(path) {
		switch c := path[i]; {
		case c <= ' ', c == '%', c == '"', c >= 0x7f, c == '.' && i > slash:
			fmt.Fprintf(&out, "%%%02x", c)
		default:
			out.WriteByte(c)
		}
	}
	return out.String()
}
