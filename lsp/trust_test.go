package lsp_test

import (
	"context"
	"maps"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"spell-lsp/lsp"
	"spell-lsp/spell/record"
	"spell-lsp/spell/settings"
)

// The settings of a folder that nobody trusts once named a tree of counters in that folder, and
// the doctor said that its readings were measured. So of an untrusted folder only settings that
// need no trust are used, also by commands that execute nothing.
func TestSettingsWithoutTrust(t *testing.T) {
	const planted = `
powercapRoot: /proc/self/cwd/counters
meter: rapl
tags: [planted]
exclude: ["*"]
run: Planted
baseline: planted
severity: {red: hint}
`
	for _, c := range []struct {
		why     string
		options any
		file    bool // the settings are in the file; otherwise the editor has them for the folder
		trusted bool
	}{
		{"a file that is not trusted", map[string]any{"trusted": false}, true, false},
		{"settings of the editor for a folder that is not trusted", map[string]any{"trusted": false}, false, false},
		{"a file that is trusted", map[string]any{"trusted": true}, true, true},
		{"the editor says nothing about trust", nil, true, true},
	} {
		t.Run(c.why, func(t *testing.T) {
			theirs, err := settings.ParseYAML([]byte(planted), "f", settings.Default())
			if err != nil {
				t.Fatal(err)
			}
			want := settings.Default()
			want.Severity.Red = settings.Hint
			if c.trusted {
				want = theirs
			}
			l := newLab(parkCosts)
			dir := module(t, maps.Clone(park))
			run, err := l.invent(lsp.Request{Dir: dir})
			if err != nil {
				t.Fatal(err)
			}
			used := map[string]settings.Settings{}
			named := false
			e, _ := serve(t, lsp.Options{
				Doctor: func(_ context.Context, s settings.Settings) string { used["doctor"] = s; return "" },
				Load:   func(_ string, s settings.Settings) (*record.Run, error) { used["load"] = s; return run, nil },
				Named: func(context.Context, string, string) (*record.Run, error) {
					named = true
					return run, nil
				},
			})
			e.Folders, e.Options = []string{dir}, c.options
			if c.file {
				write(t, filepath.Join(dir, settings.FileName), planted)
			} else {
				e.Configure(theirs.Map())
			}
			e.Start()
			execute(t, e, "doctor", map[string]any{})
			execute(t, e, "load", map[string]any{"path": filepath.Join(dir, "run.json")})
			e.MustCall(lsp.FlushMethod, nil)
			for _, use := range []string{"doctor", "load"} {
				if diff := cmp.Diff(want, used[use]); diff != "" {
					t.Errorf("the settings of %s (-want +got):\n%s", use, diff)
				}
			}
			if named != c.trusted {
				t.Errorf("the baseline was looked for: %v", named)
			}
			// The red function is a hint, so settings that need no trust count.
			parkGo := filepath.Join(dir, "park.go")
			e.Open(parkGo)
			e.MustCall(lsp.FlushMethod, nil)
			if c.trusted {
				if len(e.Diagnostics(parkGo)) > 0 {
					t.Errorf("exclude has no effect: %v", e.Diagnostics(parkGo))
				}
				return
			}
			if got := e.Diagnostics(parkGo); len(got) == 0 || got[0].Severity != 4 {
				t.Errorf("diagnostics %v", got)
			}
			told := 0
			for _, m := range e.Messages("window/showMessage") {
				if strings.Contains(string(m.Params), "not trusted") {
					told++
					if !strings.Contains(string(m.Params), "these settings are not read: meter, powercapRoot, exclude, tags, run, baseline") {
						t.Errorf("shown %s", m.Params)
					}
				}
			}
			if told != 1 {
				t.Errorf("told %d times", told)
			}
		})
	}
}

// If the counters were not the system's, every place that says measured names their folder.
func TestRootOfCountersIsShown(t *testing.T) {
	l := newLab(parkCosts)
	l.source = record.Measured
	l.alter = func(run *record.Run) { run.Meter.Root = "/srv/planted" }
	e, _, parkGo := openPark(t, l)
	measure(t, e)
	const want = " from counters below /srv/planted, not the system's"
	if got := e.Hover(parkGo, "Add(c").Contents.Value; !strings.Contains(got, ", measured"+want) {
		t.Errorf("the hover is\n%s", got)
	}
	for _, r := range ranked(t, e, map[string]any{}) {
		if !strings.HasSuffix(r.Meter, want) {
			t.Errorf("in the ranking the meter is %s", r.Meter)
		}
	}
}
