package interop

import (
	"bytes"
	"encoding/csv"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	reader "golang.org/x/perf/benchfmt"
	"golang.org/x/perf/benchmath"
	"golang.org/x/perf/benchproc"
	"golang.org/x/perf/benchunit"

	"spell-lsp/internal/recordtest"
	"spell-lsp/spell"
	"spell-lsp/spell/benchfmt"
	"spell-lsp/spell/comparison"
	"spell-lsp/spell/page"
	"spell-lsp/spell/record"
	"spell-lsp/spell/significance"
)

func writeBenchfmt(t *testing.T, r *record.Run) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := benchfmt.Write(&b, r, benchfmt.Options{}); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// readBenchfmt is what the reader of benchstat makes of the text, which must have no line that it
// cannot read.
func readBenchfmt(t *testing.T, text []byte) ([]*reader.Result, reader.UnitMetadataMap) {
	t.Helper()
	var all []*reader.Result
	r := reader.NewReader(bytes.NewReader(text), "run.txt")
	for r.Scan() {
		switch record := r.Result().(type) {
		case *reader.Result:
			all = append(all, record.Clone())
		case *reader.SyntaxError:
			t.Errorf("%v in\n%s", record, text)
		}
	}
	if err := r.Err(); err != nil {
		t.Error(err)
	}
	return all, r.Units()
}

// lines is the number of results that a run must have: one a round of each test that counts, and of
// each component that ran.
func lines(r *record.Run) int {
	count := 0
	for i := range r.Tests {
		if r.Tests[i].InAnalysis(false) {
			count += r.Rounds
		}
	}
	for i := range r.Components {
		if r.Components[i].N > 0 {
			count += r.Rounds
		}
	}
	return count
}

func TestBenchfmtIsReadBack(t *testing.T) {
	runs := recordtest.All()
	runs["benchmark"] = recordtest.Benchmark
	for name, run := range runs {
		t.Run(name, func(t *testing.T) {
			r := recordtest.InRounds(run())
			got, units := readBenchfmt(t, writeBenchfmt(t, r))
			if len(got) != lines(r) {
				t.Errorf("%d results were read, want %d", len(got), lines(r))
			}
			for _, result := range got {
				energy, meter := result.GetConfig("energy"), result.GetConfig("meter")
				if energy != string(r.Meter.Source) || meter != r.Meter.Name || result.GetConfig("kind") == "" {
					t.Errorf("the configuration of %s is %v", result.Name, result.Config)
				}
				for _, v := range result.Values {
					if units.GetBetter(v.Unit) != -1 {
						t.Errorf("less is not better of %s", v.Unit)
					}
					if v.OrigUnit != "" || benchunit.ClassOf(v.Unit) != benchunit.Decimal {
						t.Errorf("%s is not in base units of powers of ten", v.Unit)
					}
				}
			}
		})
	}
}

// medians are those of the results that a filter of benchstat lets through, by name, pkg in front.
func medians(t *testing.T, text []byte, query, unit string) map[string]float64 {
	t.Helper()
	filter, err := benchproc.NewFilter(query)
	if err != nil {
		t.Fatal(err)
	}
	values := make(map[string][]float64)
	results, _ := readBenchfmt(t, text)
	for _, r := range results {
		if ok, err := filter.Apply(r); err != nil || !ok {
			continue
		}
		if v, ok := r.Value(unit); ok {
			name := r.GetConfig("pkg") + "." + string(r.Name.Full())
			values[name] = append(values[name], v)
		}
	}
	of := make(map[string]float64)
	for name, sample := range values {
		of[name] = benchmath.AssumeNothing.Summary(benchmath.NewSample(sample, &benchmath.DefaultThresholds), 0.95).Center
	}
	return of
}

