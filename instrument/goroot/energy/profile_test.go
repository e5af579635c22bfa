package energy

import (
	"bytes"
	"context"
	"math"
	"net/http"
	"os"
	"runtime/pprof"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/pprof/profile"
)

// written is a CPU profile as runtime/pprof makes it, gzipped.
func written(t testing.TB, change func(*profile.Profile)) []byte {
	t.Helper()
	mapping := &profile.Mapping{ID: 1, Start: 0x400000, Limit: 0x500000, File: "/srv/shop", BuildID: "ab12", HasFunctions: true}
	fn := func(id uint64, name string) *profile.Function {
		return &profile.Function{ID: id, Name: name, SystemName: name, Filename: "shop.go"}
	}
	sort, list, sum := fn(1, "shop.Sort"), fn(2, "shop.List"), fn(3, "shop.Sum")
	inlined := &profile.Location{ID: 1, Mapping: mapping, Address: 0x400010, Line: []profile.Line{{Function: sum, Line: 3}, {Function: sort, Line: 8}}}
	outer := &profile.Location{ID: 2, Mapping: mapping, Address: 0x400020, Line: []profile.Line{{Function: list, Line: 12}}}
	p := &profile.Profile{
		SampleType: []*profile.ValueType{{Type: "samples", Unit: "count"}, {Type: "cpu", Unit: "nanoseconds"}},
		PeriodType: &profile.ValueType{Type: "cpu", Unit: "nanoseconds"}, Period: 1e7, TimeNanos: 1e18, DurationNanos: 1e9,
		Mapping: []*profile.Mapping{mapping}, Function: []*profile.Function{sort, list, sum}, Location: []*profile.Location{inlined, outer},
		Comments: []string{"of the program"},
		Sample: []*profile.Sample{
			{Location: []*profile.Location{inlined, outer}, Value: []int64{3, 3e7}, Label: map[string][]string{"request": {"list"}, "tenant": {"a"}}},
			{Location: []*profile.Location{outer}, Value: []int64{1, 1e7}, NumLabel: map[string][]int64{"bytes": {512}}, NumUnit: map[string][]string{"bytes": {"bytes"}}},
			{Location: []*profile.Location{inlined}, Value: []int64{3, 3e7}, Label: map[string][]string{"request": {"sum"}}},
		},
	}
	if change != nil {
		change(p)
	}
	var b bytes.Buffer
	if err := p.Write(&b); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func parsed(t testing.TB, zipped []byte) *profile.Profile {
	t.Helper()
	p, err := profile.ParseData(zipped)
	if err != nil {
		t.Fatal(err)
	}
	if err := p.CheckValid(); err != nil {
		t.Fatal(err)
	}
	return p
}

// total is the sum of the energy of the samples that keep accepts, in microjoules.
func total(p *profile.Profile, keep func(*profile.Sample) bool) (uJ, cpuNS int64) {
	for _, s := range p.Sample {
		if keep == nil || keep(s) {
			uJ, cpuNS = uJ+s.Value[2], cpuNS+s.Value[1]
		}
	}
	return uJ, cpuNS
}

// Readers know a profile by its stacks, labels, mappings and times: all of these must be what the
// runtime wrote, whatever is added.
func TestOnlyEnergyIsAdded(t *testing.T) {
	u := &usage{meter: "rapl", source: "measured", joules: 1.25, idleKnown: true}
	zipped, err := withEnergy(written(t, nil), u)
	if err != nil {
		t.Fatal(err)
	}
	got, want := parsed(t, zipped), parsed(t, written(t, nil))
	want.SampleType = append(want.SampleType, &profile.ValueType{Type: "energy", Unit: "microjoules"})
	want.DefaultSampleType = "energy"
	want.Comments = append(want.Comments, u.comments()...)
	for i, uJ := range []int64{535714, 178572, 535714} { // 3/7, 1/7, 3/7
		want.Sample[i].Value = append(want.Sample[i].Value, uJ)
	}
	if diff := cmp.Diff(want.String(), got.String()); diff != "" || got.DefaultSampleType != want.DefaultSampleType {
		t.Errorf("the profile (-want +got):\n%s", diff)
	}
}

// Rounding must not lose or invent energy, however many samples there are, and however little.
func TestEnergyAddsUp(t *testing.T) {
	many := func(p *profile.Profile) {
		for i := range 5000 {
			p.Sample = append(p.Sample, &profile.Sample{Location: p.Location[:1], Value: []int64{1, int64(i%7) * 3_333_333}})
		}
	}
	for _, joules := range []float64{0, 1e-6, 0.000123, 7.7777777, 98_765.432101} {
		zipped, err := withEnergy(written(t, many), &usage{joules: joules})
		if err != nil {
			t.Fatal(err)
		}
		p := parsed(t, zipped)
		uJ, cpuNS := total(p, nil)
		if want := int64(math.Round(joules * 1e6)); uJ != want {
			t.Errorf("of %g J: the samples have %d µJ, want %d", joules, uJ, want)
		}
		for _, s := range p.Sample {
			if due := joules * 1e6 * float64(s.Value[1]) / float64(cpuNS); math.Abs(float64(s.Value[2])-due) > 1.001 {
				t.Errorf("of %g J: a sample of %d ns has %d µJ, want %g", joules, s.Value[1], s.Value[2], due)
			}
		}
	}
}

// A service that used so little CPU time that no sample was taken has used energy all the same.
func TestEnergyWithoutSamples(t *testing.T) {
	zipped, err := withEnergy(written(t, func(p *profile.Profile) { p.Sample = nil }), &usage{joules: 0.002})
	if err != nil {
		t.Fatal(err)
	}
	p := parsed(t, zipped)
	if len(p.Sample) != 1 || !slices.Equal(p.Sample[0].Value, []int64{0, 0, 2000}) || p.Sample[0].Location[0].Line[0].Function.Name != "[no sample]" {
		t.Errorf("the profile is\n%s", p)
	}
}

func TestNoCPUProfile(t *testing.T) {
	heap := written(t, func(p *profile.Profile) { p.SampleType[1].Type = "inuse_space" })
	for name, zipped := range map[string][]byte{"a heap profile": heap, "no gzip": []byte("text"), "cut": heap[:len(heap)/2]} {
		if _, err := withEnergy(zipped, &usage{}); err == nil || !strings.Contains(err.Error(), "reading the CPU profile") {
			t.Errorf("%s: the error is %v", name, err)
		}
	}
}

// Whatever the runtime writes in a future release: the answer is an error or a valid profile.
func FuzzWithEnergy(f *testing.F) {
	for _, p := range []*profile.Profile{parsed(f, written(f, nil))} {
		var plain bytes.Buffer
		if err := p.WriteUncompressed(&plain); err != nil {
			f.Fatal(err)
		}
		f.Add(plain.Bytes())
	}
	f.Fuzz(func(t *testing.T, plain []byte) {
		was, err := profile.ParseUncompressed(plain)
		if err != nil || was.CheckValid() != nil {
			survey(plain) // must not panic
			return
		}
		p, err := survey(plain)
		if err != nil {
			return
		}
		got, err := profile.ParseUncompressed(p.rewrite(1_000_000, nil))
		if err != nil {
			t.Fatalf("a valid profile became one that cannot be read: %v", err)
		}
		if uJ, _ := total(got, nil); uJ != 1_000_000 {
			t.Errorf("the samples have %d µJ", uJ)
		}
	})
}

// requests runs two kinds of requests until the test ends.
func requests(t *testing.T) {
	ctx, stop := context.WithCancel(context.Background())
	var all sync.WaitGroup
	for _, kind := range []string{"list", "sum"} {
		all.Go(func() {
			pprof.Do(ctx, pprof.Labels("request", kind), func(ctx context.Context) {
				for n := 0; ctx.Err() == nil; n++ {
					for range 100_000 {
						n += n % 7
					}
				}
			})
		})
	}
	t.Cleanup(func() { stop(); all.Wait() })
}

func isOf(kind string) func(*profile.Sample) bool {
	return func(s *profile.Sample) bool { return slices.Contains(s.Label["request"], kind) }
}

// profileOfBoth takes profiles until both kinds of requests are in one, as they will be once both
// got some CPU time.
func profileOfBoth(t *testing.T) *profile.Profile {
	t.Helper()
	for {
		w := get(t, "?seconds=1")
		if w.Code != http.StatusOK {
			t.Fatalf("%d: %s", w.Code, w.Body)
		}
		p := parsed(t, w.Body.Bytes())
		if slices.ContainsFunc(p.Sample, isOf("list")) && slices.ContainsFunc(p.Sample, isOf("sum")) {
			return p
		}
	}
}

// A service asks how many joules each kind of request takes. Energy is in proportion to the CPU
// time of each label, and what the process used is what the samples have.
func TestJoulesPerKindOfRequest(t *testing.T) {
	meterSays(t, goesOn(2))
	requests(t)
	p := profileOfBoth(t)
	uJ, cpuNS := total(p, nil)
	if want := int64(2 * (30 + 3 - 10 - 1) * 0.75e6); uJ != want {
		t.Errorf("the process has %d µJ, want %d", uJ, want)
	}
	for _, kind := range []string{"list", "sum"} {
		of, ns := total(p, isOf(kind))
		if due := float64(uJ) * float64(ns) / float64(cpuNS); math.Abs(float64(of)-due) > float64(len(p.Sample)) {
			t.Errorf("requests %s have %d µJ for %d of %d ns, want %.0f", kind, of, ns, cpuNS, due)
		}
	}
	want := []string{
		"energy: measured, meter rapl; divided among samples by CPU time",
		"machine: 66 J in 2 s, of which idle 22 J; CPU time of all processes 2 s",
		"this process: 33 J for 1.5 s of CPU time, without child processes",
	}
	if diff := cmp.Diff(want, p.Comments); diff != "" {
		t.Errorf("the comments (-want +got):\n%s", diff)
	}
}

// A service is asked for profiles by several people: two profiles at once are one too many,
// all other requests are answered, and the profile is that of the whole time.
func TestUnderLoad(t *testing.T) {
	meterSays(t, goesOn(1))
	requests(t)
	if err := pprof.StartCPUProfile(&bytes.Buffer{}); err != nil {
		t.Fatal(err)
	}
	var all sync.WaitGroup
	for range 20 {
		all.Go(func() {
			w := get(t, "?seconds=1")
			if w.Code != http.StatusConflict || !strings.Contains(w.Body.String(), "already in use") {
				t.Errorf("%d: %s", w.Code, w.Body)
			}
		})
	}
	all.Wait()
	pprof.StopCPUProfile()
	if w := get(t, "?seconds=1"); w.Code != http.StatusOK {
		t.Errorf("afterwards: %d: %s", w.Code, w.Body)
	}
}

// The file is copied into services: it must not need anything that they do not have.
func TestTheFileStandsAlone(t *testing.T) {
	text, err := os.ReadFile("energy.go")
	if err != nil {
		t.Fatal(err)
	}
	imports, _, _ := strings.Cut(string(text), "\n)\n")
	if _, imports, _ = strings.Cut(imports, "import (\n"); strings.Contains(imports, ".") || strings.Contains(imports, "internal") {
		t.Errorf("it imports more than the standard library:\n%s", imports)
	}
}
