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
	"strconv"

	"spell-lsp/internal/powercapsim"
	"spell-lsp/internal/powercapsim/burn"
)

// A simulator is a simulated machine in a separate process, with a neighbour if the
// workload has one.
type simulator struct {
	dir       string
	machine   *child
	neighbour *child         // nil if there is none
	lines     *bufio.Scanner // output of the machine
}

// A child is a process that runs until its standard input ends.
type child struct {
	cmd   *exec.Cmd
	stdin io.Closer
	out   io.Reader
}

// start starts this program as a child in another role.
func start(ctx context.Context, env []string, args ...string) (*child, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, fmt.Errorf("finding this program: %w", err)
	}
	c := &child{cmd: exec.CommandContext(ctx, self, args...)}
	c.cmd.Env, c.cmd.Stderr = append(os.Environ(), env...), os.Stderr
	in, err := c.cmd.StdinPipe()
	if err == nil {
		c.stdin = in
		if c.out, err = c.cmd.StdoutPipe(); err == nil {
			err = c.cmd.Start()
		}
	}
	if err != nil {
		return nil, fmt.Errorf("starting accuracy %s: %w", args[0], err)
	}
	return c, nil
}

func (c *child) end() error {
	if err := errors.Join(c.stdin.Close(), c.cmd.Wait()); err != nil {
		return fmt.Errorf("%s: %w", filepath.Base(c.cmd.Path), err)
	}
	return nil
}

// startSimulator starts the machine of a workload, with its tree in dir.
func startSimulator(ctx context.Context, dir string, w *workload) (*simulator, error) {
	s := &simulator{dir: dir}
	args := []string{"sim", "-until-eof", "-json", "-dir", dir, "-range-uj", strconv.Itoa(rangeUJ)}
	if w.period != "" {
		args = append(args, "-period", w.period)
	}
	if w.physics != "" {
		args = append(args, "-physics", w.physics)
	}
	if w.othersW > 0 {
		args = append(args, "-others-watts", fmt.Sprint(w.othersW))
	}
	if w.cores {
		args = append(args, "-by-cpu")
	}
	if w.late > 0 {
		args = append(args, "-late", fmt.Sprint(w.late))
	}
	var err error
	if s.machine, err = start(ctx, nil, args...); err != nil {
		return nil, err
	}
	s.lines = bufio.NewScanner(s.machine.out)
	s.lines.Buffer(nil, 1<<20)
	if !s.lines.Scan() {
		return nil, errors.Join(errors.New("the simulated machine said nothing"), s.machine.end())
	}
	if w.neighbour > 0 {
		if s.neighbour, err = start(ctx, []string{s.variable()}, "neighbour", "-part", fmt.Sprint(w.neighbour)); err != nil {
			return nil, errors.Join(err, s.machine.end())
		}
	}
	return s, nil
}

func (s *simulator) root() string { return powercapsim.Root(s.dir) }

// variable is the environment variable that programs with package burn need.
func (s *simulator) variable() string { return burn.Variable + "=" + accountsIn(s.dir) }

// end ends the neighbour and then the machine, and returns the machine's truth.
func (s *simulator) end() (*truth, error) {
	var gone error
	if s.neighbour != nil {
		gone = s.neighbour.end()
	}
	if err := s.machine.stdin.Close(); err != nil {
		return nil, errors.Join(gone, fmt.Errorf("ending the simulated machine: %w", err))
	}
	var t truth
	var err error
	if !s.lines.Scan() {
		err = errors.New("the simulated machine did not tell the truth")
	} else if err = json.Unmarshal(s.lines.Bytes(), &t); err != nil {
		err = fmt.Errorf("reading the truth: %w", err)
	}
	if ended := s.machine.cmd.Wait(); ended != nil {
		err = errors.Join(err, fmt.Errorf("the simulated machine: %w", ended))
	}
	return &t, errors.Join(gone, err)
}