// The medians of benchstat are those of the rounds in the record, for one operation.
func TestBenchfmtMedians(t *testing.T) {
	r := recordtest.InRounds(recordtest.Benchmark())
	text := writeBenchfmt(t, r)
	add, sort := &r.Components[2], &r.Components[0]
	const m = recordtest.Module + "."
	for _, test := range []struct {
		query, unit string
		want        map[string]float64
	}{
		{"kind:benchmark", "J/op", map[string]float64{m + "Few/cars=1": ofRounds(r.Tests[1].RoundEnergyJ)}},
		{"/cars:1", "sec/op", map[string]float64{m + "Few/cars=1": significance.Median(r.Tests[1].RoundTimeMS) / 1000}},
		{"kind:test", "J/op", map[string]float64{m + "Test/TestMany": ofRounds(r.Tests[0].RoundEnergyJ)}},
		{"kind:test", "dram-J/op", map[string]float64{
			m + "Test/TestMany": significance.Median(r.Tests[0].RoundEnergyJ[spell.DRAM]),
		}},
		{".name:Func .fullname:/Sort|Add/", "J/op", map[string]float64{
			m + "Func/(*Park).Add": ofRounds(add.RoundEnergyJ) / add.N, m + "Func/(*Park).Sort": ofRounds(sort.RoundEnergyJ) / sort.N,
		}},
		{`.fullname:"Func/(*Park).Sort"`, "cpu-sec/op", map[string]float64{
			m + "Func/(*Park).Sort": significance.Median(sort.RoundTimeMS) / 1000 / sort.N,
		}},
		{"kind:func pkg:example.com/park/gate", "calls/round", map[string]float64{recordtest.Module + "/gate.Func/Open": 2.5}},
	} {
		got := medians(t, text, test.query, test.unit)
		if len(got) != len(test.want) {
			t.Errorf("-filter %q finds %v in %s, want %v", test.query, got, test.unit, test.want)
		}
		for name, want := range test.want {
			if math.Abs(got[name]-want) > 1e-12*want {
				t.Errorf("the median of %s is %v %s, want %v", name, got[name], test.unit, want)
			}
		}
	}
	// The rounds lie evenly around their mean.
	if got := medians(t, text, "*", "J/op")[m+"Func/(*Park).Sort"]; math.Abs(got-sort.EPIJ) > 1e-12*got {
		t.Errorf("the median of Sort is %v J, and its energy per call %v J", got, sort.EPIJ)
	}
}

// ofRounds is the median of the energy of all domains.
func ofRounds(byRound map[spell.Domain][]float64) float64 {
	var series [][]float64
	for _, of := range byRound {
		series = append(series, of)
	}
	return significance.Median(record.AddSeries(series))
}

// benchstat runs the command and gives its rows by name: what the columns have, and the change.
func benchstat(t *testing.T, filter string, runs ...*record.Run) map[string][]string {
	t.Helper()
	dir := t.TempDir()
	args := []string{"tool", "benchstat", "-format", "csv", "-filter", filter}
	for i, r := range runs {
		file := filepath.Join(dir, strconv.Itoa(i)+".txt")
		if err := os.WriteFile(file, writeBenchfmt(t, r), 0o600); err != nil {
			t.Fatal(err)
		}
		args = append(args, file)
	}
	cmd := exec.CommandContext(t.Context(), "go", args...)
	var out, complaints bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &complaints
	if err := cmd.Run(); err != nil {
		t.Fatalf("%v: %s", err, complaints.String())
	}
	if strings.Contains(complaints.String(), ".txt:") {
		t.Errorf("benchstat says %s", complaints.String())
	}
	table := csv.NewReader(&out)
	table.FieldsPerRecord = -1
	rows := make(map[string][]string)
	all, err := table.ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	for _, row := range all {
		if strings.Contains(row[0], "/") {
			rows[row[0]] = row[1:]
		}
	}
	return rows
}

// m.Slow became dearer by a fifth, m.Same did not change.
func twoRuns() (base, head *record.Run) {
	part := func(id string, seed uint64, joules float64) recordtest.Part {
		return recordtest.Part{ID: id, Hash: id, File: "m.go", Joules: recordtest.Around(seed, 10, joules, 0.01)}
	}
	base = recordtest.Measured(recordtest.Program(part("m.Slow", 1, 10), part("m.Same", 2, 10)), 0.01)
	head = recordtest.Measured(recordtest.Program(part("m.Slow", 3, 12), part("m.Same", 4, 10)), 0.01)
	head.ID, head.Workspace.Revision = "20261121T050000Z-0002", "89abcde"
	return base, head
}

