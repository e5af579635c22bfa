package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"time"

	"spell-lsp/internal/bench/harness"
	"spell-lsp/spell/scaling"
)

// benchmarks measures benchmarks with sizes in their names, without a counter.
func (b *bench) benchmarks(ctx context.Context) (*harness.Table, error) {
	t := &harness.Table{
		Title: "benchmarks",
		About: fmt.Sprintf("%d functions, each with a benchmark: `grow --bench . --meter none --rounds %d`. A function's cost is its CPU time, a benchmark's the time.", len(b.known), b.rounds),
	}
	return t, b.fillBenchmarks(ctx, t, "--meter", "none")
}

// benchmarksByEnergy measures the same with a simulated counter.
func (b *bench) benchmarksByEnergy(ctx context.Context) (*harness.Table, error) {
	t := &harness.Table{
		Title: "benchmarks with a simulated counter",
		About: fmt.Sprintf("The same functions: `grow --bench . --meter rapl --rounds %d`. The cost is energy. The simulated machine draws %d W when idle, and each processor that runs anything draws %d W more.", b.rounds, idleW, busyW),
	}
	return t, b.withCounter(ctx, func(root string) error {
		return b.fillBenchmarks(ctx, t, "--meter", "rapl", "--powercap-root", root)
	})
}

// fillBenchmarks measures the benchmarks with a meter, and makes the rows of a table.
func (b *bench) fillBenchmarks(ctx context.Context, t *harness.Table, meter ...string) error {
	t.Header = []string{"function", "order", "of the benchmark", "exponent", "of the function", "exponent"}
	began := begin()
	result, err := b.grow(ctx, append([]string{"--bench", ".", "--rounds", strconv.Itoa(b.rounds)}, meter...)...)
	if err != nil {
		return err
	}
	t.Notes = append(t.Notes, began.end())
	var ofBenchmarks, ofFunctions score
	for _, k := range b.known {
		order, exponent := ofBenchmarks.add(k, benchmarkOf(result, k))
		function, power := ofFunctions.add(k, functionOf(result, k))
		t.Row(k.name, k.order, order, exponent, function, power)
	}
	ofBenchmarks.check(t, "benchmarks")
	ofFunctions.check(t, "functions in benchmarks")
	return nil
}

// calls measures ordinary tests, whose calls have sizes.
func (b *bench) calls(ctx context.Context) (*harness.Table, error) {
	known := tested(b.known, func(name string) bool { return bytes.Contains(module, []byte("\nfunc Test"+name+"(")) })
	t := &harness.Table{
		Title:  "calls",
		About:  fmt.Sprintf("%d functions, each with an ordinary test: `measure --meter none --rounds %d`, and `grow` on its run.", len(known), b.rounds),
		Header: []string{"function", "order", "found", "exponent"},
	}
	began := begin()
	if _, err := b.spell(ctx, "measure", "--meter", "none", "--rounds", strconv.Itoa(b.rounds)); err != nil {
		return nil, err
	}
	result, err := b.grow(ctx)
	if err != nil {
		return nil, err
	}
	t.Notes = append(t.Notes, began.end())
	var s score
	for _, k := range known {
		order, exponent := s.add(k, callsOf(result, k))
		t.Row(k.name, k.order, order, exponent)
	}
	s.check(t, "functions by their calls")
	return t, nil
}

// grow runs spell-lsp grow.
func (b *bench) grow(ctx context.Context, args ...string) (*scaling.Result, error) {
	out, err := b.spell(ctx, append([]string{"grow", "--format", "json"}, args...)...)
	if err != nil {
		return nil, err
	}
	var result scaling.Result
	if err := json.Unmarshal(out, &result); err != nil {
		return nil, fmt.Errorf("reading what grow says: %w", err)
	}
	return &result, nil
}

// spell runs the command in the module, and returns its standard output.
func (b *bench) spell(ctx context.Context, args ...string) ([]byte, error) {
	harness.Progress("spell-lsp %s", strings.Join(args, " "))
	cmd := exec.CommandContext(ctx, b.command, append(args, "-C", b.dir)...)
	var said strings.Builder
	cmd.Stderr = &said
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("spell-lsp %s: %w\n%s", args[0], err, strings.TrimSpace(said.String()))
	}
	return out, nil
}

// A beginning is the time and the load when a measurement began.
type beginning struct {
	at   time.Time
	load string
}

func begin() beginning { return beginning{time.Now(), load()} }

// end says how long it took, and what load there was.
func (b beginning) end() string {
	return fmt.Sprintf("Measured in %s; load of the machine before %s, after %s.", time.Since(b.at).Round(time.Second), b.load, load())
}

// load is the mean number of running tasks in the last minute, as Linux tells it.
func load() string {
	text, err := os.ReadFile("/proc/loadavg")
	if err != nil {
		return "not known"
	}
	first, _, _ := strings.Cut(string(text), " ")
	return first
}
