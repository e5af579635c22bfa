package runfile

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"math"
	"reflect"
	"runtime"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"spell-lsp/spell"
	"spell-lsp/spell/record"
	"spell-lsp/spell/sectionfile"
)

// Whoever adds a field to a component must not lose it in every saved run: a field
// without a column fails here.
func TestEveryFieldHasAColumn(t *testing.T) {
	checkColumns(t, components)
	checkColumns(t, callTree)
	checkColumns(t, cells)
}

func checkColumns[T any](t *testing.T, columns []column[T]) {
	t.Helper()
	rows, again := make([]T, 3), make([]T, 3)
	fill(reflect.ValueOf(&rows[0]).Elem(), 1)
	fill(reflect.ValueOf(&rows[2]).Elem(), 2) // the one between is zero
	for _, c := range columns {
		in := &input{data: c.put(rows)}
		if c.get(in, again); in.err != nil || len(in.data) > 0 {
			t.Errorf("%s: error %v, %d bytes are left", c.name, in.err, len(in.data))
		}
	}
	if diff := cmp.Diff(rows, again); diff != "" {
		t.Errorf("rows changed (-written +read):\n%s", diff)
	}
}

// fill sets all of v to values that are not zero.
func fill(v reflect.Value, seed int) {
	switch v.Kind() {
	case reflect.Bool:
		v.SetBool(true)
	case reflect.String:
		v.SetString(fmt.Sprint("text ", seed))
	case reflect.Int, reflect.Int32:
		v.SetInt(int64(-7 * seed))
	case reflect.Uint64:
		v.SetUint(uint64(7 * seed))
	case reflect.Float64:
		v.SetFloat(1 / float64(3*seed))
	case reflect.Struct:
		for i := range v.NumField() {
			fill(v.Field(i), seed+i)
		}
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), seed, seed))
		for i := range seed {
			fill(v.Index(i), seed+i)
		}
	case reflect.Array:
		for i := range v.Len() {
			fill(v.Index(i), seed+i)
		}
	case reflect.Map:
		v.Set(reflect.MakeMap(v.Type()))
		key, value := reflect.New(v.Type().Key()).Elem(), reflect.New(v.Type().Elem()).Elem()
		fill(key, seed)
		fill(value, seed)
		v.SetMapIndex(key, value)
	default:
		panic("a field of another kind: " + v.Kind().String())
	}
}

// All bits of a number come back, also of those that are equal to others.
func TestNumbersComeBack(t *testing.T) {
	values := []float64{0, math.Copysign(0, -1), 1, math.Inf(-1), math.NaN(), math.SmallestNonzeroFloat64, math.MaxFloat64, 0, 0.1}
	in := &input{data: putFloats(nil, values)}
	for i, v := range getFloats(in, len(values)) {
		if math.Float64bits(v) != math.Float64bits(values[i]) {
			t.Errorf("%v became %v", values[i], v)
		}
	}
	whole := []int{0, math.MaxInt, math.MinInt, -1, math.MinInt, math.MaxInt}
	in = &input{data: integers[int]().put(nil, whole)}
	if diff := cmp.Diff(whole, integers[int]().get(in, len(whole))); diff != "" || in.err != nil {
		t.Errorf("error %v, integers changed:\n%s", in.err, diff)
	}
	in = &input{data: integers[int]().put(nil, []int{math.MaxInt32 + 1})}
	if integers[int32]().get(in, 1); in.err == nil {
		t.Error("an index that does not fit was taken")
	}
}

// What a later version adds is passed over, and what an earlier one did not have is
// zero: fields may come without a new version.
func TestColumnsMayBeAddedAndMissing(t *testing.T) {
	f := small(t)
	later, err := sectionfile.Pack("component.colour", 2, []byte("red, blue"))
	if err != nil {
		t.Fatal(err)
	}
	f.Sections = append(f.Sections, later)
	*f.Section("component.hash") = f.Sections[len(f.Sections)-1]
	f.Sections = f.Sections[:len(f.Sections)-1]
	r, err := Read(bytesOf(t, f))
	if err != nil {
		t.Fatal(err)
	}
	if c := r.Components[0]; c.Hash != "" || c.Line != 4 {
		t.Errorf("hash %q, line %d, want none and 4", c.Hash, c.Line)
	}
}

