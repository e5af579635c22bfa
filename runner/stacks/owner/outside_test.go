package owner

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"spell-lsp/instrument/probe"
	"spell-lsp/runner/attribution"
)

// Functions outside of the workspace that have rows have their own time, but only where a function of
// the workspace called them, or a package of the program started the goroutine. The collector's, the
// scheduler's and test code's time stays theirs.
func TestRowsOutside(t *testing.T) {
	const f, g, outside = 1, 2, 10
	index := probe.NewIndex(probe.NamedRows{Components: []string{"m.F", "m.G"}, Unprobed: []string{"m.tiny"}, Packages: []string{"m"}})
	for name, tt := range map[string]struct {
		stack string // the innermost function first; "full" gets no row
		rows  []int
		asked []string // what got rows: the path and the caller
		frame int
	}{
		"a library":                 {"runtime.memmove strings.Map m.F runtime.main", []int{10, 11, f}, []string{"runtime.memmove strings.Map <1", "strings.Map <1"}, 0},
		"one that calls back":       {"m.G.func1 sort.Slice m.F", []int{g, 10, f}, []string{"sort.Slice <1"}, 0},
		"what calls the workspace":  {"m.F net/http.HandlerFunc.ServeHTTP net/http.(*conn).serve runtime.goexit", []int{f}, nil, 0},
		"a function without a row":  {"m.tiny m.F", []int{f}, nil, 1},
		"one of no room":            {"full strings.Map m.F", []int{10, f}, []string{"strings.Map <1"}, 1},
		"C inside":                  {"- strings.Map m.F", []int{10, f}, []string{"strings.Map <1"}, 1},
		"what test code calls":      {"strings.Map m.TestF testing.tRunner", []int{0}, nil, 1},
		"a library's goroutine":     {"runtime.mallocgc bufio.NewReader net/http.(*conn).serve runtime.goexit", []int{10, 11, 12}, []string{"runtime.mallocgc bufio.NewReader net/http.(*conn).serve <0", "bufio.NewReader net/http.(*conn).serve <0", "net/http.(*conn).serve <0"}, 0},
		"a goroutine of no package": {"runtime.futex runtime.notetsleepg runtime.goexit", nil, nil, -1},
		"the collector":             {"runtime.scanobject runtime.gcDrain runtime.gcBgMarkWorker runtime.goexit", []int{attribution.CollectorRow}, nil, -1},
		"an assist":                 {"runtime.gcDrainN runtime.gcAssistAlloc runtime.mallocgc m.F", []int{10, f}, []string{"runtime.mallocgc <1"}, 2},
		"the scheduler":             {"runtime.findRunnable runtime.schedule runtime.mcall", nil, nil, -1},
		"package testing":           {"sort.Strings testing.runTests main.main", nil, nil, -1},
	} {
		var asked []string
		rule := NewRule(index, nil)
		rule.Outside = func(path []string, caller int) (int, bool) {
			if path[0] == "full" {
				return 0, false
			}
			asked = append(asked, strings.Join(path, " ")+" <"+string(rune('0'+caller)))
			return outside + len(asked) - 1, true
		}
		var stack []Func
		for _, name := range strings.Fields(tt.stack) {
			stack = append(stack, Func{Name: strings.TrimPrefix(name, "-")})
		}
		p := rule.Of(stack, "")
		if diff := cmp.Diff(tt.rows, p.Rows); diff != "" || p.Frame != tt.frame {
			t.Errorf("%s: the time is in frame %d, want %d; rows (-want +got):\n%s", name, p.Frame, tt.frame, diff)
		}
		if diff := cmp.Diff(tt.asked, asked); diff != "" {
			t.Errorf("%s: rows were asked for (-want +got):\n%s", name, diff)
		}
	}
}
