package lsp_test

import (
	"context"
	"errors"
	"fmt"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"golang.org/x/mod/modfile"

	"spell-lsp/lsp"
	"spell-lsp/spell"
	"spell-lsp/spell/gosource"
	"spell-lsp/spell/record"
)

// Costs are what made-up measurements find. Their text has a line each for
//
//	(*Park).Add 600 60 0.6 below   a function, its calls, ms and joules; below resolution
//	sub.F 1 2 3 dram=0.5           one of a package, by the end of its ID; joules of another domain
//	call f g 30                    g ran for 30 ms on behalf of f, a test if that is "-"
//	test TestPark fail             a test and its outcome; the first one ran everything
//	source measured                the default is estimated
//	warning text, fail text        the run has a warning; there is no run
//	partial                        the run was interrupted
//	wait                           the measurement waits to be cancelled or released
type costs struct {
	functions []price
	calls     [][]string
	tests     [][]string
	source    record.Source
	warnings  []string
	fail      string
	partial   bool
	wait      bool
}

// A price is what a function costs.
type price struct {
	name          string
	n, ms, joules float64
	dram          float64
	below         bool
}

func parseCosts(text string) (costs, error) {
	c := costs{source: record.Estimated}
	for _, line := range lines(text) {
		words := strings.Fields(line)
		_, rest, _ := strings.Cut(line, " ")
		switch words[0] {
		case "call":
			c.calls = append(c.calls, words[1:])
		case "test":
			c.tests = append(c.tests, words[1:])
		case "source":
			c.source = record.Source(rest)
		case "warning":
			c.warnings = append(c.warnings, rest)
		case "fail":
			c.fail = rest
		case "partial":
			c.partial = true
		case "wait":
			c.wait = true
		default:
			f, err := parseCost(words)
			if err != nil {
				return c, fmt.Errorf("%q: %w", line, err)
			}
			c.functions = append(c.functions, f)
		}
	}
	if len(c.tests) == 0 {
		c.tests = [][]string{{"TestPark", "pass"}}
	}
	return c, nil
}

func parseCost(words []string) (price, error) {
	c := price{name: words[0]}
	if len(words) < 4 {
		return c, errors.New("calls, ms and joules are missing")
	}
	var problems []error
	number := func(text string) float64 {
		x, err := strconv.ParseFloat(text, 64)
		problems = append(problems, err)
		return x
	}
	c.n, c.ms, c.joules = number(words[1]), number(words[2]), number(words[3])
	for _, word := range words[4:] {
		if dram, ok := strings.CutPrefix(word, "dram="); ok {
			c.dram = number(dram)
		} else if word == "below" {
			c.below = true
		} else {
			problems = append(problems, fmt.Errorf("%q is not known", word))
		}
	}
	return c, errors.Join(problems...)
}

// A bench makes up measurements: it finds the functions as a real one does, in
// the files and the unsaved buffers, and gives them the costs.
type bench struct {
	costs    func() (costs, error)
	requests []lsp.Request
	waiting  chan struct{} // says that a measurement waits
	release  chan struct{}
	runs     int
}

