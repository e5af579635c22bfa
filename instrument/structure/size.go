package structure

import (
	"go/ast"
	"go/scanner"
	"go/token"
	"strings"
)

// complexity is 1 and the number of decisions in a body.
func complexity(body *ast.BlockStmt) int {
	n := 1
	ast.Inspect(body, func(node ast.Node) bool {
		if decides(node) {
			n++
		}
		return true
	})
	return n
}

func decides(node ast.Node) bool {
	switch node := node.(type) {
	case *ast.IfStmt, *ast.ForStmt, *ast.RangeStmt:
		return true
	case *ast.CaseClause:
		return node.List != nil
	case *ast.CommClause:
		return node.Comm != nil
	case *ast.BinaryExpr:
		return node.Op == token.LAND || node.Op == token.LOR
	}
	return false
}

// linesOfCode counts the lines on which a token stands. Those of a raw string are lines of it.
func linesOfCode(src []byte) int {
	file := token.NewFileSet().AddFile("", -1, len(src))
	var s scanner.Scanner
	s.Init(file, src, nil, 0)
	lines, last := 0, 0
	for {
		pos, tok, text := s.Scan()
		if tok == token.EOF {
			return lines
		}
		if tok == token.SEMICOLON && text == "\n" {
			continue // it is not written
		}
		from := file.Line(pos)
		to := from + strings.Count(text, "\n")
		lines += max(0, to-max(last, from-1))
		last = max(last, to)
	}
}
