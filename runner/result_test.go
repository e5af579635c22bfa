package runner

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"spell-lsp/instrument"
	"spell-lsp/instrument/probe"
	"spell-lsp/runner/attribution"
	"spell-lsp/runner/meter"
	"spell-lsp/spell"
	"spell-lsp/spell/record"
	"spell-lsp/spell/record/ranking"
	"spell-lsp/spell/record/validity"
)

// With a meter of disks, only tests have energy of the domain disk. Components, cells, parts and
// rounds do not have the key, because 0 J would be wrong.
func TestRunWithDisk(t *testing.T) {
	domains := []spell.Domain{spell.Disk, spell.CPU} // the disk comes first
	functions := []spell.Component{{ID: "m.F", Kind: spell.KindFunction}}
	s := &subject{build: &instrument.Build{Components: functions}, units: functions, unitOf: []int{0}}
	o := &observation{pkg: "m", name: "TestBoth", outcome: record.Pass, executions: 1, timeMS: 1000, joules: []float64{3, 10}}
	o.intervals = []*attribution.Interval{{
		Counts: map[int]probe.Count{1: {N: 1, SelfNS: 0.5e9, CumNS: 0.5e9, WallNS: 0.5e9}}, Joules: o.joules, LengthNS: 1e9, ProgramNS: 0.5e9,
	}}
	r := &round{tests: []*observation{o}}
	model := attribution.NewModel(attribution.Machine{Domains: domains}, 1, true)
	model.SetRest(attribution.Rest{IdleW: []float64{0, 2}})
	run := &record.Run{Schema: record.Schema, Granularity: spell.KindFunction, Rounds: 1, Mode: "instrument",
		Meter: record.Meter{Name: "disk,model", Source: record.Estimated, Domains: domains}}
	f := findingsOf(shareEnergy(s, model.Powers(), nil, []*round{r}), s, domains)
	f.fill(run)
	ranking.Analyze(run, spell.Options{Order: spell.OrderAuto}, false)
	c, test := run.Components[0], run.Tests[0]
	cpu := func(joules float64) record.Energy { return record.Energy{spell.CPU: joules} }
	for _, e := range []struct {
		what      string
		want, got any
	}{
		{"energy", cpu(8), c.EnergyJ}, {"cumulative energy", cpu(8), c.CumEnergyJ}, {"energy per call", 8.0, c.EPIJ},
		{"rounds", map[spell.Domain][]float64{spell.CPU: {8}}, c.RoundEnergyJ},
		{"similarities", map[string]float64{"cpu": 1, "n": 1, "time": 1}, c.Phi},
		{"energy of the cell", cpu(8), run.Matrix.Cell(0).EnergyJ}, {"its cumulative energy", cpu(8), run.Matrix.Cell(0).CumEnergyJ},
		{"energy of the test", record.Energy{spell.CPU: 10, spell.Disk: 3}, test.EnergyJ},
		{"unattributed", record.Energy{spell.CPU: 2, spell.Disk: 3}, test.UnattributedJ},
		{"not known by function", record.Energy{spell.Disk: 3}, test.Unattributed[record.NotByFunction].EnergyJ},
		{"idle", record.Energy{spell.CPU: 2, spell.Disk: 0}, test.Unattributed[record.Idle].EnergyJ},
		{"balance", 0.0, run.Imbalance()},
	} {
		if diff := cmp.Diff(e.want, e.got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", e.what, diff)
		}
	}
	for name, part := range test.Unattributed {
		if _, has := part.EnergyJ[spell.Disk]; has && name != record.Idle && name != record.NotByFunction {
			t.Errorf("the part %q has a share of the disk", name)
		}
	}
	if _, err := validity.Checked(run); err != nil {
		t.Error(err)
	}
}

// A test that fails in one round has failed. Means are over the rounds in which it ran.
func TestAverage(t *testing.T) {
	obs := func(name string, outcome record.Outcome, joules, n float64) sharedTest {
		return sharedTest{
			observation: &observation{pkg: "p", name: name, outcome: outcome, timeMS: 10, joules: []float64{joules}},
			shares:      map[int]attribution.Share{0: {N: n, Joules: []float64{joules / 2}, CumJoules: []float64{joules}}},
		}
	}
	means := average([][]sharedTest{
		{obs("A", record.Pass, 2, 1), obs("B", record.Fail, 4, 2)},
		{obs("A", record.Pass, 4, 3), obs("B", record.Pass, 4, 2)},
		{obs("A", record.Crash, 6, 5)},
	})
	if len(means) != 2 || means[0].name != "A" || means[1].name != "B" {
		t.Fatalf("means are %+v, want A and B", means)
	}
	a, b := means[0], means[1]
	if a.outcome != record.Crash || a.rounds != 3 || a.joules[0] != 4 || a.shares[0].N != 3 || a.shares[0].Joules[0] != 2 || a.timeMS != 10 {
		t.Errorf("A is %+v, want the mean of 3 rounds, and a crash", a)
	}
	if b.outcome != record.Fail || b.rounds != 2 || b.joules[0] != 4 {
		t.Errorf("B is %+v, want the mean of 2 rounds, and a failure", b)
	}
}