// Files that were made to do harm have right checksums. They are refused, and do not
// get much memory before.
func TestHostileFilesAreRefused(t *testing.T) {
	zeros := func(f *File, name string, n int, rows uint64) {
		s, err := sectionfile.Pack(name, 0, make([]byte, n))
		if err != nil {
			t.Fatal(err)
		}
		s.Rows = rows
		*f.Section(name) = s
	}
	for _, test := range []struct {
		name string
		harm func(f *File)
		want string
	}{
		{"a billion components", func(f *File) { f.Section("component.id").Rows = 1e9 }, `section "component.id" claims 1000000000 values, its `},
		{"a million components of no name", func(f *File) { zeros(f, "component.id", 1e6, 1e6) }, "two components have the same id"},
		{"more components than rows", func(f *File) { f.Section("component.id").Rows++ }, `section "component.id" has other values than it says`},
		{"more values than rows", func(f *File) { f.Section("component.psi").Rows++ }, `section "component.psi" has 3 values, its table 2`},
		{"a bomb", func(f *File) { f.Section("component.psi").Unpacked, f.Section("component.psi").Deflated = 1<<40, true }, `section "component.psi" says that`},
		{"other length", func(f *File) { f.Section("component.psi").Unpacked++ }, `section "component.psi" cannot be unpacked`},
		{"not deflated", func(f *File) { f.Section("component.psi").Deflated = true }, `section "component.psi" cannot be unpacked`},
		{"a list of 2^62 numbers", func(f *File) {
			f.Section("matrix.energy_j").Rows = 1 << 62
		}, `section "matrix.energy_j" has other values than it says`},
		{"rows below zero", func(f *File) { f.Section("matrix.energy_j").Rows = math.MaxUint64 }, `section "matrix.energy_j" has other values than it says`},
		{"no run", func(f *File) { f.Section("run").Name = "walk" }, `it has no section "run"`},
		{"run of something else", func(f *File) {
			*f.Section("run") = sectionfile.Section{Name: "run", Rows: 1, Unpacked: 2, Stored: []byte("[]")}
		}, `section "run"`},
		{"other schema", func(f *File) {
			*f.Section("run") = sectionfile.Section{Name: "run", Rows: 1, Unpacked: 2, Stored: []byte("{}")}
		}, "schema is missing"},
		{"twice", func(f *File) { f.Sections = append(f.Sections, f.Sections[2]) }, `it has the section "component.kind" twice`},
		{"cell of no test", func(f *File) { zeros(f, "matrix.t", 1, 1); f.Section("matrix.t").Stored[0] = 200 }, `section "matrix.t"`},
		{"test out of range", func(f *File) { zeros(f, "matrix.t", 1, 1); f.Section("matrix.t").Stored[0] = 20 }, "matrix[0].t is 10"},
	} {
		t.Run(test.name, func(t *testing.T) {
			f := small(t)
			test.harm(f)
			data := bytesOf(t, f)
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			_, err := Read(data)
			runtime.ReadMemStats(&after)
			if err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("error %v, want %s", err, test.want)
			}
			if got := after.TotalAlloc - before.TotalAlloc; got > 128<<20 {
				t.Errorf("%d bytes of memory for a file of %d", got, len(data))
			}
		})
	}
}

// Whatever the input, Read does not panic, and what it takes can be saved and read
// again, the same. The input is a file, or where it has right checksums, so that
// anything is found behind them, the contents of one section.
func FuzzRead(f *testing.F) {
	good := bytesOf(f, small(f))
	f.Add(good, "", uint64(0), uint64(0), false)
	for _, s := range small(f).Sections {
		contents, err := s.Contents()
		if err != nil {
			f.Fatal(err)
		}
		f.Add(contents, s.Name, s.Rows, s.Unpacked, s.Deflated)
	}
	for _, claim := range []uint64{1 << 31, 1 << 32, 1 << 60, math.MaxInt64, 1 << 63, math.MaxUint64} {
		f.Add([]byte{1}, "component.id", claim, uint64(1), false)
		f.Add([]byte{1}, "component.id", uint64(1), claim, true)
		f.Add(binary.AppendUvarint(nil, claim), "component.id", uint64(1), uint64(len(binary.AppendUvarint(nil, claim))), false)
	}
	f.Fuzz(func(t *testing.T, data []byte, name string, rows, unpacked uint64, deflated bool) {
		if name != "" && len(name) < 256 {
			file := small(t)
			s := sectionfile.Section{Name: name, Rows: rows, Unpacked: unpacked, Deflated: deflated, Stored: data}
			if old := file.Section(name); old != nil {
				*old = s
			} else {
				file.Sections = append(file.Sections, s)
			}
			data = bytesOf(t, file)
		}
		r, err := Read(data)
		if err != nil {
			return
		}
		file, err := Pack("fuzz", r)
		if err != nil {
			t.Fatalf("what was read cannot be saved: %v", err)
		}
		again, err := Read(bytesOf(t, file))
		if err != nil {
			t.Fatal(err)
		}
		if a, b := asJSON(t, r), asJSON(t, again); a != b {
			t.Errorf("read, saved and read again:\n%s\nbecame\n%s", a, b)
		}
	})
}

func asJSON(t testing.TB, r *record.Run) string {
	t.Helper()
	text, err := json.Marshal(struct {
		*record.Run
		Matrix record.Matrix
	}{r, r.Matrix})
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// small is the file of a run of two components and a cell.
func small(t testing.TB) *File {
	t.Helper()
	cpu := record.Energy{spell.CPU: 2}
	r := &record.Run{
		ID: "20261120T180000Z-3f9a", Granularity: spell.KindFunction, Rounds: 2,
		Meter: record.Meter{Name: "rapl", Source: record.Measured, Domains: []spell.Domain{spell.CPU}},
		Tests: []record.Test{{Name: "t", Outcome: record.Pass, EnergyJ: cpu}},
		Components: []record.Component{
			{ID: "a", Kind: spell.KindFunction, Line: 4, Hash: "00ff", EnergyJ: cpu, RoundTimeMS: []float64{1, 2}},
			{ID: "b", Kind: spell.KindFunction, Line: 9},
		},
		CallTree: []record.CallNode{{Parent: -1, TimeMS: 1}},
		Matrix:   record.MatrixOf([]spell.Domain{spell.CPU}, record.Cell{N: 1, TimeMS: 1, EnergyJ: cpu, CumTimeMS: 1, CumEnergyJ: cpu}),
	}
	f, err := Pack("small", r)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// bytesOf is the file, with right checksums.
func bytesOf(t testing.TB, f *File) []byte {
	t.Helper()
	var b bytes.Buffer
	if _, err := f.WriteTo(&b); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}
