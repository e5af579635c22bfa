package runner

import (
	"regexp"
	"strings"
)

// topLevel is the top-level test of a subtest, or the test itself.
func topLevel(name string) string {
	top, _, _ := strings.Cut(name, "/")
	return top
}

// hasAlternatives says whether a pattern of subtests has alternatives. It cannot be combined with
// a list of top-level tests then.
func hasAlternatives(pattern string) bool {
	return strings.Contains(pattern, "/") && strings.ContainsAny(pattern, "|[(")
}

// choose is a pattern for top-level tests of these names, with the subtests of the user's
// pattern.
func choose(tests []string, pattern string) string {
	quoted := make([]string, len(tests))
	for i, name := range tests {
		quoted[i] = regexp.QuoteMeta(name)
	}
	own := "^(" + strings.Join(quoted, "|") + ")$"
	if _, subtests, ok := strings.Cut(pattern, "/"); ok {
		own += "/" + subtests
	}
	return own
}
