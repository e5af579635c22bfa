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
// tied is true or false. group is the number of the ambiguity group, from 1; it is empty for
// components outside of groups and for those that no test ran. line is empty if unknown. The
// last four are numbers of tests. Names that a spreadsheet would execute as a formula begin
// with a single quote, see [csvtext.Encode]. Scores are written exactly.
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

// groupNumbers returns the number of each component's ambiguity group, from 1; 0 = none.
func (r *Result) groupNumbers() []int {
	of := make([]int, len(r.Components))
	for i, g := range r.Diagnosability.Groups {
		for _, j := range g.Components {
			of[j] = i + 1
		}
	}
	return of
}

// known writes a number from 1, and "" for 0.
func known(n int) string {
	if n < 1 {
		return ""
	}
	return strconv.Itoa(n)
}
