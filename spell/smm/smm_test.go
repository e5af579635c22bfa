package smm_test

import (
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"spell-lsp/internal/recordtest"
	"spell-lsp/spell"
	"spell-lsp/spell/page"
	"spell-lsp/spell/record"
	"spell-lsp/spell/record/ranking"
	"spell-lsp/spell/smm"
)

func written(t *testing.T, r *record.Run) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := smm.Write(&b, r, smm.Options{Version: "v1.2.3"}); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func TestGolden(t *testing.T) {
	for name, run := range recordtest.All() {
		t.Run(name, func(t *testing.T) {
			got := written(t, run())
			read(t, got)
			recordtest.Golden(t, name+".xmi", string(got))
		})
	}
}

// What a failed test used is in no value beside psi, which leaves it out as well.
func TestFailedTestsDoNotCount(t *testing.T) {
	if diff := cmp.Diff(string(written(t, recordtest.Park())), string(written(t, recordtest.Failing()))); diff != "" {
		t.Errorf("the model (-want +got):\n%s", diff)
	}
}

// The measures of the source are of functions whose structure is known: a fan of 0 is a value there, and
// runs of other tools have no such measure at all.
func TestStructureOfFunctions(t *testing.T) {
	r := recordtest.Park()
	r.Components[1].Structure = spell.Structure{Complexity: 4, LinesOfCode: 12, FanOut: 3}
	text := written(t, r)
	_, all := read(t, text)
	got := make(map[string]string)
	for _, e := range all {
		if e.role == "measurements" && slices.Contains([]string{"complexity", "lines.of.code", "fan.in", "fan.out"}, e.features["name"]) {
			got[e.features["name"]] += e.features["value"] + " of " + e.features["measurand"]
		}
	}
	if diff := cmp.Diff(map[string]string{"complexity": "4 of c1", "lines.of.code": "12 of c1", "fan.in": "0 of c1", "fan.out": "3 of c1"}, got); diff != "" {
		t.Errorf("measurements of the source (-want +got):\n%s", diff)
	}
	if without := string(written(t, recordtest.Park())); strings.Contains(without, "complexity") {
		t.Errorf("a run without structures has the measure complexity:\n%s", without)
	}
}

// An element is what a reader of XMI makes of one: its metaclass, its features, and
// what contains it.
type element struct {
	role, metaclass string
	features        map[string]string
	in              *element
	parts           []*element
}

// metamodel has, by metaclass, its features that are values or references, and those
// that contain elements, with the metaclass where it is the only one.
var metamodel = map[string]struct {
	features string
	parts    map[string]string
}{
	"kdm:Segment":          {"name", map[string]string{"model": ""}},
	"code:CodeModel":       {"name", map[string]string{"codeElement": ""}},
	"code:Package":         {"name", map[string]string{"codeElement": "", "source": "source:SourceRef"}},
	"code:ClassUnit":       {"name", map[string]string{"codeElement": "", "source": "source:SourceRef"}},
	"code:CompilationUnit": {"name", map[string]string{"codeElement": "", "source": "source:SourceRef"}},
	"code:MethodUnit":      {"name kind", map[string]string{"codeElement": "", "source": "source:SourceRef"}},
	"code:CallableUnit":    {"name kind", map[string]string{"codeElement": "", "source": "source:SourceRef"}},
	"action:BlockUnit":     {"name kind", map[string]string{"codeElement": "", "source": "source:SourceRef"}},
	"action:ActionElement": {"name kind", map[string]string{"actionRelation": ""}},
	"action:Calls":         {"from to", nil},
	"source:SourceRef":     {"language", map[string]string{"region": "source:SourceRegion"}},
	"source:SourceRegion":  {"path startLine endLine startPosition endPosition language", nil},

	"smm:SmmModel":       {"name shortDescription description", map[string]string{"libraries": "smm:MeasureLibrary", "observations": "smm:Observation"}},
	"smm:MeasureLibrary": {"name shortDescription description", map[string]string{"measureElements": ""}},
	"smm:UnitOfMeasure":  {"name shortDescription description", nil},
	"smm:Characteristic": {"name shortDescription description parent", nil},
	"smm:Scope":          {"name shortDescription description", nil},
	"smm:Operation":      {"name shortDescription description language body", nil},
	"smm:DirectMeasure":  {"name shortDescription description unit trait scope operation source", nil},
	"smm:NamedMeasure":   {"name shortDescription description unit trait scope source", nil},
	"smm:Observation": {"name shortDescription description tool observer whenObserved", map[string]string{
		"attributes": "smm:Attribute", "annotations": "smm:Annotation", "scopes": "smm:ObservationScope", "observedMeasures": "smm:ObservedMeasure"}},
	"smm:ObservationScope":  {"name shortDescription description scopeUri", nil},
	"smm:ObservedMeasure":   {"name measure", map[string]string{"measurements": ""}},
	"smm:DirectMeasurement": {"name value measurand", map[string]string{"attributes": "smm:Attribute"}},
	"smm:NamedMeasurement":  {"name value measurand", map[string]string{"attributes": "smm:Attribute"}},
	"smm:Attribute":         {"tag value", nil},
	"smm:Annotation":        {"text", nil},
}

