package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"spell-lsp/internal/bench/harness"
	"spell-lsp/spell/record"
	"spell-lsp/spell/record/recordjson"
)

// A prover makes the rows.
type prover struct {
	scratch string // a temporary folder
	memory  string // a temporary folder for mapped files, on a memory file system if there is one
	command string // the executable of spell-lsp
}

// measureAll makes the rows and callerRows whose names match, and compares the given number of
// pairs of measurements of one program. command is the executable of spell-lsp; ""
// builds it.
func measureAll(ctx context.Context, command string, rows []workload, callers []callerWorkload, pairs int, match func(name string) bool) (r *report, err error) {
	p := &prover{command: command}
	if p.scratch, err = harness.Folder(""); err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(p.scratch)) }()
	if p.memory, err = harness.Folder("/dev/shm"); err != nil {
		p.memory, err = harness.Folder(p.scratch)
	}
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(p.memory)) }()
	if p.command == "" {
		if p.command, err = harness.BuildCommand(ctx, p.scratch); err != nil {
			return nil, err
		}
	}
	r = &report{Load: []string{load()}, outside: notCovered}
	for _, w := range rows {
		if match(w.name) {
			r.Rows = append(r.Rows, p.row(ctx, &w))
		}
	}
	for _, w := range callers {
		if match(w.name) {
			r.Callers = append(r.Callers, p.callers(ctx, w))
		}
	}
	if pairs > 0 && match(pairsName) {
		r.Same = p.pairs(ctx, pairs)
	}
	r.Load = append(r.Load, load())
	return r, ctx.Err()
}

// smoke makes two rows with little data in less than a minute, also for tests.
func smoke(ctx context.Context, command string) (*report, error) {
	r, err := measureAll(ctx, command, shortened(workloads()), nil, 0, func(string) bool { return true })
	if r != nil {
		r.outside = 3 * notCovered // of seven functions
	}
	return r, err
}

// load is the machine's load averages (proc(5)): with other programs about,
// values are worse.
func load() string {
	text, err := os.ReadFile("/proc/loadavg")
	if err != nil {
		return "not known"
	}
	return strings.Join(strings.Fields(string(text))[:3], " ")
}

// row makes a row. If the workload could not be measured, the row has a Fault.
func (p *prover) row(ctx context.Context, w *workload) *row {
	r := &row{Name: w.name, About: w.about, bars: w.bars, excuse: w.excuse}
	dir, err := harness.Folder(p.scratch)
	if err == nil {
		err = w.write(dir)
	}
	if err == nil && w.server {
		_, err = harness.Go(ctx, filepath.Join(dir, "work"), "build", "-o", "load/load", "./load")
	}
	if err == nil {
		harness.Progress("%s: measuring", w.name)
		err = p.ours(ctx, filepath.Join(dir, "work"), w, r)
	}
	if err == nil {
		harness.Progress("%s: measuring without probes", w.name)
		err = p.sampled(ctx, filepath.Join(dir, "work"), w, r)
	}
	if err == nil {
		err = p.simpler(ctx, filepath.Join(dir, "work"), w, r)
	}
	if err == nil {
		harness.Progress("%s: other methods", w.name)
		err = p.others(ctx, filepath.Join(dir, "work"), w, r)
	}
	if err != nil {
		r.Fault = err.Error()
		return r
	}
	r.score()
	return r
}

// ours measures the module in dir with the command, with probes.
func (p *prover) ours(ctx context.Context, dir string, w *workload, r *row) error {
	run, t, err := p.onMachine(ctx, dir, w, "instrument")
	if err != nil {
		return err
	}
	return r.take(w, run, t)
}

// sampled measures the module in dir with the command, without probes.
func (p *prover) sampled(ctx context.Context, dir string, w *workload, r *row) error {
	run, t, err := p.onMachine(ctx, dir, w, "sample")
	if err != nil {
		return err
	}
	return r.takeSampled(w, run, t)
}

// simpler measures the module in dir with the linear model and without counters of cores, if the machine is not linear or has such
// counters.
func (p *prover) simpler(ctx context.Context, dir string, w *workload, r *row) error {
	if w.linear() && !w.cores {
		return nil
	}
	harness.Progress("%s: measuring with a simpler model", w.name)
	without := *w
	without.cores = false
	run, t, err := p.onMachine(ctx, dir, &without, "instrument", "--power", "linear")
	if err != nil {
		return err
	}
	return r.takeSimpler(w, run, t)
}

// onMachine measures the module in dir with the command, on a new simulated machine.
func (p *prover) onMachine(ctx context.Context, dir string, w *workload, mode string, more ...string) (*record.Run, *truth, error) {
	tree, err := harness.Folder(p.memory)
	if err != nil {
		return nil, nil, err
	}
	sim, err := startSimulator(ctx, tree, w)
	if err != nil {
		return nil, nil, err
	}
	var run *record.Run
	if w.cores && mode == "instrument" && len(more) == 0 {
		run, err = p.byCores(ctx, dir, sim, w.rounds)
	} else {
		run, err = p.measure(ctx, dir, sim, w.rounds, mode, append(w.scenario(), more...)...)
	}
	t, ended := sim.end()
	return run, t, errors.Join(err, ended)
}

// scenario are the arguments that have a program measured in place of tests.
func (w *workload) scenario() []string {
	if !w.server {
		return nil
	}
	return []string{"--exec", "./server", "--ready", "listening at (.*)", "--load", "./load/load $1"}
}

// measure is one measurement by the command, without warm-up.
func (p *prover) measure(ctx context.Context, dir string, sim *simulator, rounds int, mode string, more ...string) (*record.Run, error) {
	out := filepath.Join(dir, "..", "run.json")
	args := []string{
		"measure", "--no-calm", "-C", dir, "--meter", "rapl", "--powercap-root", sim.root(), "--mode", mode,
		"--warmup", "0", "--rounds", fmt.Sprint(rounds), "--format", "json", "-o", out,
	}
	if mode == "sample" {
		args = append(args, "--no-counts") // in a round of counts nothing is measured, and the truth would have it
	}
	return result(exec.CommandContext(ctx, p.command, append(args, more...)...), sim, out)
}

// byCores is one measurement by the counters of single cores, without warm-up.
func (p *prover) byCores(ctx context.Context, dir string, sim *simulator, rounds int) (*record.Run, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, fmt.Errorf("finding this program: %w", err)
	}
	out := filepath.Join(dir, "..", "run.json")
	return result(exec.CommandContext(ctx, self, "cores", "-dir", dir, "-powercap-root", sim.root(), "-rounds", fmt.Sprint(rounds), "-o", out), sim, out)
}

// result is what a measurement by a command writes to a file. All tests must pass.
func result(cmd *exec.Cmd, sim *simulator, file string) (*record.Run, error) {
	cmd.Env = append(os.Environ(), sim.variable())
	var said bytes.Buffer
	cmd.Stdout, cmd.Stderr = &said, &said
	if err := cmd.Run(); err != nil {
		return nil, fmt.Errorf("measuring: %w\n%s", err, strings.TrimSpace(said.String()))
	}
	f, err := os.Open(file)
	if err != nil {
		return nil, fmt.Errorf("reading the record: %w", err)
	}
	defer f.Close()
	run, err := recordjson.Read(f)
	if err != nil {
		return nil, err
	}
	for _, test := range run.Tests {
		if test.Outcome != record.Pass {
			return nil, fmt.Errorf("%s: %s\n%s", test.Name, test.Outcome, test.Output)
		}
	}
	return run, nil
}
