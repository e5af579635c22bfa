package main

import (
	"errors"
	"testing"

	"spell-lsp/runner/bisect"
	"spell-lsp/runner/git"
	"spell-lsp/spell/bisection"
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
