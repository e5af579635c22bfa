package report_test

import (
	"bytes"
	"compress/gzip"
	"encoding/base64"
	"encoding/json"
	"errors"
	"html"
	"io"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"spell-lsp/internal/recordtest"
	"spell-lsp/spell"
	"spell-lsp/spell/comparison"
	"spell-lsp/spell/record"
	"spell-lsp/spell/record/calltree"
	"spell-lsp/spell/record/calmness"
	"spell-lsp/spell/record/ranking"
	"spell-lsp/spell/record/recordjson"
	"spell-lsp/spell/report"
	"spell-lsp/spell/text"
)

// Names of functions, tests and files are what somebody else wrote.
const attack = `</script><img src=x onerror="document.title='owned'">`

func write(t *testing.T, r *record.Run, o report.Options) string {
	t.Helper()
	var b bytes.Buffer
	if err := report.Write(&b, r, o); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// data is the run in the page, which is compressed if it is large.
func data(t *testing.T, page string) string {
	t.Helper()
	before, rest, _ := strings.Cut(page, `" id="data">`)
	text, _, ok := strings.Cut(rest, "</script>")
	if strings.HasSuffix(before, `type="application/gzip`) {
		r, err := gzip.NewReader(base64.NewDecoder(base64.StdEncoding, strings.NewReader(text)))
		if err != nil {
			t.Fatal(err)
		}
		unpacked, err := io.ReadAll(r)
		if err != nil {
			t.Fatal(err)
		}
		if text = string(unpacked); len(text) < 1<<20 {
			t.Errorf("%d bytes are compressed: they cannot be read in the page, for nothing", len(text))
		}
	}
	if !ok || !json.Valid([]byte(text)) {
		t.Fatalf("the page has no data, or broken data: %.200s", text)
	}
	return text
}

// Every page of a run says in the same words how far measuring changed the program.
func TestCalmnessOnEveryPage(t *testing.T) {
	r := recordtest.Park()
	whole := recordtest.Complete()
	r.PeriodMS, r.Calmness = whole.PeriodMS, whole.Calmness
	line := calmness.Text(r)
	pages := map[string]func(io.Writer) error{
		"text":     func(w io.Writer) error { return text.Write(w, r, text.Options{Full: true}) },
		"markdown": func(w io.Writer) error { return text.Markdown(w, r, nil, text.Options{}) },
		"JSON":     func(w io.Writer) error { return recordjson.Write(w, r) },
		"HTML":     func(w io.Writer) error { return report.Write(w, r, report.Options{}) },
	}
	for name, write := range pages {
		var b bytes.Buffer
		err := write(&b)
		got := strings.Join(strings.Fields(strings.ReplaceAll(b.String(), "\\", "")), " ")
		if err != nil || strings.Count(got, line) != 1 {
			t.Errorf("%s: %v, %d times %q in\n%s", name, err, strings.Count(got, line), line, got)
		}
	}
}

// A shown run is what tests look at of the data.
type shown struct {
	Honesty    struct{ Warnings []string }
	Components struct {
		Name       []string
		Psi        []float64
		Zone       string
		Marks      string
		EnergyJ    [][]float64 `json:"energy_j"`
		EnergyHigh []float64   `json:"energy_high"`
		Structure  map[string][]int
		Powers     map[string][]float64
	}
	Row   string
	Tests struct {
		Name     []string
		ExitCode []int `json:"exit_code"`
	}
	Timeline struct {
		Test    []int
		TimeMS  [][]float64 `json:"time_ms"`
		EnergyJ [][]float64 `json:"energy_j"`
	}
	Cells struct {
		Components int
		Test       []int
		Component  []int
		TimeMS     []float64 `json:"time_ms"`
		EnergyJ    []float64 `json:"energy_j"`
	}
	Tree struct {
		Parent, Component []int
		TimeMS            []float64 `json:"time_ms"`
		EnergyJ           []float64 `json:"energy_j"`
		Cut               []int
	}
}

func decoded(t *testing.T, r *record.Run) shown {
	t.Helper()
	ranking.Analyze(r, spell.Options{Order: spell.OrderAuto}, false)
	return asRanked(t, r)
}

func asRanked(t *testing.T, r *record.Run) (d shown) {
	t.Helper()
	if err := json.Unmarshal([]byte(data(t, write(t, r, report.Options{Top: -1}))), &d); err != nil {
		t.Fatal(err)
	}
	return d
}

// The page of programs speaks of these, and has their exit codes; that of tests does neither.
func TestPrograms(t *testing.T) {
	attached := recordtest.Park()
	attached.Settings = map[string]any{"attach": map[string]any{"name": "park"}}
	for _, of := range []struct {
		r    *record.Run
		want string
	}{{recordtest.Scenarios(), "scenario"}, {recordtest.Service(), "program"}, {attached, "program"}, {recordtest.Park(), ""}} {
		r, want := of.r, of.want
		d := asRanked(t, r)
		var codes []int
		for _, test := range r.Tests {
			if test.ExitCode != nil {
				codes = append(codes, *test.ExitCode)
			}
		}
		if d.Row != want || !slices.Equal(d.Tests.ExitCode, codes) {
			t.Errorf("rows are %q with exit codes %v, want %q with %v", d.Row, d.Tests.ExitCode, want, codes)
		}
	}
}

// The map is of the matrix that was ranked: with what callees used, where that was.
func TestCellsOfAnInclusiveAnalysis(t *testing.T) {
	r := hostile("20261120T180000Z-0001", 2)
	for i, c := range r.Matrix.Cells {
		r.Matrix.CumTimeMS = append(r.Matrix.CumTimeMS, float64(3+i)*c.TimeMS)
		r.Matrix.CumEnergyJ = append(r.Matrix.CumEnergyJ, float64(5+i)*r.Matrix.EnergyJ[i])
	}
	self := decoded(t, r)
	if _, err := ranking.AnalyzeInclusive(r, spell.Options{Order: spell.OrderAuto}, false); err != nil {
		t.Fatal(err)
	}
	inclusive := asRanked(t, r)
	for what, sums := range map[string][3]float64{
		"self":      {sum(self.Cells.TimeMS), sum(self.Cells.EnergyJ), sum(self.Components.EnergyJ[0])},
		"inclusive": {sum(inclusive.Cells.TimeMS), sum(inclusive.Cells.EnergyJ), sum(inclusive.Components.EnergyJ[0])},
	} {
		want := map[string][3]float64{"self": {3500, 3.5, 3.5}, "inclusive": {3*2000 + 4*1000 + 5*500, 5*2 + 6*1 + 7*0.5, 5*2 + 6*1 + 7*0.5}}[what]
		if sums != want {
			t.Errorf("%s: time and energy of the cells, energy of the components: %v, want %v", what, sums, want)
		}
	}
}

// What is known of all tests together only does not stand beside values that leave out
// what failed.
func TestNoIntervalsOfFailedTests(t *testing.T) {
	r := recordtest.Failing()
	r.Components[2].EnergyCI = map[spell.Domain][2]float64{spell.CPU: {0, 0.5}}
	of := asRanked(t, r).Components
	if high := of.EnergyHigh; len(high) != 5 || high[0] != 0 || high[1] != 0 || high[2] == 0 {
		t.Errorf("upper ends of the energy are %v, want that of the third only: failed tests ran the others", high)
	}
	if of.EnergyJ[0][0] > 2 {
		t.Errorf("the first used %v J: those of the failed test are in it", of.EnergyJ[0][0])
	}
}

// The flame graph stands beside the ranking: what a failed test used is in neither.
func TestTreeWithoutFailedTests(t *testing.T) {
	r := hostile("20261120T180000Z-0001", 2)
	want := decoded(t, r).Tree
	first := &r.Components[0]
	r.Tests = append(r.Tests, record.Test{Name: "example.com/park.TestBad", Outcome: record.Fail, Rounds: 8, EnergyJ: record.Energy{spell.CPU: 100}})
	r.Matrix.Add(record.Cell{T: 3, C: 0, N: 100, TimeMS: 5000, EnergyJ: record.Energy{spell.CPU: 100}})
	first.N, first.TimeMS, first.EnergyJ = first.N+100, first.TimeMS+5000, record.Energy{spell.CPU: first.EnergyJ[spell.CPU] + 100}
	calltree.Set(r, r.CallTree) // its times are those of all tests
	if diff := cmp.Diff(want, decoded(t, r).Tree, cmpopts.EquateApprox(1e-6, 0)); diff != "" {
		t.Errorf("the tree (-want +got):\n%s", diff)
	}
}

func sum(list []float64) (all float64) {
	for _, v := range list {
		all += v
	}
	return all
}

// hostile is a run all of whose names would like to be markup. sortJ is what its
// costliest function used in a round.
func hostile(id string, sortJ float64) *record.Run {
	module := "example.com/" + attack
	rounds := func(v float64) (list []float64) {
		for i := range 8 {
			list = append(list, v*(1+0.001*float64(i%3-1)))
		}
		return list
	}
	r := &record.Run{
		ID: id, Started: time.Date(2026, 11, 20, 18, 0, 0, 0, time.UTC), DurationMS: 2000,
		Workspace: record.Workspace{Root: ".", Module: module, Revision: attack},
		Host:      record.Host{OS: "linux", Arch: "amd64", CPU: attack, Cores: 2},
		Meter:     record.Meter{Name: "model", Source: record.Estimated, Domains: []spell.Domain{spell.CPU}, Warnings: []string{attack + "\u2028"}},
		Mode:      "instrument", Granularity: spell.KindFunction, Rounds: 8, Converged: true,
		Warnings: []string{attack},
	}
	for i, joules := range []float64{sortJ, 1, 0.5} {
		ms := 1000 * joules
		r.Components = append(r.Components, record.Component{
			ID: module + "." + attack + string(rune('a'+i)), Kind: spell.KindFunction, Package: module, File: attack + ".go", Line: 10 * (i + 1),
			Hash: string(rune('a' + i)), N: 10, TimeMS: ms, EnergyJ: record.Energy{spell.CPU: joules}, BelowResolution: i == 2,
			RoundEnergyJ: map[spell.Domain][]float64{spell.CPU: rounds(joules)}, RoundTimeMS: rounds(ms),
		})
		name := module + ".Test" + attack + string(rune('a'+i))
		r.Tests = append(r.Tests, record.Test{
			Name: name, Outcome: record.Pass, Rounds: 8, TimeMS: ms, EnergyJ: record.Energy{spell.CPU: 1.5 * joules}, UnattributedJ: record.Energy{spell.CPU: joules / 2},
			Unattributed: map[record.Part]record.Unattributed{record.Idle: {EnergyJ: record.Energy{spell.CPU: joules / 2}}},
			RoundEnergyJ: map[spell.Domain][]float64{spell.CPU: rounds(1.5 * joules)}, RoundTimeMS: rounds(ms),
		})
		r.Matrix.Domains = r.Meter.Domains
		r.Matrix.Add(record.Cell{T: i, C: i, N: 10, TimeMS: ms, EnergyJ: record.Energy{spell.CPU: joules}})
	}
	r.CallTree = []record.CallNode{{Parent: -1, Component: 0, TimeMS: 1000 * sortJ}, {Parent: 0, Component: 1, TimeMS: 1000}}
	ranking.Analyze(r, spell.Options{Order: spell.OrderAuto}, false)
	return r
}

// What is in the golden file is played in the tests of vscode-client/report.
func TestNamesAreNoMarkup(t *testing.T) {
	head := hostile("20261120T180000Z-3f9a", 4)
	c, err := comparison.Compare(hostile("20261119T180000Z-3f9a", 8), head, comparison.Options{})
	if err != nil {
		t.Fatal(err)
	}
	page := write(t, head, report.Options{Comparison: c, Nonce: "n"})
	if strings.Contains(page, "<img") || strings.Contains(page, "\u2028") {
		t.Error("a name got into the page as it is")
	}
	got := data(t, page)
	if strings.ContainsAny(got, "<>&") {
		t.Error("the data have characters that mean something to HTML")
	}
	recordtest.Golden(t, "hostile.json", got+"\n")
}

// A script that is not the page's own does not run, and nothing is loaded.
func TestPolicy(t *testing.T) {
	run := hostile("20261120T180000Z-3f9a", 4)
	page := write(t, run, report.Options{})
	_, rest, _ := strings.Cut(page, `<meta http-equiv="Content-Security-Policy" content="`)
	policy, _, _ := strings.Cut(rest, `"`)
	_, rest, _ = strings.Cut(policy, "script-src 'nonce-")
	nonce, _, _ := strings.Cut(rest, "'")
	if len(nonce) < 20 {
		t.Fatalf("the policy is %q: there must be a nonce that nobody guesses", policy)
	}
	want := "default-src 'none'; script-src 'nonce-" + nonce + "'; style-src 'nonce-" + nonce + "'; img-src data:; base-uri 'none'; form-action 'none'"
	if policy != want {
		t.Errorf("the policy is %q, want %q", policy, want)
	}
	if n := strings.Count(page, "Content-Security-Policy"); n != 1 {
		t.Errorf("there are %d policies: an editor replaces one", n)
	}
	for _, tag := range []string{"<script", "<style"} {
		if all, own := strings.Count(page, tag), strings.Count(page, tag+` nonce="`+nonce+`"`); all != own || own == 0 {
			t.Errorf("%d of %d %s have the nonce", own, all, tag)
		}
	}
	for _, place := range []string{"SPELL-NONCE", "SPELL-TYPE", "SPELL-DATA", "SPELL-TITLE", "SPELL-STYLE", "SPELL-SCRIPT"} {
		if strings.Contains(page, place) {
			t.Errorf("%s is still in the page", place)
		}
	}
	if other := write(t, run, report.Options{}); other == page {
		t.Error("two pages have the same nonce")
	}
}

// A module, a package or a test may be called like a placeholder of the template: the
// page is the one of any other name.
func TestNamesOfPlaceholders(t *testing.T) {
	const other = "other-name"
	page := func(name string) string {
		r := hostile("20261120T180000Z-0001", 2)
		r.Workspace.Module = name
		r.Tests[0].Name, r.Components[0].ID = name, name+".F"
		ranking.Analyze(r, spell.Options{Order: spell.OrderAuto}, false)
		return write(t, r, report.Options{Nonce: "fixed"})
	}
	want := page(other)
	for _, name := range []string{"SPELL-DATA", "SPELL-TITLE", "SPELL-TYPE", "SPELL-NONCE", "SPELL-TITLESPELL-DATA", "$&", "%s"} {
		got := page(name)
		data(t, got) // which must be JSON
		escaped := strings.NewReplacer("&", "&amp;").Replace(name)
		inJSON, _ := json.Marshal(name)
		got = strings.ReplaceAll(got, "<title>Energy of "+escaped, "<title>Energy of "+other)
		if got = strings.ReplaceAll(got, strings.Trim(string(inJSON), `"`), other); got != want {
			t.Errorf("a module called %s makes another page", name)
		}
	}
}

// Names and messages are shown with every character visible, in the title too: what
// turns the direction of writing makes a name look like another.
func TestHiddenCharactersAreShown(t *testing.T) {
	r := hostile("20261120T180000Z-0001", 2)
	const hidden = "a\u202eb\u009b\x1b]0;x\a\u2028\\u0041<&\"é"
	r.Workspace.Module, r.Tests[0].Name, r.Warnings = hidden, hidden, []string{"one\r\ntwo\tthree"}
	ranking.Analyze(r, spell.Options{Order: spell.OrderAuto}, false)
	page := write(t, r, report.Options{})
	const visible = `a\u202eb\u009b\x1b]0;x\a\u2028\u0041<&"é`
	if want := "<title>Energy of " + html.EscapeString(visible) + "</title>"; !strings.Contains(page, want) {
		t.Errorf("the title is not %s", want)
	}
	var d shown
	if err := json.Unmarshal([]byte(data(t, page)), &d); err != nil {
		t.Fatal(err)
	}
	if !slices.Contains(d.Tests.Name, visible) || !slices.Contains(d.Honesty.Warnings, "one\ntwo\tthree") {
		t.Errorf("the tests are %q, the warnings %q", d.Tests.Name, d.Honesty.Warnings)
	}
}

// A page must open whatever a run has or has not.
func TestRunsThatLackSomething(t *testing.T) {
	for name, r := range map[string]*record.Run{
		"nothing":   {},
		"no energy": {Meter: record.Meter{Source: record.NoEnergy}, Tests: []record.Test{{Name: "t", Outcome: record.Skip}}},
		"no rounds": {
			Meter:  record.Meter{Name: "model", Source: record.Estimated, Domains: []spell.Domain{spell.CPU}},
			Tests:  []record.Test{{Name: "t", Outcome: record.Pass, TimeMS: 1, RoundEnergyJ: map[spell.Domain][]float64{spell.CPU: {}}}},
			Matrix: record.MatrixOf([]spell.Domain{spell.CPU}),
		},
		"a matrix": record.FromMatrix(&spell.Matrix{
			Domains: []spell.Domain{spell.CPU}, Tests: []string{"t1"}, Components: []spell.Component{{ID: "c1"}},
			Cells: []spell.Cell{{N: 1, TimeMS: 1}}, Energy: []float64{1},
		}, ""),
	} {
		if d := decoded(t, r); len(d.Components.Name) != len(r.Components) || len(d.Tests.Name) != len(r.Tests) {
			t.Errorf("%s: %+v", name, d)
		}
		text := data(t, write(t, r, report.Options{}))
		for _, column := range []string{"domains", "weights", "name", "psi_low", "energy_j", "test", "parent", "cut", "parts", "facts"} {
			if strings.Contains(text, `"`+column+`":null`) {
				t.Errorf("%s: %s is null, the page wants a list", name, column)
			}
		}
	}
}

// Large trees, matrices and runs of many tests are cut, but nothing goes missing from
// their sums.
func TestLargeRuns(t *testing.T) {
	const n, tests = 50_000, 300
	r := &record.Run{
		Meter: record.Meter{Name: "rapl", Source: record.Measured, Domains: []spell.Domain{spell.CPU}}, Rounds: 2,
		Matrix: record.Matrix{Domains: []spell.Domain{spell.CPU}},
	}
	for range tests {
		r.Tests = append(r.Tests, record.Test{Outcome: record.Pass, TimeMS: 2, EnergyJ: record.Energy{spell.CPU: 3}, RoundTimeMS: []float64{1, 3}})
	}
	var allMS float64
	for i := range n {
		ms := float64(1 + i%100)
		allMS += ms
		r.Components = append(r.Components, record.Component{N: 1, TimeMS: ms, EnergyJ: record.Energy{spell.CPU: 2 * ms}})
		if i != 7 { // which no sample saw
			parent := len(r.CallTree)/2 - 1
			r.CallTree = append(r.CallTree, record.CallNode{Parent: parent, Component: i, TimeMS: ms, Cut: parent < 0 && i == 1})
		}
		for k := range 300 / (1 + i) {
			r.Matrix.Add(record.Cell{T: k, C: i, N: 1, TimeMS: 1, EnergyJ: record.Energy{spell.CPU: 1}})
		}
	}
	d := decoded(t, r)
	if page := write(t, r, report.Options{}); !strings.Contains(page, `type="application/gzip" id="data"`) {
		t.Error("the data are not compressed")
	}
	if len(d.Tree.Parent) > 45_000 || len(d.Tree.Parent) < 30_000 {
		t.Errorf("the tree has %d nodes", len(d.Tree.Parent))
	}
	near := cmp.Comparer(func(a, b float64) bool { return a-b < 1e-4*a && b-a < 1e-4*a })
	if diff := cmp.Diff([]float64{allMS, 2 * allMS}, []float64{sum(d.Tree.TimeMS), sum(d.Tree.EnergyJ)}, near); diff != "" {
		t.Errorf("time and energy of the tree (-want +got):\n%s", diff)
	}
	for i, parent := range d.Tree.Parent {
		if parent >= i {
			t.Fatalf("node %d stands before what called it, %d", i, parent)
		}
	}
	if diff := cmp.Diff([]int{1}, d.Tree.Cut); diff != "" {
		t.Errorf("roots whose callers are not known (-want +got):\n%s", diff)
	}
	if len(d.Timeline.Test) != 101 || d.Timeline.Test[100] != -1 {
		t.Fatalf("the timeline tells %d tests apart, the last is %d", len(d.Timeline.Test), d.Timeline.Test[len(d.Timeline.Test)-1])
	}
	if diff := cmp.Diff([][]float64{{1, 3}, {200, 600}}, [][]float64{d.Timeline.TimeMS[0], d.Timeline.TimeMS[100]}); diff != "" {
		t.Errorf("time of the first test and of the others together, by round (-want +got):\n%s", diff)
	}
	if d.Cells.Components != 100 {
		t.Errorf("%d components have cells, want what a chart shows", d.Cells.Components)
	}
}

type full struct{}

func (full) Write([]byte) (int, error) { return 0, errors.New("disk is full") }

func TestWriteErrors(t *testing.T) {
	if err := report.Write(full{}, hostile("x", 4), report.Options{}); err == nil || err.Error() != "writing the report: disk is full" {
		t.Errorf("error is %v", err)
	}
}

// The structure stands in columns of its own, with a complexity of 0 where it is not known; without any
// there are no such columns.
func TestStructure(t *testing.T) {
	r := recordtest.Park()
	if got := asRanked(t, r).Components.Structure; got != nil {
		t.Errorf("a run without structures has %v", got)
	}
	r.Components[1].Structure = spell.Structure{Complexity: 4, LinesOfCode: 12, FanOut: 3}
	want := map[string][]int{"complexity": {0, 4, 0, 0, 0}, "lines_of_code": {0, 12, 0, 0, 0}, "fan_in": {0, 0, 0, 0, 0}, "fan_out": {0, 3, 0, 0, 0}}
	if diff := cmp.Diff(want, asRanked(t, r).Components.Structure); diff != "" {
		t.Errorf("the columns (-want +got):\n%s", diff)
	}
}

// The power stands in columns of its own, with its interval and the ratio to the mean. Where components draw the same, or their
// values have what they called in them, there are none.
func TestPowers(t *testing.T) {
	r := recordtest.Park()
	for i := range r.Components {
		r.Components[i].EnergyJ, r.Components[i].TimeMS = record.Energy{spell.CPU: 2}, 100
	}
	if got := asRanked(t, r).Components.Powers; got != nil {
		t.Errorf("a run whose components draw the same has %v", got)
	}
	r.Components[1].EnergyJ, r.Components[1].EnergyCI = record.Energy{spell.CPU: 4}, map[spell.Domain][2]float64{spell.CPU: {3, 5}}
	r.Components[2].TimeMS = 0
	want := map[string][]float64{"watts": {20, 40, 0, 20, 0}, "low": {0, 30, 0, 0, 0}, "high": {0, 50, 0, 0, 0}, "ratio": {0.75, 1.5, 0, 0.75, 0}}
	if diff := cmp.Diff(want, asRanked(t, r).Components.Powers); diff != "" {
		t.Errorf("the columns (-want +got):\n%s", diff)
	}
	r.Analysis.Inclusive = true
	r.Matrix.CumTimeMS, r.Matrix.CumEnergyJ = make([]float64, len(r.Matrix.Cells)), r.Matrix.EnergyJ
	if got := asRanked(t, r).Components.Powers; got != nil {
		t.Errorf("an inclusive ranking has %v", got)
	}
}