// A function that did not run is listed if its body equals the body of a function that ran.
func TestIdenticalBodies(t *testing.T) {
	function := func(id, hash string) spell.Component {
		return spell.Component{ID: "m." + id, Kind: spell.KindFunction, Package: "m", File: "a.go", Hash: hash}
	}
	build := &instrument.Build{
		Components: []spell.Component{
			function("Ran", "1"), function("AlsoRan", "1"), {}, function("Left", "1"), function("Other", "2"),
			{ID: "m.Ran#for1", Kind: spell.KindBlock, Package: "m", File: "a.go", Hash: "1"},
		},
		Bare: []spell.Component{function("Tight", "1"), function("Loose", "3")},
	}
	r := &record.Run{Components: []record.Component{component(build.Components[0], columns{}), component(build.Components[1], columns{})}}
	want := []record.IdenticalBody{{ID: "m.Left", Package: "m", File: "a.go", Hash: "1"}, {ID: "m.Tight", Package: "m", File: "a.go", Hash: "1"}}
	if diff := cmp.Diff(want, identicalBodies(r, build)); diff != "" {
		t.Errorf("functions with the same body (-want +got):\n%s", diff)
	}
}

// Functions without a probe are no units themselves, but the hash of their package, file or type
// includes them.
func TestUnitsOf(t *testing.T) {
	function := func(id, file, hash string) spell.Component {
		return spell.Component{ID: "m." + id, Kind: spell.KindFunction, Package: "m", File: file, Line: 3, EndLine: 4, Hash: hash}
	}
	build := &instrument.Build{
		Components: []spell.Component{function("T.A", "a.go", "1"), {}, function("B", "b.go", "2")},
		Bare:       []spell.Component{function("T.C", "a.go", "3"), function("D", "d.go", "4")},
	}
	plain := &instrument.Build{Components: build.Components}
	for _, test := range []struct {
		granularity spell.Kind
		units       int
		of          []int
		changed     []bool // whether functions without a probe change the hash, by unit
	}{
		{spell.KindPackage, 1, []int{0, -1, 0}, []bool{true}},
		{spell.KindFile, 2, []int{0, -1, 1}, []bool{true, false}},
		{spell.KindType, 2, []int{0, -1, 1}, []bool{true, false}},
		{spell.KindFunction, 2, []int{0, -1, 1}, []bool{false, false}},
	} {
		units, of := unitsOf(build, test.granularity)
		if len(units) != test.units || !slices.Equal(of, test.of) {
			t.Errorf("by %s: %d units, %v", test.granularity, len(units), of)
			continue
		}
		without, _ := unitsOf(plain, test.granularity)
		for i, changed := range test.changed {
			if (units[i].Hash != without[i].Hash) != changed || units[i].Hash == "" {
				t.Errorf("by %s: the hash of %s is %q, and %q without the functions that have no probe", test.granularity, units[i].ID, units[i].Hash, without[i].Hash)
			}
		}
	}
	if units, of := unitsOf(&instrument.Build{Bare: build.Bare}, spell.KindFile); len(units)+len(of) > 0 {
		t.Errorf("a build without components has units: %v, %v", units, of)
	}
}

// A record must not reveal the folders of the machine, so its root is relative.
func TestRelativeRoot(t *testing.T) {
	dir := t.TempDir()
	if err := os.MkdirAll(filepath.Join(dir, "m/sub"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(filepath.Join(dir, "m"), filepath.Join(dir, "link")); err != nil {
		t.Fatal(err)
	}
	for folder, want := range map[string]string{"m": ".", "m/sub": "..", "link": ".", "link/sub": ".."} {
		if got := relativeRoot(filepath.Join(dir, folder), filepath.Join(dir, "m")); got != want {
			t.Errorf("from %s the root is %s, want %s", folder, got, want)
		}
	}
}

func TestGlobs(t *testing.T) {
	got := strings.Join(globs([]string{"./sub", "sub/", "sub/**", "./a/b/**/", "*.pb.go", "gen/*"}), " ")
	if want := "sub sub sub a/b *.pb.go gen/*"; got != want {
		t.Errorf("globs are %s, want %s", got, want)
	}
}

// A test is below resolution if the uncertainty of its start and end is not small compared with its
// time.
func TestShortTestsAreMarked(t *testing.T) {
	for _, test := range []struct {
		name        string
		ms          float64
		executions  float64
		uncertainMS float64
		info        meter.Info
		short       bool
	}{
		{"one long window", 400, 1, 1, meter.Info{}, false},
		{"one short window", 30, 1, 1, meter.Info{}, true},
		{"many short windows", 20, 20, 1, meter.Info{}, true},
		{"many short windows with well-known start and end", 20, 20, 0.04, meter.Info{}, false},
		{"one very short window with well-known start and end", 1, 1, 0.04, meter.Info{}, true},
		{"the host's share in a minute", 60e3, 1, 0.04, meter.Info{Domains: []spell.Domain{spell.CPU}}.HostsShare(), true},
		{"the host's share in ten minutes", 600e3, 1, 0.04, meter.Info{Domains: []spell.Domain{spell.CPU}}.HostsShare(), false},
	} {
		r := &record.Run{Tests: []record.Test{{Name: "p.TestA"}}}
		o := observed("TestA", record.Pass, test.ms)
		o.executions = test.executions
		markShortTests(r, []*round{{tests: []*observation{o}}}, test.uncertainMS, test.info)
		if got := r.Tests[0].BelowResolution; got != test.short {
			t.Errorf("%s: below resolution is %v", test.name, got)
		}
	}
}
