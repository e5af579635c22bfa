package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"spell-lsp/internal/leaks/checking"
)

// turns is how often the tests are executed before and after a rewrite.
const turns = 12

// leastCPU is what the tests of a package are repeated for: the CPU time of a process that ends at once
// says little.
const leastCPU = 150 * time.Millisecond

// A pair is a program before and after rewrites. It is kept.
type pair struct {
	Before []float64 `json:"before"` // CPU seconds of the tests, in turns
	After  []float64 `json:"after"`
	Broken string    `json:"broken,omitempty"` // what the rewrites broke
}

// A testProgram is the tests of a package, before and after rewrites.
type testProgram struct {
	dir           string
	before, after string // executables
	count         int    // how often the tests are executed in one process
}

// compare makes the rewrites of a patch in dir, and executes the tests before and after them, in turns.
func (l *laboratory) compare(ctx context.Context, p Program, dir, patch string) (result pair, err error) {
	programs, err := l.testPrograms(ctx, p, dir)
	if err != nil {
		return result, err
	}
	file := filepath.Join(dir, "spell-lsp.patch")
	if err := os.WriteFile(file, []byte(patch), 0o644); err != nil {
		return result, err
	}
	if broken := l.build(ctx, dir, file, programs); broken != "" {
		return pair{Broken: broken}, ctx.Err()
	}
	for i := range programs {
		if err := l.calibrate(ctx, p, &programs[i]); err != nil {
			return result, err
		}
	}
	return l.inTurns(ctx, p, programs)
}

// build makes the rewrites and builds the tests with them. It returns what is broken.
func (l *laboratory) build(ctx context.Context, dir, patch string, programs []testProgram) string {
	if _, err := l.run(ctx, dir, "git", "apply", patch); err != nil {
		return "the patch does not apply: " + err.Error()
	}
	for _, t := range programs {
		if _, err := l.run(ctx, t.dir, "go", "test", "-c", "-vet=off", "-o", t.after, "."); err != nil {
			return "does not compile: " + err.Error()
		}
	}
	return ""
}

// testPrograms builds the tests as they are before the rewrites.
func (l *laboratory) testPrograms(ctx context.Context, p Program, dir string) ([]testProgram, error) {
	packages, err := l.testPackages(ctx, p, dir)
	if err != nil {
		return nil, err
	}
	var list []testProgram
	for i, pkg := range packages {
		folder, err := l.run(ctx, dir, "go", "list", "-f", "{{.Dir}}", pkg)
		if err != nil {
			return nil, err
		}
		t := testProgram{dir: strings.TrimSpace(folder), before: filepath.Join(dir, fmt.Sprintf("before%d.test", i)), after: filepath.Join(dir, fmt.Sprintf("after%d.test", i)), count: 1}
		if _, err := l.run(ctx, t.dir, "go", "test", "-c", "-vet=off", "-o", t.before, "."); err != nil {
			return nil, err
		}
		list = append(list, t)
	}
	return list, nil
}

// calibrate finds how often tests have to be executed to say something.
func (l *laboratory) calibrate(ctx context.Context, p Program, t *testProgram) error {
	cpu, _, err := l.execute(ctx, p, *t, t.before)
	if err == nil && cpu < leastCPU {
		t.count = int(min(50, leastCPU/max(cpu, time.Millisecond)))
	}
	return err
}

// inTurns executes all tests before and after the rewrites, the other way round in every other turn.
func (l *laboratory) inTurns(ctx context.Context, p Program, programs []testProgram) (result pair, err error) {
	for turn := range turns {
		var before, after time.Duration
		for _, t := range programs {
			files := []string{t.before, t.after}
			var cpu [2]time.Duration
			var fail [2][]string
			for i := range files {
				at := (i + turn) % 2
				if cpu[at], fail[at], err = l.execute(ctx, p, t, files[at]); err != nil {
					return result, err
				}
			}
			// Tests that look at the clock fail on a busy machine, and then more often before.
			if i := slices.IndexFunc(fail[1], func(name string) bool { return !slices.Contains(fail[0], name) }); i >= 0 {
				return pair{Broken: fail[1][i] + " fails"}, nil
			}
			before, after = before+cpu[0], after+cpu[1]
		}
		result.Before, result.After = append(result.Before, before.Seconds()), append(result.After, after.Seconds())
	}
	return result, nil
}

var failed = regexp.MustCompile(`(?m)^\s*--- FAIL: (\S+)`)

// execute executes tests and returns their CPU time, and which failed.
func (l *laboratory) execute(ctx context.Context, p Program, t testProgram, file string) (cpu time.Duration, fail []string, err error) {
	limited, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	cmd := exec.CommandContext(limited, file, "-test.paniconexit0", "-test.run", p.Run, fmt.Sprintf("-test.count=%d", t.count))
	var out bytes.Buffer
	cmd.Dir, cmd.Env, cmd.Stdout, cmd.Stderr = t.dir, slices.Concat(l.env, []string{"PWD=" + t.dir}), &out, &out
	checking.Group(cmd)
	cmd.WaitDelay = 5 * time.Second
	ending := cmd.Run()
	if cmd.Process != nil {
		checking.KillGroup(cmd.Process)
	}
	if cmd.ProcessState == nil || limited.Err() != nil {
		return 0, nil, fmt.Errorf("executing %s: %w", filepath.Base(file), ending)
	}
	for _, match := range failed.FindAllStringSubmatch(out.String(), -1) {
		fail = append(fail, match[1])
	}
	if len(fail) == 0 && !cmd.ProcessState.Success() {
		fail = append(fail, "the program")
	}
	return cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime(), fail, nil
}
