package main

import (
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/google/pprof/profile"

	"spell-lsp/internal/leaks/contest"
	"spell-lsp/spell/record"
	"spell-lsp/spell/record/recordjson"
)

// A laboratory measures programs: by the command spell-lsp, and by profiles of go test.
type laboratory struct {
	*sandbox
	command string // executable of spell-lsp
	// rounds is how often all tests are executed for a run record, after a warm-up, and
	// how often for the profiles.
	rounds int
	// forLong limits the time for the rounds of a run record; "" = there is no limit.
	forLong string
}

// The files of a result.
const (
	runFile    = "run.json.gz"
	cpuFile    = "cpu.pb.gz"
	memoryFile = "memory.pb.gz"
)

// measure writes the run record of a program to a folder, and with profiles those of its
// CPU time and memory.
func (l *laboratory) measure(ctx context.Context, p Program, profiles bool, into string) error {
	dir, err := l.write(ctx, p)
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir) //nolint:errcheck // the whole scratch folder will be removed
	if err := l.record(ctx, p, dir, filepath.Join(into, runFile)); err != nil || !profiles {
		return err
	}
	return l.profile(ctx, p, dir, into)
}

// record measures the program in dir with the command.
func (l *laboratory) record(ctx context.Context, p Program, dir, file string) error {
	plain := filepath.Join(dir, "spell-lsp-run.json")
	args := []string{"measure", "--no-calm", "-C", dir, "--meter", "model", "--rounds", fmt.Sprint(l.rounds), "--format", "json", "-o", plain}
	if p.Run != "" {
		args = append(args, "--run", p.Run)
	}
	if l.forLong != "" {
		args = append(args, "--for", l.forLong)
	}
	if _, err := l.run(ctx, dir, l.command, append(args, p.pattern())...); err != nil {
		return err
	}
	text, err := os.ReadFile(plain)
	if err != nil {
		return fmt.Errorf("reading the run of %s: %w", p, err)
	}
	if err := os.Remove(plain); err != nil {
		return err
	}
	return writeCompressed(file, text)
}

// profile profiles the tests of each package in turn, and adds the profiles up.
func (l *laboratory) profile(ctx context.Context, p Program, dir, into string) error {
	packages, err := l.testPackages(ctx, p, dir)
	if err != nil {
		return err
	}
	cpu, memory := filepath.Join(dir, "spell-lsp-cpu.out"), filepath.Join(dir, "spell-lsp-memory.out")
	var cpus, memories []*profile.Profile
	for range l.rounds {
		for _, pkg := range packages {
			_, failed := l.run(ctx, dir, "go", "test", "-count=1", "-vet=off", "-run", p.Run, "-cpuprofile", cpu, "-memprofile", memory, "-o", os.DevNull, pkg)
			// Tests that fail do so without the leak too, and leave profiles as others do.
			c, errCPU := takeProfile(cpu)
			m, errMemory := takeProfile(memory)
			if err := errors.Join(errCPU, errMemory); err != nil {
				return fmt.Errorf("profiling %s: %w", pkg, errors.Join(err, failed))
			}
			cpus, memories = append(cpus, c), append(memories, m)
		}
	}
	return errors.Join(writeMerged(filepath.Join(into, cpuFile), cpus), writeMerged(filepath.Join(into, memoryFile), memories))
}

func takeProfile(file string) (*profile.Profile, error) {
	p, err := readProfile(file)
	return p, errors.Join(err, os.Remove(file))
}

func readProfile(file string) (*profile.Profile, error) {
	f, err := os.Open(file)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return profile.Parse(f)
}

func writeMerged(file string, list []*profile.Profile) error {
	p, err := profile.Merge(list)
	if err != nil {
		return fmt.Errorf("adding up profiles: %w", err)
	}
	f, err := os.Create(file)
	if err != nil {
		return err
	}
	return errors.Join(p.Write(f), f.Close())
}

func writeCompressed(file string, text []byte) error {
	f, err := os.Create(file)
	if err != nil {
		return err
	}
	w := gzip.NewWriter(f)
	_, err = w.Write(text)
	return errors.Join(err, w.Close(), f.Close())
}

func readRun(dir string) (*record.Run, error) {
	f, err := os.Open(filepath.Join(dir, runFile))
	if err != nil {
		return nil, err
	}
	defer f.Close()
	r, err := gzip.NewReader(f)
	if err != nil {
		return nil, err
	}
	return recordjson.Read(r)
}

// readEvidence reads what was kept of a program with a leak, and of that without.
func readEvidence(leaky, clean string) (*contest.Evidence, error) {
	var e contest.Evidence
	var err [4]error
	e.Leaky, err[0] = readRun(leaky)
	e.Clean, err[1] = readRun(clean)
	e.CPU, err[2] = readProfile(filepath.Join(leaky, cpuFile))
	e.Memory, err[3] = readProfile(filepath.Join(leaky, memoryFile))
	return &e, errors.Join(err[:]...)
}
