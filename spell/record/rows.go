package record

// RowWord is what texts call a test of the run. Where programs were measured in place of tests
// it is "program" for one, and "scenario" for several, which may run the same program.
func (r *Run) RowWord() string {
	if _, attached := r.Settings["attach"]; attached {
		return ProgramRow
	}
	for i := range r.Tests {
		if r.Tests[i].ExitCode == nil {
			return TestRow
		}
	}
	switch len(r.Tests) {
	case 0:
		return TestRow
	case 1:
		return ProgramRow
	}
	return ScenarioRow
}

// The words of [Run.RowWord].
const (
	TestRow     = "test"
	ProgramRow  = "program"
	ScenarioRow = "scenario"
)
