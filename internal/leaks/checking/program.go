package checking

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"spell-lsp/internal/bench/harness"
)

// programLimit is the longest that the tests of a package may take.
const programLimit = 5 * time.Minute

// A program is the tests of a package.
type program struct {
	pkg     string
	dir     string // of the package
	deps    map[string]bool
	file    string // the executable, without a leak
	plain   time.Duration
	elapsed time.Duration // the longest run
	outcome string
}

// A listed package is what go list says of it.
type listed struct {
	ImportPath, Dir                                            string
	TestGoFiles, XTestGoFiles, Deps, TestImports, XTestImports []string
}

// build builds the test programs.
func (m *Module) build(ctx context.Context) error {
	out, err := m.sandbox.run(ctx, m.dir, programLimit, "go", "list", "-json=ImportPath,Dir,Deps,TestGoFiles,XTestGoFiles,TestImports,XTestImports", "./...")
	if err != nil {
		return err
	}
	all := make(map[string]listed)
	var order []string
	for decoder := json.NewDecoder(strings.NewReader(out)); ; {
		var l listed
		if err := decoder.Decode(&l); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			return fmt.Errorf("reading the list of packages: %w", err)
		}
		all[l.ImportPath] = l
		order = append(order, l.ImportPath)
	}
	for _, pkg := range order {
		l := all[pkg]
		if len(l.TestGoFiles)+len(l.XTestGoFiles) == 0 {
			continue
		}
		p := program{pkg: pkg, dir: l.Dir, deps: map[string]bool{pkg: true}, file: filepath.Join(m.sandbox.dir, fmt.Sprintf("plain%d.test", len(m.programs)))}
		for _, direct := range slices.Concat([]string{pkg}, l.TestImports, l.XTestImports) {
			p.deps[direct] = true
			for _, d := range all[direct].Deps {
				p.deps[d] = true
			}
		}
		if err := m.compile(ctx, p, p.file); err != nil {
			return err
		}
		if _, err := os.Stat(p.file); err == nil { // files may be excluded by their constraints
			m.programs = append(m.programs, p)
		}
	}
	if len(m.programs) == 0 {
		return errors.New("no package of the module has tests")
	}
	return nil
}

func (m *Module) compile(ctx context.Context, p program, file string) error {
	_, err := m.sandbox.run(ctx, m.dir, programLimit, "go", "test", "-c", "-vet=off", "-o", file, p.pkg)
	return err
}

// executePlain executes the tests without a leak.
func (m *Module) executePlain(ctx context.Context) error {
	for i := range m.programs {
		p := &m.programs[i]
		var times []time.Duration
		for run := range 3 {
			e, err := m.sandbox.execute(ctx, p.file, p.dir, programLimit)
			if err != nil {
				return err
			}
			if run > 0 && e.outcome != p.outcome {
				return fmt.Errorf("the tests of %s end differently from run to run: %q, %q", p.pkg, p.outcome, e.outcome)
			}
			p.outcome, p.elapsed = e.outcome, max(p.elapsed, e.elapsed)
			times = append(times, e.cpu)
		}
		p.plain = harness.Median(times)
		m.total += p.plain
	}
	return nil
}

// An execution is one run of a test program.
type execution struct {
	cpu, elapsed time.Duration // cpu: user and system time, with that of child processes
	outcome      string        // exit status and the tests that failed
	late         bool          // it was ended because its time was up
}

var failure = regexp.MustCompile(`(?m)^\s*--- FAIL: (\S+)`)

// execute executes a test program in the folder of its package.
func (s *sandbox) execute(ctx context.Context, file, dir string, limit time.Duration) (e execution, err error) {
	started := time.Now()
	state, output, err := s.start(ctx, dir, limit, file, "-test.paniconexit0", "-test.count=1", "-test.timeout="+limit.String())
	if err != nil {
		return e, err
	}
	e.elapsed, e.cpu = time.Since(started), state.UserTime()+state.SystemTime()
	e.late = e.elapsed > limit || strings.Contains(output, "panic: test timed out after "+limit.String())
	var failed []string
	for _, match := range failure.FindAllStringSubmatch(output, -1) {
		failed = append(failed, match[1])
	}
	slices.Sort(failed)
	e.outcome = strings.Join(append([]string{state.String()}, failed...), " ")
	return e, nil
}
