package runner

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"

	"spell-lsp/runner/children"
	"spell-lsp/spell"
	"spell-lsp/spell/note"
	"spell-lsp/spell/record"
	"spell-lsp/spell/wording"
)

// A run warns if child processes used 5 % or more of the tests' energy or CPU time, and names the
// programs.
func TestWarningOfChildren(t *testing.T) {
	for _, test := range []struct {
		why            string
		cpuMS, childMS float64 // of functions and of children
		joules, childJ float64 // of the tests, and of children
		programs       []children.Program
		want           string
	}{
		{"no child processes", 100, 0, 10, 0, nil, ""},
		{"4 % of the time and of the energy", 960, 40, 100, 4, []children.Program{{Name: "sh", NS: 4}}, ""},
		{"5 % of the time", 950, 50, 100, 1, []children.Program{{Name: "sh", NS: 50}},
			`child processes used 5 % of the CPU time of the tests and 1 % of their energy (sh 100.0 %): it belongs to no function, but is unattributed, as "child processes"`},
		{"5 % of the energy", 990, 10, 100, 5, []children.Program{{Name: "cc1", NS: 30}, {Name: "sh", NS: 10}, {Name: "", NS: 60}},
			`child processes used 1 % of the CPU time of the tests and 5 % of their energy (cc1 30.0 %, sh 10.0 %, unknown 60.0 %): it belongs to no function, but is unattributed, as "child processes"`},
		{"the energy is unknown", 0, 50, 0, 0, []children.Program{{Name: "a", NS: 40}, {Name: "b", NS: 30}, {Name: "c", NS: 20}, {Name: "d", NS: 6}, {Name: "e", NS: 4}},
			`child processes used 100 % of the CPU time of the tests (a 40.0 %, b 30.0 %, c 20.0 %, other programs 10.0 %): it belongs to no function, but is unattributed, as "child processes"`},
		{"the programs are unknown", 0, 50, 0, 0, nil,
			`child processes used 100 % of the CPU time of the tests: it belongs to no function, but is unattributed, as "child processes"`},
		{"4 % of the time, and the energy is unknown", 960, 40, 0, 0, nil, ""},
		{"all ended before their names were seen", 0, 50, 0, 0, []children.Program{{Name: "", NS: 6}},
			`child processes used 100 % of the CPU time of the tests (too short for their names to be seen): it belongs to no function, but is unattributed, as "child processes"`},
		{"a name with escape sequences for terminals", 0, 50, 0, 0, []children.Program{{Name: "\x1b[31mé\xff", NS: 6}},
			`child processes used 100 % of the CPU time of the tests (\x1b[31mé\xff 100.0 %): it belongs to no function, but is unattributed, as "child processes"`},
	} {
		t.Run(test.why, func(t *testing.T) {
			energy := func(joules float64) record.Energy {
				if test.joules == 0 {
					return nil
				}
				return record.Energy{spell.CPU: joules}
			}
			r := &record.Run{Tests: []record.Test{{EnergyJ: energy(test.joules), Unattributed: map[record.Part]record.Unattributed{
				record.Others: {TimeMS: 1e6}, record.Sampler: {TimeMS: 1e6}, record.Idle: {EnergyJ: energy(1)},
			}}}}
			if test.childMS > 0 {
				r.Tests[0].Unattributed[record.Children] = record.Unattributed{TimeMS: test.childMS, EnergyJ: energy(test.childJ)}
			}
			r.Matrix.Cells = []spell.Cell{{TimeMS: test.cpuMS}}
			got := ""
			if used, much := childProcesses(r, []*round{{programs: test.programs}}); much {
				got = wording.Text(used)
				var read note.Note
				if text, err := json.Marshal(used); err != nil || json.Unmarshal(text, &read) != nil || !cmp.Equal(used, read) {
					t.Errorf("%v does not survive JSON: %s, %v", used, text, err)
				}
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("warning (-want +got):\n%s", diff)
			}
		})
	}
}

// The CPU time of programs with the same name is added up over rounds.
func TestProgramsOfAllRounds(t *testing.T) {
	rounds := []*round{
		{programs: []children.Program{{Name: "sh", NS: 10}, {Name: "go", NS: 30}}},
		{programs: []children.Program{{Name: "sh", NS: 60}}},
	}
	if diff := cmp.Diff([]string{"sh 70.0 %", "go 30.0 %"}, programsNamed(rounds)); diff != "" {
		t.Errorf("the programs (-want +got):\n%s", diff)
	}
}
