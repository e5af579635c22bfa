package results

import (
	"slices"
	"strings"

	"spell-lsp/spell/record"
	"spell-lsp/spell/settings"
)

// OfPrograms reports whether the rows of a run are programs that can be run again, and not tests: only
// such programs have exit codes.
func OfPrograms(r *record.Run) bool {
	return slices.ContainsFunc(r.Tests, func(t record.Test) bool { return t.ExitCode != nil })
}

// Rows is the noun for the rows of a run: test or program.
func Rows(r *record.Run) string {
	if r.RowWord() == record.TestRow {
		return record.TestRow
	}
	return record.ProgramRow
}

// Scenarios are the scenarios in which the programs of a run of them ran, as the run has them, by
// name. It is nil where the run does not say.
func (r *Result) Scenarios() map[string]settings.Scenario {
	return settings.RecordedScenarios(r.Run.Settings)
}

// ScenarioOf is the name of the scenario of a row of a run of programs.
func ScenarioOf(t *record.Test) string { return strings.TrimPrefix(t.Name, t.Package+".") }

// ranAll reports whether a run of programs has the functions of all programs of an older one.
func (r *Result) ranAll(old *Result) bool {
	for i := range old.Run.Tests {
		name := old.Run.Tests[i].Name
		if !slices.ContainsFunc(r.Run.Tests, func(t record.Test) bool { return t.Name == name }) {
			return false
		}
	}
	return !r.HasBlocks() && !old.Loaded()
}

// Ran returns which tests and programs ran a component.
func (r *Result) Ran(component int) func(test int) bool {
	ran := map[int]bool{}
	for _, cell := range r.Run.Matrix.Cells {
		if int(cell.Component) == component {
			ran[int(cell.Test)] = true
		}
	}
	return func(test int) bool { return ran[test] }
}
