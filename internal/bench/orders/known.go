package main

import (
	_ "embed"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"math"
	"os"
	"strconv"
	"strings"

	"golang.org/x/tools/txtar"
)

//go:embed testdata/orders.txtar
var module []byte

// A known function is one whose comment says its order.
type known struct {
	name      string    // without package and receiver: unique
	order     string    // as growth.Formula.Model has it
	exponents []float64 // by size; none where the order is no power
}

// layOut writes the module to a folder, and says what it knows.
func layOut(dir string) ([]known, error) {
	archive := txtar.Parse(module)
	files, err := txtar.FS(archive)
	if err != nil {
		return nil, fmt.Errorf("reading the module: %w", err)
	}
	if err := os.CopyFS(dir, files); err != nil {
		return nil, fmt.Errorf("writing the module: %w", err)
	}
	return knownIn(archive)
}

// knownIn are the functions with a line "Order: n^2" in their comments.
func knownIn(archive *txtar.Archive) (all []known, err error) {
	for _, file := range archive.Files {
		if !strings.HasSuffix(file.Name, ".go") {
			continue
		}
		syntax, err := parser.ParseFile(token.NewFileSet(), file.Name, file.Data, parser.ParseComments)
		if err != nil {
			return nil, fmt.Errorf("reading the module: %w", err)
		}
		for _, d := range syntax.Decls {
			f, ok := d.(*ast.FuncDecl)
			if !ok {
				continue
			}
			if _, order, ok := strings.Cut(f.Doc.Text(), "\nOrder: "); ok {
				order = strings.TrimSpace(order)
				all = append(all, known{f.Name.Name, order, exponentsOf(order)})
			}
		}
	}
	if len(all) == 0 {
		return nil, errors.New("the module has no functions of known order")
	}
	return all, nil
}

// exponentsOf are the powers of an order that is a product of powers.
func exponentsOf(order string) []float64 {
	if order == "constant" {
		return []float64{0}
	}
	var all []float64
	for i, factor := range strings.Split(order, "*") {
		size, power, raised := strings.Cut(factor, "^")
		if size != []string{"n", "m"}[min(i, 1)] {
			return nil // n log n, 2^n, n + m
		}
		exponent := 1.0
		if raised {
			exponent, _ = strconv.ParseFloat(power, 64)
		}
		all = append(all, exponent)
	}
	return all
}

// near is how far a fitted power may be from the one that is known, to be called the same order.
const near = 0.1

// is tells whether an order that was found is the known one.
func (k known) is(found string) bool {
	if found == k.order {
		return true
	}
	if len(k.exponents) != 1 || k.exponents[0] == math.Trunc(k.exponents[0]) {
		return false // a free power is no n^2
	}
	e := exponentsOf(found)
	return len(e) == 1 && math.Abs(e[0]-k.exponents[0]) <= near
}
