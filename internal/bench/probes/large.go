package main

import (
	"bytes"
	"context"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"spell-lsp/internal/bench/harness"
)

// largeModules have half a million lines of Go with large tables, and a third of a
// million lines, most of them generated.
var largeModules = []string{"golang.org/x/text@v0.43.0", "google.golang.org/protobuf@v1.36.12"}

// addedBar is how much longer than go test the second measurement of an unchanged
// module may take until its tests run.
const addedBar = 3 * time.Second

// large builds big modules and compares the outcomes of their tests.
func (b *bench) large(ctx context.Context) (*harness.Table, error) {
	t := &harness.Table{
		Title:  "Large modules: built, and tests end as plain",
		About:  fmt.Sprintf("Seconds from the sources to the test programs, with a build cache of its own: go test -c for the first time and again, and the same with probes, the making of the overlay included. Again is the median of %d, in turns.", b.rounds),
		Header: []string{"module", "lines", "packages", "functions", "counted", "tests", "end otherwise", "plain, first", "plain, again", "instrumented, first", "instrumented, again"},
	}
	differ := 0
	var added time.Duration
	for _, module := range largeModules {
		harness.Progress("large: %s", module)
		r, err := b.largeModule(ctx, module)
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if err != nil {
			t.Missed(module + ": " + err.Error())
			continue
		}
		differ += len(r.differences)
		plainAgain, probedAgain := harness.Median(r.plainBuilds[1:]), harness.Median(r.probedBuilds[1:])
		added = max(added, probedAgain-plainAgain)
		t.Notes = append(t.Notes, r.differences...)
		functions, counted := r.suite.functions()
		t.Row(module, fmt.Sprint(r.lines), fmt.Sprint(len(r.suite.programs)), fmt.Sprint(functions), fmt.Sprint(counted), fmt.Sprint(r.compared), fmt.Sprint(len(r.differences)),
			seconds(r.plainBuilds[0]), seconds(plainAgain), seconds(r.probedBuilds[0]), seconds(probedAgain))
	}
	t.AtMost("tests that end otherwise", "%.0f", float64(differ), 0)
	t.AtMost("added to the build of an unchanged module, s", "%.1f", added.Seconds(), addedBar.Seconds())
	return t, nil
}

// A largeResult is the result of one module.
type largeResult struct {
	*comparison
	suite                     *suite
	lines                     int
	plainBuilds, probedBuilds []time.Duration // the first build, then repeated ones
}

func (b *bench) largeModule(ctx context.Context, module string) (*largeResult, error) {
	dir, err := b.fetch(ctx, module)
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir) //nolint:errcheck // the whole folder will be removed
	r := &largeResult{}
	if r.lines, err = goLines(dir); err != nil {
		return nil, err
	}
	if r.suite, err = b.buildSuite(ctx, dir); err != nil {
		return nil, err
	}
	defer r.suite.counting.close() //nolint:errcheck // nothing of it is kept
	if r.comparison, err = b.compare(ctx, r.suite, 1, asIs, withProbes); err != nil {
		return nil, err
	}
	return r, b.timeBuilds(ctx, r)
}

// timeBuilds builds in turns, first with empty caches. A repeated plain build does
// what go test does for an unchanged module: it only links.
func (b *bench) timeBuilds(ctx context.Context, r *largeResult) error {
	cache, err := os.MkdirTemp(b.scratch, "cache-*")
	if err != nil {
		return fmt.Errorf("making a temporary folder: %w", err)
	}
	restore := setenv("GOCACHE", cache, "XDG_CACHE_HOME", cache)
	defer restore()
	for range 1 + b.rounds {
		took, err := b.timeBuild(ctx, r.suite, asIs)
		if err != nil {
			return err
		}
		r.plainBuilds = append(r.plainBuilds, took)
		if took, err = b.timeBuild(ctx, r.suite, withProbes); err != nil {
			return err
		}
		r.probedBuilds = append(r.probedBuilds, took)
	}
	return nil
}

// timeBuild builds the tests; with probes, the overlay is made too.
func (b *bench) timeBuild(ctx context.Context, s *suite, k kind) (time.Duration, error) {
	harness.Progress("large: building, %s", k)
	start := time.Now()
	if k == withProbes {
		if err := b.prepare(ctx, s); err != nil {
			return 0, err
		}
	}
	files, err := b.compile(ctx, s, k)
	took := time.Since(start)
	for _, file := range files {
		os.Remove(file) //nolint:errcheck // the whole folder will be removed
	}
	return took, err
}

// setenv sets variables, given as alternating names and values, and returns a function
// that restores them.
func setenv(pairs ...string) (restore func()) {
	before := os.Environ()
	for i := 0; i < len(pairs); i += 2 {
		os.Setenv(pairs[i], pairs[i+1]) //nolint:errcheck // the names are right
	}
	return func() {
		os.Clearenv()
		for _, kv := range before {
			name, value, _ := strings.Cut(kv, "=")
			os.Setenv(name, value) //nolint:errcheck // the previous value is valid
		}
	}
}

// goLines counts the lines of all Go files in a folder.
func goLines(dir string) (int, error) {
	lines := 0
	err := filepath.WalkDir(dir, func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(name, ".go") {
			return err
		}
		text, err := os.ReadFile(name)
		lines += bytes.Count(text, []byte("\n"))
		return err
	})
	if err != nil {
		return 0, fmt.Errorf("counting lines: %w", err)
	}
	return lines, nil
}

func seconds(d time.Duration) string { return fmt.Sprintf("%.1f", d.Seconds()) }