// references are the features whose values are ids, each with the metaclasses that
// they may lead to.
var references = map[string]string{
	"unit": "smm:UnitOfMeasure", "trait": "smm:Characteristic", "scope": "smm:Scope", "operation": "smm:Operation",
	"measure": "smm:DirectMeasure smm:NamedMeasure", "from": "action:ActionElement", "to": "code:MethodUnit code:CallableUnit",
	"measurand": "code:Package code:ClassUnit code:CompilationUnit code:MethodUnit code:CallableUnit action:BlockUnit",
}

// read reads a model and checks that it has only what the metamodel has, and that
// every reference leads to something of the right kind.
func read(t *testing.T, text []byte) (byID map[string]*element, all []*element) {
	t.Helper()
	byID = make(map[string]*element)
	var open *element
	for d := xml.NewDecoder(bytes.NewReader(text)); ; {
		token, err := d.RawToken()
		if errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatal(err)
		}
		switch token := token.(type) {
		case xml.StartElement:
			e := elementOf(t, open, token)
			if open != nil {
				open.parts = append(open.parts, e)
			}
			if id, ok := e.features["xmi:id"]; ok {
				if byID[id] != nil {
					t.Errorf("the id %q is there twice", id)
				}
				byID[id] = e
			}
			all, open = append(all, e), e
		case xml.EndElement:
			open = open.in
		}
	}
	for _, e := range all {
		checkReferences(t, e, byID)
	}
	return byID, all
}

func elementOf(t *testing.T, in *element, token xml.StartElement) *element {
	t.Helper()
	name := func(n xml.Name) string { return strings.TrimPrefix(n.Space+":"+n.Local, ":") }
	e := &element{role: name(token.Name), features: make(map[string]string), in: in}
	for _, a := range token.Attr {
		e.features[name(a.Name)] = a.Value
	}
	switch {
	case e.role == "xmi:XMI":
		return e
	case in.role == "xmi:XMI":
		e.metaclass = e.role
	default:
		only, known := metamodel[in.metaclass].parts[e.role]
		if !known {
			t.Fatalf("%s has no %s", in.metaclass, e.role)
		}
		e.metaclass = only
		if only == "" {
			e.metaclass = e.features["xmi:type"]
		}
	}
	is, known := metamodel[e.metaclass]
	if !known {
		t.Fatalf("there is no metaclass %q", e.metaclass)
	}
	for feature := range e.features {
		if !strings.HasPrefix(feature, "xmi:") && !slices.Contains(strings.Fields(is.features), feature) {
			t.Errorf("%s has no feature %s", e.metaclass, feature)
		}
	}
	return e
}

