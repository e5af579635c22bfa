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
	if _, err := harness.Go(ctx, dir, "test", "-c", "-o", program, "."); err != nil {
		return err
	}
	sim, err := startSimulator(ctx, tree, w)
	if err != nil {
		return err
	}
	cmd := exec.CommandContext(ctx, program, "-test.count="+fmt.Sprint(w.rounds), "-test.cpuprofile="+profiled)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), sim.variable(), burn.BracketVariable+"="+filepath.Join(sim.root(), "intel-rapl:0"))
	out, err := cmd.CombinedOutput()
	t, ended := sim.end()
	if err != nil {
		return errors.Join(fmt.Errorf("running the workload: %w\n%s", err, bytes.TrimSpace(out)), ended)
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