// The command finds the change that we find, in one table although the runs are of two commits.
func TestBenchstatComparesTwoRuns(t *testing.T) {
	base, head := twoRuns()
	rows := benchstat(t, ".unit:J/op", base, head)
	c, err := comparison.Compare(base, head, comparison.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for i := range c.Components {
		ours := &c.Components[i]
		row := rows["Func/"+strings.TrimPrefix(ours.ID, "m.")]
		if len(row) < 6 {
			t.Errorf("the row of %s is %q", ours.ID, row)
			continue
		}
		if significant := row[4] != "~"; significant != (ours.EnergyJ.Verdict == comparison.Worse) {
			t.Errorf("%s is %s for us, and %q for benchstat", ours.ID, ours.EnergyJ.Verdict, row[4])
		}
		old, err := strconv.ParseFloat(row[0], 64)
		in := slices.IndexFunc(base.Components, func(c record.Component) bool { return c.ID == ours.ID })
		want := significance.Median(base.Components[in].RoundEnergyJ[spell.CPU]) / 2 // calls
		if err != nil || math.Abs(old-want) > 1e-9*want {
			t.Errorf("the median of %s is %s J/op (%v), want %v", ours.ID, row[0], err, want)
		}
	}
	if row := rows["Test/m.TestAll"]; len(row) < 6 || !strings.HasPrefix(row[4], "+") {
		t.Errorf("the row of the test is %q, want a significant increase", row)
	}
}

// Why: a number that was estimated says nothing about one that was measured.
func TestBenchstatDoesNotCompareEstimates(t *testing.T) {
	base, head := twoRuns()
	head.Meter.Name, head.Meter.Source = "model", record.Estimated
	for name, row := range benchstat(t, ".unit:(J/op OR est-J/op)", base, head) {
		if len(row) > 4 && row[4] != "" {
			t.Errorf("%s is compared: %q", name, row)
		}
	}
}

// Whatever a run has for names and numbers, the reader finds as many results as the run has, all of
// them apart.
func FuzzBenchfmt(f *testing.F) {
	f.Add("example.com/park", "example.com/park.BenchmarkX/a b", "f[x, y]", "rapl", 1.0, 2.0, uint8(3))
	f.Add("p\nBenchmarkX 1 1 J/op", "t\u2028 1\r\n", "\x00\xff", "m\nkind: x", 1e300, 1e-300, uint8(0))
	f.Add("", "Benchmark", "Unit J/op better=higher", "", 0.0, 1e300, uint8(9))
	f.Add(" ", strings.Repeat("long ", 30_000), "-8", strings.Repeat("\u202e", 30_000), 5e-324, 0.5, uint8(1))
	f.Fuzz(func(t *testing.T, pkg, test, id, meter string, joules, n float64, rounds uint8) {
		r := recordtest.Park()
		r.Rounds, r.Meter.Name, r.ID, r.Workspace.Revision = 1+int(rounds%5), meter, id, test
		number := func(v float64) float64 { return max(0, min(math.Abs(v), record.MaxNumber)) }
		for i := range 2 {
			t := &r.Tests[i]
			t.Name, t.Package, t.PerOperation = test, pkg, i == 0
			t.Repeats, t.EnergyJ, t.TimeMS = number(n), recordtest.Joules(number(joules), number(n)), number(joules)
		}
		for i := range r.Components {
			c := &r.Components[i]
			c.ID, c.Package, c.N, c.TimeMS = id, pkg, max(number(n), 1e-300), 1e-9+number(joules)
			c.EnergyJ = recordtest.Joules(number(joules), number(n))
		}
		results, _ := readBenchfmt(t, writeBenchfmt(t, recordtest.InRounds(r)))
		names := make(map[string]int)
		for _, result := range results {
			names[result.GetConfig("kind")+" "+string(result.Name)]++
		}
		if apart := len(results) / r.Rounds; apart != 2+len(r.Components) || len(results)%r.Rounds != 0 || len(names) != apart {
			t.Errorf("%d results of %d rounds were read, want those of 2 tests and %d functions: %v",
				len(results), r.Rounds, len(r.Components), names)
		}
		if want := strings.TrimSpace(page.Clean(pkg)); len(want) < 100 && len(results) > 0 {
			if got := strings.TrimSpace(results[0].GetConfig("pkg")); got != want {
				t.Errorf("the package is %q, want %q", got, want)
			}
		}
	})
}
