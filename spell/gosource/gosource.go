// Package gosource finds the components of Go source: which functions a file
// declares, where they stand, what the linker calls them, and a hash of each
// body by which a function is known again after it was moved or renamed.
package gosource

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"go/ast"
	"go/scanner"
	"go/token"
	"strings"

	"spell-lsp/spell"
)

// A Func is a function or method with a body, or a function literal that
// stands outside of any function.
type Func struct {
	// Name is the linker's name without the package: F, T.M, (*T).M, and for
	// generics the same without type arguments. Those that have no name of their
	// own are "init" and "init.func" until Number has seen the whole package.
	Name   string
	Decl   *ast.FuncDecl // nil for a literal
	Body   *ast.BlockStmt
	File   string         // as given to the file set
	Start  token.Position // of the name; of the word func for a literal
	NameTo token.Position // after the name
	End    token.Position // of the closing brace
	Hash   string         // of the //go: directives, the parameters (those of types too) and the body; blind to comments and layout
}

// Functions lists the functions of a parsed file in the order of the source,
// which src must hold. The file must have been parsed with its comments:
// directives are among them. Functions named _ never run and are left out. Positions
// are those of the file itself: line directives are not followed.
func Functions(fset *token.FileSet, file *ast.File, src []byte) []Func {
	var funcs []Func
	add := func(name string, decl *ast.FuncDecl, body *ast.BlockStmt, from, nameFrom, nameTo token.Pos) {
		tf := fset.File(body.Pos())
		funcs = append(funcs, Func{
			Name: name, Decl: decl, Body: body, File: tf.Name(),
			Start:  fset.PositionFor(nameFrom, false),
			NameTo: fset.PositionFor(nameTo, false),
			End:    fset.PositionFor(body.Rbrace, false),
			Hash:   hash(decl, src[tf.Offset(from):min(tf.Offset(body.End()), len(src))]),
		})
	}
	for _, decl := range file.Decls {
		switch decl := decl.(type) {
		case *ast.FuncDecl:
			if decl.Body == nil || decl.Name.Name == "_" {
				continue
			}
			from := decl.Type.Params.Pos()
			if decl.Type.TypeParams != nil {
				from = decl.Type.TypeParams.Pos()
			}
			add(DeclName(decl), decl, decl.Body, from, decl.Name.Pos(), decl.Name.End())
		case *ast.GenDecl:
			ast.Inspect(decl, func(n ast.Node) bool {
				lit, ok := n.(*ast.FuncLit)
				if ok {
					add("init.func", nil, lit.Body, lit.Type.Params.Pos(), lit.Pos(), lit.Pos()+token.Pos(len("func")))
				}
				return !ok
			})
		}
	}
	Unalias([]*ast.File{file}, [][]Func{funcs})
	return funcs
}

// Number gives the init functions and the literals outside of functions the
// linker's numbers: init.0, init.1 and init.func1, init.func2, counted over
// the files of a package in the order in which they are compiled, which is
// that of their names, with those that import "C" last. The literals have the
// order of the source: where the compiler initialises variables in another
// order, because one needs another, its numbers differ.
func Number(files [][]Func) {
	inits, literals := 0, 0
	for _, funcs := range files {
		for i := range funcs {
			switch funcs[i].Name {
			case "init":
				funcs[i].Name = fmt.Sprintf("init.%d", inits)
				inits++
			case "init.func":
				literals++
				funcs[i].Name = fmt.Sprintf("init.func%d", literals)
			}
		}
	}
}

// Component describes f as a component of the package with the given import
// path; file is its path relative to the workspace root.
func (f *Func) Component(pkg, file string) spell.Component {
	return spell.Component{
		ID: pkg + "." + f.Name, Kind: spell.KindFunction, Package: pkg, File: file,
		Line: f.Start.Line, Column: f.Start.Column, EndLine: f.End.Line, Hash: f.Hash,
	}
}

// hash is blind to everything that the scanner is: blanks, comments, and
// whether a semicolon was written, implied, or left out before a bracket. Of the
// comments of a declaration, which may be nil, it sees the compiler's directives.
func hash(decl *ast.FuncDecl, src []byte) string {
	var s scanner.Scanner
	s.Init(token.NewFileSet().AddFile("", -1, len(src)), src, nil, 0)
	var tokens bytes.Buffer
	if decl != nil && decl.Doc != nil {
		for _, c := range decl.Doc.List {
			if strings.HasPrefix(c.Text, "//go:") {
				tokens.WriteString(c.Text + "\n")
			}
		}
	}
	semicolon := false
	for {
		_, tok, lit := s.Scan()
		if semicolon && tok != token.RBRACE && tok != token.RPAREN && tok != token.EOF {
			tokens.WriteString(";\n")
		}
		if semicolon = tok == token.SEMICOLON; semicolon {
			continue
		}
		if tok == token.EOF {
			break
		}
		tokens.WriteString(tok.String())
		if tok.IsLiteral() {
			tokens.WriteString(" " + lit)
		}
		tokens.WriteByte('\n')
	}
	sum := sha256.Sum256(tokens.Bytes())
	return hex.EncodeToString(sum[:8])
}
