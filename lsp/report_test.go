package lsp_test

import (
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"spell-lsp/internal/lsptest"
	"spell-lsp/lsp"
	"spell-lsp/spell/comparison"
	"spell-lsp/spell/record"
	"spell-lsp/spell/text"
)

// Of more than 20 reports the oldest are removed. Reports of the last day stay, because another
// editor may have them open, and so do folders that are not reports.
func TestOldReportsAreRemoved(t *testing.T) {
	cases := map[string]struct {
		others map[string]int // age in hours of the first folder, by its name
		want   []string
	}{
		"the newest stay, however old": {map[string]int{"run-a": 48}, numberedFrom("run-a", 19)},
		"those of the last day stay":   {map[string]int{"run-a": 48, "run-b": 0}, numberedFrom("run-b", 24)},
		"folders of other names stay":  {map[string]int{"other": 48}, numberedFrom("other", 24)},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			cache := t.TempDir()
			t.Setenv("XDG_CACHE_HOME", cache)
			folder := filepath.Join(cache, "spell-lsp", "reports")
			for called, hours := range c.others {
				for i, name := range numberedFrom(called, 24) {
					old(t, filepath.Join(folder, name), time.Duration(hours)*time.Hour+time.Duration(i)*time.Minute)
				}
			}
			e, _ := serve(t, lsp.Options{Measure: newLab(parkCosts).measure, Report: map[string]lsp.Reporter{
				"text": func(w io.Writer, r *record.Run, _ *comparison.Comparison, _ text.Source) error {
					_, err := fmt.Fprintln(w, r.ID)
					return err
				},
			}})
			e.Folders = []string{module(t, maps.Clone(park))}
			e.Start()
			measure(t, e)
			var got struct{ Path string }
			if err := json.Unmarshal(execute(t, e, "report", map[string]any{"format": "text"}), &got); err != nil {
				t.Fatal(err)
			}
			if text, err := os.ReadFile(got.Path); err != nil || len(text) == 0 {
				t.Errorf("the new report is %q, %v", text, err)
			}
			left, err := filepath.Glob(filepath.Join(folder, "*", "html.html"))
			if err != nil {
				t.Fatal(err)
			}
			for i, file := range left {
				left[i] = filepath.Base(filepath.Dir(file))
			}
			if slices.Sort(left); !slices.Equal(left, c.want) {
				t.Errorf("left is\n%s\nwant\n%s", strings.Join(left, " "), strings.Join(c.want, " "))
			}
		})
	}
}

// A report shows the requested run, if the run is still shown, or else the newest run. The answer
// names that run, and the folder of its files.
func TestReportOfRun(t *testing.T) {
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	dir := module(t, maps.Clone(park))
	e, _ := serve(t, lsp.Options{Measure: newLab(parkCosts).measure, Report: map[string]lsp.Reporter{
		"text": func(w io.Writer, r *record.Run, _ *comparison.Comparison, _ text.Source) error {
			_, err := io.WriteString(w, r.ID)
			return err
		},
	}})
	e.Folders = []string{dir}
	e.Start()
	older := into[struct{ Run string }](t, measure(t, e)).Run
	test := map[string]any{"scope": "test", "uri": lsptest.URI(filepath.Join(dir, "park_test.go")), "name": "TestPark"}
	newest := into[struct{ Run string }](t, execute(t, e, "measure", test)).Run
	for asked, want := range map[string]string{"": newest, older: older, newest: newest, "not shown any more": newest} {
		got := into[struct{ Path, Run, Root string }](t, execute(t, e, "report", map[string]any{"format": "text", "run": asked}))
		text, err := os.ReadFile(got.Path)
		if err != nil || string(text) != want || got.Run != want || got.Root != lsptest.URI(dir) {
			t.Errorf("run %q: the report is %q, %v, the answer %+v; must name %s in %s", asked, text, err, got, want, dir)
		}
	}
}

// A user who can write the cache folder could replace a report, and could make the server remove
// files of others. So no report is written there.
func TestReportWhereOthersCanWrite(t *testing.T) {
	cache := t.TempDir()
	t.Setenv("XDG_CACHE_HOME", cache)
	if err := os.Chmod(cache, 0o777); err != nil {
		t.Fatal(err)
	}
	dir := module(t, maps.Clone(park))
	e, _ := serve(t, lsp.Options{Measure: newLab(parkCosts).measure, Report: map[string]lsp.Reporter{
		"text": func(io.Writer, *record.Run, *comparison.Comparison, text.Source) error { return nil },
	}})
	e.Folders = []string{dir}
	e.Start()
	measure(t, e)
	_, err := e.Execute("spell-lsp.report", map[string]any{"format": "text"}).Wait()
	if err == nil || !strings.Contains(err.Message, "everybody can write "+cache) || !strings.Contains(err.Message, "XDG_CACHE_HOME") {
		t.Errorf("the error is %v", err)
	}
	if left, _ := filepath.Glob(filepath.Join(cache, "*")); len(left) > 0 {
		t.Errorf("written: %s", left)
	}
}

func numberedFrom(name string, n int) []string {
	var names []string
	for i := range n {
		names = append(names, fmt.Sprintf("%s%02d", name, i))
	}
	return names
}

// old makes a folder with a report in it that was written some time ago.
func old(t *testing.T, dir string, age time.Duration) {
	t.Helper()
	if err := os.MkdirAll(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "html.html"), []byte("a report"), 0o600); err != nil {
		t.Fatal(err)
	}
	then := time.Now().Add(-age)
	if err := os.Chtimes(dir, then, then); err != nil {
		t.Fatal(err)
	}
}
