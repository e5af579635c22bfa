package scaling

import (
	"fmt"
	"strings"

	"spell-lsp/spell/alternatives"
	"spell-lsp/spell/shortlist"
)

// A NoneError says that a run has no benchmark with sizes that passed.
type NoneError struct {
	Run        string
	Benchmarks []string               // that have no sizes in their names
	LeftOut    []alternatives.LeftOut // that have sizes, and did not pass
	Failed     []alternatives.LeftOut // of Benchmarks: where the program ended, those of other sizes did not run
}

func (e *NoneError) Error() string {
	switch {
	case len(e.LeftOut) > 0:
		return fmt.Sprintf("no benchmark with sizes passed in run %s: %s", e.Run, strings.Join(shortlist.Of(alternatives.LeftOutNames(e.LeftOut)), ", "))
	case len(e.Benchmarks) == 0:
		return fmt.Sprintf("run %s has no benchmarks: grow compares sub-benchmarks of several sizes, %s. Measure them with grow --bench RE", e.Run, example)
	}
	failed := ""
	if len(e.Failed) > 0 {
		failed = "; did not pass: " + strings.Join(shortlist.Of(alternatives.LeftOutNames(e.Failed)), ", ")
	}
	return fmt.Sprintf("no benchmark of run %s has sizes in its name (there are %s): a size is a part that is a whole number, or key=number, with at least three values, %s. Sub-benchmarks are measured by grow --bench RE, or by measure with --subtests%s",
		e.Run, strings.Join(shortlist.Of(e.Benchmarks), ", "), example, failed)
}

const example = `as in b.Run(fmt.Sprintf("n=%d", n), ...) for n of 16, 64, 256, 1024 and 4096`