func (b *bench) measure(ctx context.Context, r lsp.Request, progress func(lsp.Progress)) (*record.Run, error) {
	b.requests = append(b.requests, r)
	progress(lsp.Progress{Message: "building", Fraction: -1})
	c, err := b.costs()
	if err != nil {
		return nil, err
	}
	if c.wait {
		b.waiting <- struct{}{}
		select {
		case <-b.release:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
	if c.fail != "" {
		return nil, errors.New(c.fail)
	}
	return b.invent(r, c)
}

// invent makes the run of a request.
func (b *bench) invent(r lsp.Request, c costs) (*record.Run, error) {
	b.runs++
	run := &record.Run{
		Schema: record.Schema, ID: fmt.Sprintf("20261120T180000Z-%04d", b.runs), Started: time.Date(2026, 11, 20, 18, 0, 0, 0, time.UTC),
		Workspace: record.Workspace{Root: "."}, Mode: "instrument", Granularity: spell.KindFunction, Rounds: 3,
		Meter: record.Meter{Name: "model", Source: c.source, Domains: []spell.Domain{spell.CPU}}, Warnings: c.warnings, Partial: c.partial,
	}
	if slices.ContainsFunc(c.functions, func(f price) bool { return f.dram > 0 }) {
		run.Meter.Domains = append(run.Meter.Domains, spell.DRAM)
	}
	if c.source == record.NoEnergy {
		run.Meter.Domains = nil
	}
	for _, t := range c.tests {
		run.Tests = append(run.Tests, record.Test{Name: "example.com/park." + t[0], Outcome: record.Outcome(t[1]), Rounds: 3})
	}
	run.Matrix.Domains = run.Meter.Domains
	found, err := declared(r)
	for _, f := range found {
		i := slices.IndexFunc(c.functions, func(k price) bool {
			return f.ID == k.name || strings.HasSuffix(f.ID, "/"+k.name) || strings.TrimPrefix(f.ID, f.Package+".") == k.name
		})
		if i >= 0 {
			run.Matrix.Add(record.Cell{C: len(run.Components), N: c.functions[i].n, TimeMS: c.functions[i].ms, EnergyJ: c.functions[i].energy(c.source)})
			run.Components = append(run.Components, c.functions[i].component(f, c.source))
		}
	}
	run.CallTree = callTree(run, c.calls)
	run.Analyze(spell.Options{Oracle: r.Settings.Oracle, Weights: r.Settings.Weights, Zones: r.Settings.ZoneRule()}, r.Settings.IncludeFailed)
	return run, err
}

func (c price) energy(source record.Source) record.Energy {
	e := record.Energy{}
	if source == record.NoEnergy {
		return e
	}
	e[spell.CPU] = c.joules
	if c.dram > 0 {
		e[spell.DRAM] = c.dram
	}
	return e
}

func (c price) component(f spell.Component, source record.Source) record.Component {
	e := c.energy(source)
	return record.Component{
		ID: f.ID, Kind: f.Kind, Package: f.Package, File: f.File, Line: f.Line, Column: f.Column, EndLine: f.EndLine, Hash: f.Hash,
		N: c.n, TimeMS: c.ms, EnergyJ: e, CumTimeMS: c.ms, CumEnergyJ: e, PsiCI: [2]float64{0.1, 0.2}, BelowResolution: c.below,
	}
}

// callTree makes a node of each call, below the first one of its caller.
func callTree(run *record.Run, calls [][]string) []record.CallNode {
	index := func(name string) int {
		return slices.IndexFunc(run.Components, func(c record.Component) bool { return strings.HasSuffix(c.ID, "."+name) })
	}
	var nodes []record.CallNode
	for _, c := range calls {
		parent, ms := index(c[0]), 0.0
		at := slices.IndexFunc(nodes, func(n record.CallNode) bool { return parent >= 0 && n.Component == parent })
		if ms, _ = strconv.ParseFloat(c[2], 64); index(c[1]) >= 0 {
			nodes = append(nodes, record.CallNode{Parent: at, Component: index(c[1]), TimeMS: ms})
		}
	}
	return nodes
}

// declared finds the functions of all files but tests below the folder of a
// request, by the modules that they are in.
func declared(r lsp.Request) ([]spell.Component, error) {
	packages := map[string][][]gosource.Func{}
	root := r.Dir + string(filepath.Separator) // follows a link
	err := filepath.WalkDir(root, func(path string, _ os.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return err
		}
		text, ok := r.Buffers[path]
		if !ok {
			if text, err = os.ReadFile(path); err != nil {
				return err
			}
		}
		fset := token.NewFileSet()
		file, err := parser.ParseFile(fset, path, text, parser.ParseComments)
		if err != nil {
			return err
		}
		packages[filepath.Dir(path)] = append(packages[filepath.Dir(path)], gosource.Functions(fset, file, text))
		return nil
	})
	var found []spell.Component
	dirs := make([]string, 0, len(packages))
	for dir := range packages {
		dirs = append(dirs, dir)
	}
	slices.Sort(dirs)
	for _, dir := range dirs {
		name, module := importPath(dir)
		if module != r.Dir && !strings.HasPrefix(r.Dir, module) {
			continue // a module of its own below the one that is measured
		}
		gosource.Number(packages[dir])
		rel, relErr := filepath.Rel(r.Dir, dir)
		err = errors.Join(err, relErr)
		for _, funcs := range packages[dir] {
			for i := range funcs {
				found = append(found, funcs[i].Component(name, filepath.ToSlash(filepath.Join(rel, filepath.Base(funcs[i].File)))))
			}
		}
	}
	return found, err
}

// importPath gives the path of the package in a folder, and its module's
// folder.
func importPath(dir string) (path, module string) {
	for at := dir; ; at = filepath.Dir(at) {
		if text, err := os.ReadFile(filepath.Join(at, "go.mod")); err == nil {
			rel, _ := filepath.Rel(at, dir)
			return strings.TrimSuffix(modfile.ModulePath(text)+"/"+filepath.ToSlash(rel), "/."), at
		}
		if at == filepath.Dir(at) {
			return "example.com/nowhere", dir
		}
	}
}
