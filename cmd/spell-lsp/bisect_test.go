package main

import (
	"bytes"
	"errors"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"spell-lsp/runner/bisect"
	"spell-lsp/runner/git"
	"spell-lsp/spell/bisection"
	"spell-lsp/spell/record"
)

// What a search says while it runs.
func TestStepLine(t *testing.T) {
	commit := git.LogEntry{Short: "1a2b3c4", Subject: "Use a map"}
	for want, s := range map[string]bisect.Step{
		"": {},
		"54 rounds of an earlier start are used (--restart forgets them)":                                       {Kept: 54},
		"spell-lsp: the rounds are not kept, an interrupted search will begin anew: everybody can write /cache": {Unsafe: errors.New("everybody can write /cache")},
		"comparing GOOD and BAD: 9 rounds of each":                                                              {Rounds: 9},
		"GOOD and BAD: +15 % after 18 rounds of each":                                                           {Rounds: 18, Changed: &bisection.Change{Change: 0.15}},
		`commit 3 of at most 7: 1a2b3c4 "Use a map": 6 rounds`:                                                  {Commit: commit, Number: 3, AtMost: 7, Rounds: 6},
		`commit 3 of at most 7: 1a2b3c4 "Use a map": like GOOD after 9 rounds`:                                  {Commit: commit, Number: 3, AtMost: 7, Rounds: 9, Finding: &bisection.Finding{Side: bisection.LikeGood, Rounds: 9}},
		`measuring what 1a2b3c4 "Use a map" changed`:                                                            {Commit: commit, Checking: true},
	} {
		if got := stepLine(s); got != want {
			t.Errorf("%+v:\n got %s\nwant %s", s, got, want)
		}
	}
}

// Where a commit that does not build hides the answer, the page says so, and the exit code that no
// commit was found.
func TestSearchThatIsNotSure(t *testing.T) {
	broken := bisection.Commit{Short: "2222222", Date: "2026-01-02T03:04:05Z", Subject: "Does not build"}
	more := bisection.Commit{Short: "3333333", Date: "2026-01-02T03:04:05Z", Subject: "Sum still more often"}
	result := &bisection.Result{
		Schema: bisection.Schema, Outcome: bisection.SeveralLeft, Tests: []string{"example.com/demo.TestSum"},
		Quantity: bisection.Energy, Meter: "model", Source: string(record.Estimated),
		Commits: []bisection.Commit{broken, more}, Rounds: 36, Kept: 36,
		Tried: []bisection.Tried{{Commit: broken, Side: bisection.Skipped, Reason: "undefined: undefined"}},
	}
	for format, want := range map[string][]string{
		"text": {
			"Not sure: one of 2 commits made TestSum more expensive", "\n  2222222  2026-01-02  Does not build\n",
			"\n  3333333  2026-01-02  Sum still more often\n", "\nSkipped 2222222: undefined",
		},
		"json": {`"schema": "spell-lsp/bisection/v1"`, `"outcome": "range"`, `"kept": 36`},
	} {
		var out bytes.Buffer
		cmd := &cobra.Command{}
		cmd.SetOut(&out)
		f := bisectFlags{}
		f.format = format
		if err := f.conclude(cmd, result); exitCode(err) != exitNotSure || message(err) != "no single commit was found" {
			t.Errorf("%s: exit code %d: %v", format, exitCode(err), err)
		}
		for _, w := range want {
			if !strings.Contains(out.String(), w) {
				t.Errorf("%s: it does not say %q:\n%s", format, w, out.String())
			}
		}
	}
}
