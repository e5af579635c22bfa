package main

import (
	"bytes"
	"context"
	"strings"
	"testing"

	"spell-lsp/spell/comparison"
	"spell-lsp/spell/gate"
	"spell-lsp/spell/record"
	"spell-lsp/spell/settings"
)

// A function that BASE did not come to is not new: rules about changes are not held
// against a run that ended early on either side.
func TestRulesWithAPartialBase(t *testing.T) {
	c := &comparison.Comparison{Base: comparison.Side{Partial: true}}
	for rules, want := range map[string]bool{"new-red": true, "energy>+5%": true, "energy>1J": false, "red": false} {
		list, err := gate.ParseAll(rules)
		if err != nil {
			t.Fatal(err)
		}
		if err := unchecked(list, &record.Run{}, c); (err != nil) != want {
			t.Errorf("%s: %v", rules, err)
		}
	}
}

// A build must not pass because the meter failed: rules that were not checked are
// no rules that hold. Who interrupts knows why they were not.
func TestRulesOfAPartialRun(t *testing.T) {
	for _, c := range []struct {
		why         string
		rules       string
		interrupted bool
		want        string
	}{
		{"the meter failed after a round", "energy>1J", false, "--fail-on was not checked"},
		{"nobody asked for rules", "", false, ""},
		{"the user interrupted", "energy>1J", true, ""},
	} {
		cmd := measureCommand()
		var out bytes.Buffer
		cmd.SetOut(&out)
		ctx, cancel := context.WithCancel(t.Context())
		if c.interrupted {
			cancel()
		}
		cmd.SetContext(ctx)
		f := measureFlags{output: output{format: "text"}}
		g := &gateInput{}
		if c.rules != "" {
			var err error
			if g.rules, err = gate.ParseAll(c.rules); err != nil {
				t.Fatal(err)
			}
		}
		err := f.conclude(cmd, &record.Run{Partial: true, Rounds: 1}, g, settings.Default())
		if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want) || exitCode(err) == exitDone) {
			t.Errorf("%s: %v, must say %q", c.why, err, c.want)
		}
		if out.Len() == 0 {
			t.Errorf("%s: the run is not shown", c.why)
		}
		cancel()
	}
}
