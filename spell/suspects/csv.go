package suspects

import (
	"encoding/csv"
	"fmt"
	"io"
	"strconv"

	"spell-lsp/spell/csvtext"
)

// CSV writes a line for each component, in the order of the ranking, behind one
// that names the columns (RFC 4180):
//
//	rank,score,tied,group,component,package,file,line,executed_failed,executed_passed,not_executed_failed,not_executed_passed
//
// tied is true or false. Components that the tests cannot tell apart have the
// same number in group, from 1; it is empty for a component of its own, and for
// those that no test ran. line is empty where it is not known. The last four are
// numbers of tests. Names that a spreadsheet would execute as a formula have a single
// quote before them: see [csvtext.Encode]. A score reads back to the last bit.
func CSV(w io.Writer, r Result) error {
	out := csv.NewWriter(w)
	lines := [][]string{{"rank", "score", "tied", "group", "component", "package", "file", "line",
		"executed_failed", "executed_passed", "not_executed_failed", "not_executed_passed"}}
	groups := r.groupNumbers()
	for i := range r.Suspects {
		lines = append(lines, r.line(i, groups))
	}
	if err := out.WriteAll(lines); err != nil {
		return fmt.Errorf("writing the suspects as CSV: %w", err)
	}
	return nil
}

func (r *Result) line(i int, groups []int) []string {
	s := r.Suspects[i]
	c := r.Components[s.Component]
	return []string{strconv.Itoa(s.Rank), strconv.FormatFloat(s.Score, 'g', -1, 64), strconv.FormatBool(s.Tied),
		known(groups[s.Component]), csvtext.Encode(c.ID), csvtext.Encode(c.Package), csvtext.Encode(c.File), known(c.Line),
		strconv.Itoa(s.ExecutedFailed), strconv.Itoa(s.ExecutedPassed), strconv.Itoa(s.NotExecutedFailed), strconv.Itoa(s.NotExecutedPassed)}
}

// groupNumbers are those of the ambiguity groups of components, from 1; 0 for
// none.
func (r *Result) groupNumbers() []int {
	of := make([]int, len(r.Components))
	for i, g := range r.Diagnosability.Groups {
		for _, j := range g.Components {
			of[j] = i + 1
		}
	}
	return of
}

// known is a number from 1, "" for 0.
func known(n int) string {
	if n < 1 {
		return ""
	}
	return strconv.Itoa(n)
}