func checkReferences(t *testing.T, e *element, byID map[string]*element) {
	t.Helper()
	for feature, kinds := range references {
		id, ok := e.features[feature]
		if !ok {
			continue
		}
		if to := byID[id]; to == nil || !slices.Contains(strings.Fields(kinds), to.metaclass) {
			t.Errorf("%s of a %s is %q, which is %+v", feature, e.metaclass, id, to)
		}
	}
	if uri, ok := e.features["scopeUri"]; ok && byID[strings.TrimPrefix(uri, "#")].metaclass != "code:CodeModel" {
		t.Errorf("the scope is %s", uri)
	}
	if e.role == "measurements" && e.metaclass != byID[e.in.features["measure"]].metaclass+"ment" {
		t.Errorf("a %s is of a %s", e.metaclass, byID[e.in.features["measure"]].metaclass)
	}
}

// Each component has one element, where its package and type are, and one measurement
// of each measure, with the value of the run
// in the tests that count.
func TestEveryComponentIsMeasuredOnce(t *testing.T) {
	for name, run := range recordtest.All() {
		t.Run(name, func(t *testing.T) {
			r := run()
			byID, all := read(t, written(t, r))
			got := make(map[string]string)
			for _, e := range all {
				if e.role == "measurements" {
					key := e.in.features["measure"] + " of " + e.features["measurand"]
					if got[key] != "" {
						t.Errorf("%s is there twice", key)
					}
					got[key] = e.features["value"]
				}
			}
			measures := 3 + len(r.Matrix.Domains)
			if len(got) != measures*len(r.Components) {
				t.Errorf("there are %d measurements, want %d of each of %d components", len(got), measures, len(r.Components))
			}
			r = ranking.Counted(r)
			for i := range r.Components {
				c, id := &r.Components[i], fmt.Sprintf("c%d", i)
				want := map[string]float64{"time": c.TimeMS, "executions": c.N, "psi": c.Psi}
				for _, d := range r.Matrix.Domains {
					want["energy."+string(d)] = c.EnergyJ[d]
				}
				for of, value := range want {
					if v, err := strconv.ParseFloat(got[of+" of "+id], 64); err != nil || v != value {
						t.Errorf("%s of %s is %q, want %v", of, c.ID, got[of+" of "+id], value)
					}
				}
				if path := pathOf(byID[id]); name != "hostile" && path != c.ID {
					t.Errorf("%s stands at %s", c.ID, path)
				}
			}
		})
	}
}

// pathOf is the ID that follows from where an element is.
func pathOf(e *element) string {
	pkg, typ := "", ""
	for in := e.in; in != nil; in = in.in {
		switch in.metaclass {
		case "code:Package":
			pkg = in.features["name"] + "."
		case "code:ClassUnit":
			typ = "(*" + in.features["name"] + ")."
		}
	}
	return pkg + typ + e.features["name"]
}

func TestCalls(t *testing.T) {
	_, all := read(t, written(t, recordtest.Park()))
	var got []string
	for _, e := range all {
		if e.metaclass == "action:Calls" {
			got = append(got, strings.TrimSuffix(e.features["from"], ".calls")+" "+e.features["to"])
		}
	}
	if want := []string{"c1 c0", "c0 c1"}; !slices.Equal(got, want) {
		t.Errorf("the calls are %q, want %q", got, want)
	}
}

// Whatever is ranked has its metaclass and stands where it belongs.
func TestGranularities(t *testing.T) {
	r := recordtest.Park()
	add := func(id string, kind spell.Kind) {
		r.Components = append(r.Components, record.Component{ID: id, Kind: kind, Package: recordtest.Module, File: "park.go", Line: 60})
	}
	add(recordtest.Module+".(*Park).Sort#2:for", spell.KindBlock)
	add("park.go", spell.KindFile)
	add(recordtest.Module+".Park", spell.KindType)
	add(recordtest.Module, spell.KindPackage)
	byID, _ := read(t, written(t, r))
	for id, want := range map[string][2]string{
		"c5": {"action:BlockUnit", "c0"}, "c6": {"code:CompilationUnit", "c8"}, "c7": {"code:ClassUnit", "c8"},
		"c8": {"code:Package", "code"}, "c0": {"code:MethodUnit", "c7"},
	} {
		e := byID[id]
		if e.metaclass != want[0] || e.in.features["xmi:id"] != want[1] {
			t.Errorf("%s is a %s in %s, want a %s in %s", id, e.metaclass, e.in.features["xmi:id"], want[0], want[1])
		}
	}
}

