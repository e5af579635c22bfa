package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"

	"spell-lsp/internal/powercapsim"
)

// counterRole is the first argument of a process that simulates the energy counters of a machine.
const counterRole = "simulate-a-counter"

// Of the simulated machine: the power of the idle package, and of a processor that runs anything.
const (
	idleW = 8
	busyW = 10
)

// withCounter calls do while the energy counters of a machine are simulated in a process of its own.
func (b *bench) withCounter(ctx context.Context, do func(root string) error) (err error) {
	dir := filepath.Join(b.scratch, "counter")
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return fmt.Errorf("making the folder of the counters: %w", err)
	}
	params, err := json.Marshal(powercapsim.Params{
		Dir: dir, Seed: 1, Accounts: filepath.Join(dir, "accounts"), OthersWatts: busyW, RealTime: true,
		Zones: []powercapsim.Zone{{Name: "package-0", Watts: idleW, Load: 1}},
	})
	if err != nil {
		return fmt.Errorf("describing the machine: %w", err)
	}
	self, err := os.Executable()
	if err != nil {
		return fmt.Errorf("finding this program: %w", err)
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	cmd := exec.CommandContext(ctx, self, counterRole, string(params))
	cmd.Stderr = os.Stderr
	stop, err := cmd.StdinPipe() // the simulation ends with it
	if err != nil {
		return fmt.Errorf("making a pipe: %w", err)
	}
	truth, err := cmd.StdoutPipe()
	if err != nil {
		return fmt.Errorf("making a pipe: %w", err)
	}
	if err := cmd.Start(); err != nil {
		return fmt.Errorf("simulating counters: %w", err)
	}
	lines := bufio.NewReader(truth)
	_, err = lines.ReadString('\n') // now they are there
	read := make(chan struct{})
	go func() {
		defer close(read)
		_, _ = io.Copy(io.Discard, lines) // what was used is not needed
	}()
	if err == nil {
		err = do(powercapsim.Root(dir))
	}
	_ = stop.Close()
	<-read
	if ended := cmd.Wait(); ended != nil {
		err = errors.Join(err, fmt.Errorf("simulating counters: %w", ended))
	}
	return err
}
