package main

import (
	"embed"
	"fmt"
	"os"
	"path/filepath"
	"strings"
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
	child             bool    // the functions are called in a child process of the test, the same program
	built             bool    // the same, in a program that the test builds
	server            bool    // the functions are called by a server under load; there is no test
	period            string  // of the machine's counters; "" for broadwell
	physics           string  // of the machine, by the flag -physics of the role sim; "" for one that adds up
	late              float64 // share of the energy that its counters show late
	othersW           float64 // what a processor draws that runs processes which are no part of the workload, spell-lsp's among them
	apart             bool    // each goroutine calls the function of its number
	cores             bool    // the machine has a counter for each core
	pauses            bool    // all goroutines but the first wait as long as they compute
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
	for _, name := range w.files() {
		if err := w.fill(name, w.path(work, name)); err != nil {
			return fmt.Errorf("writing the workload's %s: %w", name, err)
		}
	}
	return nil
}

// linear says whether the power of the machine is the sum of what its functions draw alone.
func (w *workload) linear() bool { return w.physics == "" && w.late == 0 }

// files are the names of the module's files.
func (w *workload) files() []string {
	switch {
	case w.built:
		return []string{"functions.go", "work_test.go", "worker.go"}
	case w.server:
		return []string{"functions.go", "server.go", "load.go"}
	}
	return []string{"functions.go", "work_test.go"}
}

// path is where a file of the workload is written: programs have folders of their own.
func (w *workload) path(dir, name string) string {
	if program, _ := strings.CutSuffix(name, ".go"); program == "worker" || program == "server" || program == "load" {
		return filepath.Join(dir, program, "main.go")
	}
	return filepath.Join(dir, name)
}

// fill writes a file from its template.
func (w *workload) fill(name, path string) error {
	t, err := template.ParseFS(templates, "testdata/"+name+".tmpl", "testdata/calls.tmpl")
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
		Apart                   bool
		Functions               []numbered
		Goroutines              int
		Child, Built, Calls     bool
		OwnThreads              bool // see burn.OnOwnThread
		Shortest, Longest, Each time.Duration
		Pauses                  bool
		Package                 string // of the functions, for another one that calls them
	}{Apart: w.apart, Goroutines: w.goroutines, Child: w.child, Built: w.built, Calls: w.calleeW != nil, Pauses: w.pauses, Shortest: w.shortest, Longest: w.longest, Each: w.each}
	if name == "worker.go" {
		data.Package = "work."
	}
	for i, f := range w.functions {
		n := numbered{Number: i, Name: f.name, Watts: f.watts, Kind: string(f.kind)}
		if w.calleeW != nil {
			n.Callee, n.CalleeWatts = len(w.functions)+i, w.calleeW[i]
		}
		data.Functions = append(data.Functions, n)
		// The collector would use the threads of goroutines that it interrupts.
		data.OwnThreads = data.OwnThreads || data.Calls || f.kind == allocates
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
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
