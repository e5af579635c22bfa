package main

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"

	"github.com/google/pprof/profile"

	"spell-lsp/internal/bench/harness"
	"spell-lsp/internal/powercapsim/burn"
)

// others runs the workload without probes and applies all other methods to the same
// execution: none of them disturbs it much.
func (p *prover) others(ctx context.Context, dir string, w *workload, r *row) error {
	tree, err := harness.Folder(p.memory)
	if err != nil {
		return err
	}
	program, profiled := filepath.Join(dir, "..", "work.test"), filepath.Join(dir, "..", "cpu.pprof")
	build := []string{"test", "-c", "-o", program, "."}
	if w.server {
		build = []string{"build", "-o", program, "./server"}
	}
	if _, err := harness.Go(ctx, dir, build...); err != nil {
		return err
	}
	sim, err := startSimulator(ctx, tree, w)
	if err != nil {
		return err
	}
	args := []string{"-test.count=" + fmt.Sprint(w.rounds), "-test.cpuprofile=" + profiled}
	if w.server {
		args = []string{"-cpuprofile", profiled}
	}
	cmd := exec.CommandContext(ctx, program, args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), sim.variable(), burn.BracketVariable+"="+filepath.Join(sim.root(), "intel-rapl:0"))
	if w.server {
		err = serve(ctx, cmd)
	} else {
		err = withOutput(cmd)
	}
	t, ended := sim.end()
	if err != nil {
		return errors.Join(fmt.Errorf("running the workload: %w", err), ended)
	}
	if ended != nil {
		return ended
	}
	shares, err := profileShares(profiled)
	if err != nil {
		return err
	}
	return r.takeOthers(w, t, shares)
}

// withOutput runs a command, whose output is part of the error.
func withOutput(cmd *exec.Cmd) error {
	out, err := cmd.CombinedOutput()
	if err != nil {
		return fmt.Errorf("%w\n%s", err, bytes.TrimSpace(out))
	}
	return nil
}

// serve runs a server under its load, once, and stops it.
func serve(ctx context.Context, server *exec.Cmd) error {
	out, err := server.StdoutPipe()
	if err != nil {
		return err
	}
	server.Stderr = os.Stderr
	if err := server.Start(); err != nil {
		return err
	}
	line, err := bufio.NewReader(out).ReadString('\n')
	if err == nil {
		_, address, _ := strings.Cut(strings.TrimSpace(line), "listening at ")
		load := exec.CommandContext(ctx, "./load/load", address)
		load.Dir = server.Dir
		err = withOutput(load)
	}
	return errors.Join(err, server.Process.Signal(syscall.SIGTERM), server.Wait())
}

// profileShares are the shares of a CPU profile's samples by function of the
// workload. A sample belongs to the function nearest to the leaf of its stack.
func profileShares(path string) (map[string]float64, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("reading the CPU profile: %w", err)
	}
	defer f.Close()
	p, err := profile.Parse(f)
	if err != nil {
		return nil, fmt.Errorf("reading the CPU profile: %w", err)
	}
	return shares(p), nil
}

func shares(p *profile.Profile) map[string]float64 {
	all := make(map[string]float64)
	var sum float64
	for _, s := range p.Sample {
		value := float64(s.Value[len(s.Value)-1]) // ns
		sum += value
		if name, ok := leafmost(s); ok {
			all[name] += value
		}
	}
	for name := range all {
		all[name] /= sum
	}
	return all
}

func leafmost(s *profile.Sample) (name string, ok bool) {
	for _, location := range s.Location {
		for _, line := range location.Line {
			if line.Function == nil {
				continue
			}
			if name, ok := strings.CutPrefix(line.Function.Name, workModule+"."); ok {
				name, _, _ = strings.Cut(name, ".") // a function literal counts for its function
				return name, true
			}
		}
	}
	return "", false
}
