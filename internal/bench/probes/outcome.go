package main

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
)

// outcomes are the outcomes of tests, by "package test": PASS, FAIL, SKIP or
// "unfinished", or several of them if a test ran more than once. The exit status of a
// program is under its package alone.
type outcomes map[string]string

// testVerbose makes a program mark the lines about tests, so that they are neither
// confused with the output of tests nor missed at the end of it (cmd/test2json).
const testVerbose = "-test.v=test2json"

var (
	began = regexp.MustCompile(`\x16=== RUN +(\S+)`)
	ended = regexp.MustCompile(`\x16 *--- (PASS|FAIL|SKIP): (\S+) \(`)
	// Some subtests are named after a value that contains an address of the program,
	// which differs between builds.
	address = regexp.MustCompile(`0x[0-9a-f]{5,}`)
)

// add reads what a program printed.
func (o outcomes) add(pkg string, e *execution) {
	o[pkg] = e.status
	seen := make(map[string][]string)
	output := address.ReplaceAllString(e.output, "0x?")
	for _, m := range ended.FindAllStringSubmatch(output, -1) {
		if !slices.Contains(seen[m[2]], m[1]) {
			seen[m[2]] = append(seen[m[2]], m[1])
		}
	}
	for _, m := range began.FindAllStringSubmatch(output, -1) {
		if seen[m[1]] == nil {
			seen[m[1]] = []string{"unfinished"}
		}
	}
	for test, all := range seen {
		slices.Sort(all)
		o[pkg+" "+test] = strings.Join(all, "+")
	}
}

// alike returns the outcomes that are the same in all runs.
func alike(runs []outcomes) outcomes {
	same := maps.Clone(runs[0])
	for _, run := range runs[1:] {
		maps.DeleteFunc(same, func(test, outcome string) bool {
			now, ran := run[test]
			return !ran || now != outcome
		})
	}
	return same
}

// differences lists the tests that have another outcome in a run.
func (o outcomes) differences(run outcomes, k kind) []string {
	var all []string
	for _, test := range slices.Sorted(maps.Keys(o)) {
		now, ran := run[test]
		if !ran {
			now = "did not run"
		}
		if now != o[test] {
			all = append(all, fmt.Sprintf("%s: %s, %s %s", test, o[test], k, now))
		}
	}
	return all
}
