package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"spell-lsp/instrument"
	"spell-lsp/internal/bench/harness"
	product "spell-lsp/runner/execution"
)

// A suite is the tests of a module, built plain and with probes.
type suite struct {
	dir      string
	build    *instrument.Build
	counting *counting
	programs []*program
}

// A program is the tests of one package.
type program struct {
	instrument.Package
	plain, probed string // executables
	repeat        int    // -test.count of the runs that are compared
}

// buildSuite builds the tests of the module in dir. A package that does not
// build without probes is left out.
func (b *bench) buildSuite(ctx context.Context, dir string) (*suite, error) {
	s := &suite{dir: dir}
	if err := b.prepare(ctx, s); err != nil {
		return nil, err
	}
	plain, err := b.compile(ctx, s, asIs)
	if err != nil && len(plain) == 0 {
		return nil, err
	}
	probed, err := b.compile(ctx, s, withProbes)
	if err != nil && len(probed) < len(plain) {
		return nil, fmt.Errorf("%d packages build without probes, but only %d with them: %w", len(plain), len(probed), err)
	}
	for _, p := range s.build.Tests {
		if plain[p.Path] != "" && probed[p.Path] != "" {
			s.programs = append(s.programs, &program{Package: p, plain: plain[p.Path], probed: probed[p.Path], repeat: 1})
		}
	}
	r, err := b.startReadings()
	if err != nil {
		return nil, err
	}
	s.counting, err = newCounting(s.build, r)
	return s, err
}

// functions counts the functions with probes, and those among them that only count.
func (s *suite) functions() (probed, counted int) {
	for i, c := range s.build.Components {
		if c.ID == "" {
			continue // an unused row
		}
		probed++
		if s.build.Counted[i] {
			counted++
		}
	}
	return probed, counted
}

// prepare makes the overlay.
func (b *bench) prepare(ctx context.Context, s *suite) error {
	overlay, err := os.MkdirTemp(b.scratch, "overlay-*")
	if err != nil {
		return fmt.Errorf("making a temporary folder: %w", err)
	}
	s.build, err = instrument.Prepare(ctx, instrument.Params{Dir: s.dir, Temp: overlay})
	return err
}

// compile builds the tests, with probes or as they are, and returns the executables by
// package, with an error if not all could be built.
func (b *bench) compile(ctx context.Context, s *suite, k kind) (map[string]string, error) {
	files := make(map[string]string)
	var faults error
	for _, group := range product.Groups(s.build.Tests) {
		dir, err := os.MkdirTemp(b.scratch, "tests-*")
		if err != nil {
			return nil, fmt.Errorf("making a temporary folder: %w", err)
		}
		args := []string{"test", "-c", "-vet=off", "-o", dir + string(filepath.Separator)}
		if k == withProbes {
			args = append(args, "-overlay", s.build.Overlay)
		}
		for _, p := range group {
			args = append(args, p.Path)
		}
		_, err = harness.Go(ctx, s.dir, args...)
		faults = errors.Join(faults, err)
		for _, p := range group {
			file := filepath.Join(dir, product.ProgramName(p.Path))
			if _, err := os.Stat(file); err == nil {
				files[p.Path] = file
			}
		}
	}
	return files, faults
}
