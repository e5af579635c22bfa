package lsp_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"golang.org/x/mod/modfile"

	"spell-lsp/lsp"
	"spell-lsp/lsp/render"
	"spell-lsp/spell"
	"spell-lsp/spell/gosource"
	"spell-lsp/spell/record"
	"spell-lsp/spell/record/grouping"
	"spell-lsp/spell/record/ranking"
	"spell-lsp/spell/settings"
)

// A simulation stands for the measurements: it finds functions in files and unsaved buffers as a
// measurement does, and gives them the costs of an archive.
type simulation struct {
	costs    func() (costs, error)
	requests []lsp.Request
	waiting  chan struct{} // receives a value when a measurement waits for release
	release  chan struct{}
	runs     int
}

func (b *simulation) measure(ctx context.Context, r lsp.Request, progress func(lsp.Progress)) (*record.Run, error) {
	b.requests = append(b.requests, r)
	progress(lsp.Progress{Message: "building", Fraction: -1})
	c, err := b.costs()
	if err != nil {
		return nil, err
	}
	if r.Scenarios != nil {
		progress(lsp.Progress{Message: "round 1 of 3", Fraction: 0.1, Live: c.live()})
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

// live returns what is shown of a program while it runs.
func (c costs) live() []render.LiveRow {
	var rows []render.LiveRow
	var all float64
	for _, f := range c.functions {
		all += f.ms
	}
	for _, f := range c.functions {
		rows = append(rows, render.LiveRow{ID: "example.com/park." + f.name, Share: f.ms / all})
	}
	return rows
}

// load returns the run that a file of costs describes, as a run of the file's folder.
func (b *simulation) load(path string, s settings.Settings) (*record.Run, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	c, err := parseCosts(string(text))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", filepath.Base(path), err)
	}
	return b.invent(lsp.Request{Dir: realPath(filepath.Dir(path)), Settings: s}, c)
}

// invent returns the run of a request.
func (b *simulation) invent(r lsp.Request, c costs) (*record.Run, error) {
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
	for _, name := range slices.Sorted(maps.Keys(r.Scenarios)) {
		exitCode := 0
		run.Tests = append(run.Tests, record.Test{Name: "example.com/park." + name, Package: "example.com/park", Outcome: record.Pass, Rounds: 3, ExitCode: &exitCode})
	}
	if r.Scenarios != nil {
		run.Settings = settings.Settings{Scenarios: r.Scenarios}.Map()
		c.tests = nil
	}
	for _, t := range c.tests {
		run.Tests = append(run.Tests, record.Test{Name: "example.com/park." + t[0], Outcome: record.Outcome(t[1]), Rounds: 3})
	}
	run.Matrix.Domains = run.Meter.Domains
	found, err := declared(r)
	for _, f := range append(found, c.placed()...) {
		i := slices.IndexFunc(c.functions, func(k price) bool {
			return f.ID == k.name || strings.HasSuffix(f.ID, "/"+k.name) || strings.TrimPrefix(f.ID, f.Package+".") == k.name
		})
		if i >= 0 {
			run.Matrix.Add(record.Cell{C: len(run.Components), N: c.functions[i].n, TimeMS: c.functions[i].ms, EnergyJ: c.functions[i].energy(c.source)})
			run.Components = append(run.Components, c.functions[i].component(f, c.source))
		}
	}
	run.CallTree = callTree(run, c.calls)
	if c.kind != "" {
		grouped, groupErr := grouping.Regroup(run, c.kind)
		run, err = grouped, errors.Join(err, groupErr)
		groups, _ := spell.Group(found, c.kind)
		for i := range run.Components { // the hash covers all functions in it, also those that did not run
			is := func(g spell.Component) bool { return g.ID == run.Components[i].ID }
			if at := slices.IndexFunc(groups, is); at >= 0 {
				run.Components[i].Hash = groups[at].Hash
			}
		}
	}
	c.series(run)
	ranking.Analyze(run, r.Settings.Analysis(), r.Settings.IncludeFailed)
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

// placed returns the components that have a place and no hash.
func (c costs) placed() []spell.Component {
	var list []spell.Component
	for _, f := range c.functions {
		if at := strings.Split(f.at, ":"); len(at) == 3 {
			line, _ := strconv.Atoi(at[1])
			column, _ := strconv.Atoi(at[2])
			list = append(list, spell.Component{ID: f.name, Kind: spell.KindFunction, File: at[0], Line: line, Column: column})
		}
	}
	return list
}

// series invents rounds that differ by a thousandth.
func (c costs) series(run *record.Run) {
	if c.rounds == 0 {
		return
	}
	run.Rounds = c.rounds
	about := func(mean float64) (values []float64) {
		for i := range c.rounds {
			values = append(values, mean*(1+0.001*float64(i%3-1)+0.0001*float64(i)))
		}
		return values
	}
	joules, ms := 0.0, 0.0
	for i := range run.Components {
		k := &run.Components[i]
		k.RoundEnergyJ, k.RoundTimeMS = map[spell.Domain][]float64{spell.CPU: about(k.EnergyJ.Total())}, about(k.TimeMS)
		joules, ms = joules+k.EnergyJ.Total(), ms+k.TimeMS
	}
	t := &run.Tests[0]
	t.Rounds, t.EnergyJ, t.TimeMS = c.rounds, record.Energy{spell.CPU: joules}, ms
	t.RoundEnergyJ, t.RoundTimeMS = map[spell.Domain][]float64{spell.CPU: about(joules)}, about(ms)
}

// callTree returns a node for each call, below the first node of its caller.
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

// declared returns the functions of the module in the folder of a request, without tests.
func declared(r lsp.Request) ([]spell.Component, error) {
	packages, texts, err := goFiles(r)
	var found []spell.Component
	dirs := make([]string, 0, len(packages))
	for dir := range packages {
		dirs = append(dirs, dir)
	}
	slices.Sort(dirs)
	for _, dir := range dirs {
		name, module := importPath(dir)
		if module != r.Dir && !strings.HasPrefix(r.Dir, module) {
			continue // another module inside the measured one
		}
		gosource.Number(packages[dir])
		rel, relErr := filepath.Rel(r.Dir, dir)
		err = errors.Join(err, relErr)
		for _, funcs := range packages[dir] {
			for i := range funcs {
				f := funcs[i].Component(name, filepath.ToSlash(filepath.Join(rel, filepath.Base(funcs[i].File))))
				found = append(found, f)
				if r.Block == f.ID {
					found = append(found, blocksOf(f, funcs[i].Name, texts[funcs[i].File])...)
				}
			}
		}
	}
	return found, err
}

// importPath returns the import path of the package in a folder, and the folder of its module.
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