// An estimate says so, and what belongs to no component is told.
func TestHonesty(t *testing.T) {
	for name, want := range map[string]string{"estimated": "ESTIMATED by model, not measured", "measured": "measured by rapl", "none": "not known"} {
		_, all := read(t, written(t, recordtest.All()[name]()))
		found, left := false, false
		for _, e := range all {
			if e.metaclass == "smm:Attribute" {
				found = found || e.features["tag"] == "energy" && e.features["value"] == want
				left = left || strings.Contains(e.features["tag"], "belongs to no component")
			}
		}
		if !found || left != (name != "none") {
			t.Errorf("%s: the energy is not said to be %q, or what is not attributed is told: %v", name, want, left)
		}
	}
}

// large is a run of so many functions, each in a tree of calls.
func large(functions int) *record.Run {
	r := recordtest.Empty()
	energy := record.Energy{spell.CPU: 0.25}
	for i := range functions {
		pkg := fmt.Sprintf("example.com/large/p%d", i%500)
		r.Components = append(r.Components, record.Component{
			ID: fmt.Sprintf("%s.(*T%d).F%d", pkg, i%7000, i), Kind: spell.KindFunction, Package: pkg, File: "f.go", Line: i + 1, N: 3, TimeMS: 1, EnergyJ: energy,
		})
	}
	return r
}

// A memory looks now and then, while a model is written, at what is alive.
type memory struct {
	written, next, most uint64
	lines               int
}

func (m *memory) Write(p []byte) (int, error) {
	m.lines += bytes.Count(p, []byte("\n"))
	if m.written += uint64(len(p)); m.written >= m.next {
		m.next = m.written + 8<<20
		m.most = max(m.most, alive())
	}
	return len(p), nil
}

func alive() uint64 {
	runtime.GC()
	var s runtime.MemStats
	runtime.ReadMemStats(&s)
	return s.HeapAlloc
}

// A model of 100,000 functions is written, not built: what is alive meanwhile is the
// order of the components, 20 bytes each, and buffers.
func TestBoundedMemory(t *testing.T) {
	const functions = 100_000
	r := large(functions)
	before := alive()
	var m memory
	if err := smm.Write(&m, r, smm.Options{}); err != nil {
		t.Fatal(err)
	}
	used := int64(m.most) - int64(before)
	t.Logf("%d MB in %d lines; alive meanwhile: %d kB", m.written>>20, m.lines, used>>10)
	if m.written < 30<<20 {
		t.Errorf("only %d bytes were written", m.written)
	}
	if used > functions*32+1<<20 {
		t.Errorf("%d kB are alive while the model is written", used>>10)
	}
	runtime.KeepAlive(r)
}

func BenchmarkWrite(b *testing.B) {
	r := large(100_000)
	b.ReportAllocs()
	for b.Loop() {
		if err := smm.Write(io.Discard, r, smm.Options{}); err != nil {
			b.Fatal(err)
		}
	}
}

func TestNamesAreVisible(t *testing.T) {
	byID, _ := read(t, written(t, recordtest.Hostile()))
	if got, want := byID["c0"].features["name"], page.Clean("a.\x1b[31mred\x1b[0m"); got != want {
		t.Errorf("the name is %q, want %q", got, want)
	}
}

type brokenPipe struct{}

func (brokenPipe) Write([]byte) (int, error) { return 0, errors.New("broken pipe") }

func TestWriteError(t *testing.T) {
	if err := smm.Write(brokenPipe{}, recordtest.Park(), smm.Options{}); err == nil || !strings.Contains(err.Error(), "broken pipe") {
		t.Errorf("the error is %v", err)
	}
}
