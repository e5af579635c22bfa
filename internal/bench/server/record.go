package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"spell-lsp/spell"
	"spell-lsp/spell/record"
	"spell-lsp/spell/record/ranking"
	"spell-lsp/spell/record/recordjson"
)

// run makes up a run record of all functions in the workspace: two tests execute each
// function, and a third of its use is on behalf of another function of its file. The
// values are always the same.
func (w *workspace) run() *record.Run {
	domains := []spell.Domain{spell.CPU, spell.DRAM}
	run := &record.Run{
		Schema: record.Schema, ID: "20261120T180000Z-3f9a", Started: time.Date(2026, 11, 20, 18, 0, 0, 0, time.UTC), DurationMS: 60_000,
		Workspace: record.Workspace{Root: w.dir, Module: "example.com/" + filepath.Base(w.dir)},
		Meter:     record.Meter{Name: "rapl", Source: record.Measured, Domains: domains, ResolutionMS: 1},
		Mode:      "instrument", Granularity: spell.KindFunction, Rounds: 10, Converged: true,
		Matrix: record.Matrix{Domains: domains},
	}
	for _, name := range w.tests {
		run.Tests = append(run.Tests, record.Test{Name: name, Outcome: record.Pass, Rounds: 10, EnergyJ: record.Energy{}, UnattributedJ: record.Energy{}})
	}
	for _, f := range w.files {
		first := len(run.CallTree) // the file's first function calls the others
		for i := range f.functions {
			c := invent(run, f.functions[i].Component(f.pkg, f.name))
			run.CallTree = append(run.CallTree, record.CallNode{Parent: -1, Component: len(run.Components), TimeMS: c.TimeMS * 2 / 3})
			if i > 0 {
				run.CallTree = append(run.CallTree, record.CallNode{Parent: first, Component: len(run.Components), TimeMS: c.TimeMS / 3})
			}
			run.Components = append(run.Components, c)
		}
	}
	ranking.Analyze(run, spell.Options{Order: spell.OrderAuto}, false)
	return run
}

// invent makes up the use of the next component, and adds it to the tests and the
// matrix.
func invent(run *record.Run, source spell.Component) record.Component {
	i := len(run.Components)
	n, ms := float64(1+i*7919%1000), 0.01+float64(i*104_729%5000)/1000
	energy := record.Energy{spell.CPU: ms * 0.012, spell.DRAM: ms * 0.002}
	for _, t := range []int{i % len(run.Tests), (i/len(run.Tests) + i + 1) % len(run.Tests)} {
		half := record.Energy{spell.CPU: energy[spell.CPU] / 2, spell.DRAM: energy[spell.DRAM] / 2}
		run.Matrix.Add(record.Cell{T: t, C: i, N: n, TimeMS: ms / 2, EnergyJ: half})
		test := &run.Tests[t]
		test.TimeMS += ms / 2
		for d, joules := range half {
			test.EnergyJ[d] += joules
		}
	}
	return record.Component{
		ID: source.ID, Kind: source.Kind, Package: source.Package, File: source.File,
		Line: source.Line, Column: source.Column, EndLine: source.EndLine, Hash: source.Hash,
		N: 2 * n, TimeMS: ms, WallMS: ms, EnergyJ: energy, CumTimeMS: ms, CumEnergyJ: energy,
	}
}

// save writes the made-up run to a file and returns its name.
func (w *workspace) save() (name string, err error) {
	name = w.dir + ".json"
	f, err := os.Create(name)
	if err != nil {
		return "", fmt.Errorf("creating a record: %w", err)
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	return name, recordjson.Write(f, w.run())
}
