package main

import (
	"embed"
	"fmt"
	"os"
	"path/filepath"
	"text/template"
	"time"

	"spell-lsp/internal/powercapsim"
)

// A workload is a program whose functions use known power.
type workload struct {
	name, about       string
	functions         []function    // numbered in this order
	goroutines        int           // each calls the functions in random order
	shortest, longest time.Duration // durations of calls are log-uniform between these
	each              time.Duration // sum of the calls' durations on each goroutine, in one run of the test
	rounds            int
	neighbour         float64 // fraction of a processor that another process uses
	child             bool    // the functions are called in a child process of the test
	period            string  // of the machine's counters; "" for broadwell
	bars              bars
	// calleeW, if not nil, makes each function run a tenth of its time itself, and call Callee for
	// the rest, which then draws so many watts, by function.
	calleeW []float64
	// excuse is the reason why another method may be nearer to the truth; "" if none may.
	excuse string
}

// A function is a function of a workload.
type function struct {
	name  string
	watts float64
	kind  kind
}

// A kind is what a function does.
type kind string

const (
	computes    kind = "computes"
	sleeps      kind = "sleeps"
	waitsMostly kind = "waits nine tenths of its time"
	waitsAlways kind = "waits nearly always"
	allocates   kind = "allocates"
)

//go:embed testdata/*.tmpl
var templates embed.FS

// workModule is the module of a workload, and its only package.
const workModule = "example.com/work"

// write makes the workload's module in a new folder.
func (w *workload) write(dir string) error {
	if err := powercapsim.WriteBurn(filepath.Join(dir, "burn")); err != nil {
		return err
	}
	work := filepath.Join(dir, "work")
	if err := os.MkdirAll(work, 0o755); err != nil {
		return fmt.Errorf("making the workload's folder: %w", err)
	}
	mod := "module " + workModule + "\n\ngo 1.26\n\nrequire " + powercapsim.BurnModule + " v0.0.0\n\nreplace " + powercapsim.BurnModule + " => ../burn\n"
	if err := os.WriteFile(filepath.Join(work, "go.mod"), []byte(mod), 0o600); err != nil {
		return fmt.Errorf("writing the workload's go.mod: %w", err)
	}
	for _, name := range []string{"functions.go", "work_test.go"} {
		if err := w.fill(name, filepath.Join(work, name)); err != nil {
			return fmt.Errorf("writing the workload's %s: %w", name, err)
		}
	}
	return nil
}

// fill writes a file from its template.
func (w *workload) fill(name, path string) error {
	t, err := template.ParseFS(templates, "testdata/"+name+".tmpl")
	if err != nil {
		return err
	}
	type numbered struct {
		Number int
		Name   string
		Watts  float64
		Kind   string
		// Of what it calls: the number of the account, and the power.
		Callee      int
		CalleeWatts float64
	}
	data := struct {
		Functions               []numbered
		Goroutines              int
		Child, Calls            bool
		Shortest, Longest, Each time.Duration
	}{nil, w.goroutines, w.child, w.calleeW != nil, w.shortest, w.longest, w.each}
	for i, f := range w.functions {
		n := numbered{Number: i, Name: f.name, Watts: f.watts, Kind: string(f.kind)}
		if w.calleeW != nil {
			n.Callee, n.CalleeWatts = len(w.functions)+i, w.calleeW[i]
		}
		data.Functions = append(data.Functions, n)
	}
	file, err := os.Create(path)
	if err != nil {
		return err
	}
	if err := t.Execute(file, data); err != nil {
		file.Close()
		return err
	}
	return file.Close()
}
