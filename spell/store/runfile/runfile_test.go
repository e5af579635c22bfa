package runfile_test

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"spell-lsp/internal/recordtest"
	"spell-lsp/spell"
	"spell-lsp/spell/record"
	"spell-lsp/spell/record/recordjson"
	"spell-lsp/spell/store/runfile"
)

// What the first version of this program saved must be read as long as there may be such
// files. Both were written by it: the run as JSON tells what must come out.
func TestFirstVersion(t *testing.T) {
	data, err := os.ReadFile("testdata/first.run")
	if err != nil {
		t.Fatal(err)
	}
	want, err := os.ReadFile("testdata/first.json")
	if err != nil {
		t.Fatal(err)
	}
	parsed, err := recordjson.Parse(want)
	if err != nil {
		t.Fatal(err)
	}
	got, err := runfile.Read(data)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(parsed, got, cmpopts.EquateEmpty(), cmpopts.IgnoreFields(record.Run{}, "Localization")); diff != "" {
		t.Errorf("the run changed (-as JSON +read):\n%s", diff)
	}
	header, err := runfile.Header(bytes.NewReader(data), int64(len(data)))
	if err != nil || !strings.Contains(string(header), `"id":"`+parsed.ID+`"`) {
		t.Errorf("header %s, error %v", header, err)
	}
}

// A run that was saved must be the run that was measured, to the last bit: as the
// JSON form has it, so reading both and writing the one from the file again must
// give the same.
func TestRunComesBack(t *testing.T) {
	whole := golden(t, "whole")
	tree := golden(t, "park")
	tree.CallTree = []record.CallNode{{Parent: -1, Component: 2, TimeMS: 1.0 / 3}, {Parent: 0, Component: 1}}
	matrix := record.FromMatrix(&spell.Matrix{Components: []spell.Component{{ID: "c1"}}, Tests: []string{"t1"}}, "")
	callees := golden(t, "park") // cumulative values without domains
	callees.Meter.Source, callees.Meter.Domains = record.NoEnergy, nil
	callees.Analysis = nil
	for i := range callees.Tests {
		callees.Tests[i].EnergyJ, callees.Tests[i].UnattributedJ = nil, nil
	}
	for i := range callees.Components {
		c := &callees.Components[i]
		c.EnergyJ, c.CumEnergyJ, c.Phi = nil, nil, nil
	}
	callees.Matrix = record.MatrixOf(nil, record.Cell{N: 1, TimeMS: 2, CumTimeMS: 3})
	for name, r := range map[string]*record.Run{
		"park": golden(t, "park"), "whole": whole, "call tree": tree, "of a matrix": matrix, "callees without energy": callees, "a domain of tests only": recordtest.Disk(),
		"nothing": {Granularity: spell.KindFunction, Meter: record.Meter{Source: record.NoEnergy}},
	} {
		t.Run(name, func(t *testing.T) {
			before := text(t, r)
			again, err := runfile.Read(packed(t, r))
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(before, text(t, again)); diff != "" {
				t.Errorf("the run changed (-saved +read):\n%s", diff)
			}
			parsed, err := recordjson.Parse([]byte(before))
			if err != nil {
				t.Fatal(err)
			}
			parsed.Localization = again.Localization // which the JSON form adds
			if diff := cmp.Diff(parsed, again, cmpopts.EquateEmpty()); diff != "" {
				t.Errorf("the run is not what its JSON gives (-JSON +file):\n%s", diff)
			}
		})
	}
}

// A list of thousands of runs reads headers alone.
func TestHeaderIsReadAlone(t *testing.T) {
	data := packed(t, golden(t, "park"))
	r := bytes.NewReader(data)
	header, err := runfile.Header(r, int64(len(data)))
	if err != nil || string(header) != `{"about":"a test"}` {
		t.Errorf("header is %s, error %v", header, err)
	}
	if read := len(data) - r.Len(); read > 100 {
		t.Errorf("%d bytes were read for a header of %d", read, len(header))
	}
}

// Disks and copies lose bits and ends of files. Each must be found: a run that is
// not the one that was saved is worse than none.
func TestEveryDamageIsFound(t *testing.T) {
	good := packed(t, golden(t, "park"))
	check := func(what string, at int, bad []byte) {
		t.Helper()
		if _, err := runfile.Read(bad); err == nil {
			t.Errorf("%s at byte %d of %d was not noticed", what, at, len(good))
		}
	}
	for i := range good {
		bad := bytes.Clone(good)
		bad[i] ^= 1 << (i % 8)
		check("a flipped bit", i, bad)
		check("an end", i, good[:i])
	}
	check("a byte too many", len(good), append(bytes.Clone(good), 0))
}

// A damaged file is met years later by somebody who needs to know what it was.
func TestDamageIsNamed(t *testing.T) {
	good := packed(t, golden(t, "park"))
	flipped := func(at int) []byte {
		bad := bytes.Clone(good)
		bad[at] ^= 1
		return bad
	}
	claiming := func(at int, length uint64) []byte {
		bad := bytes.Clone(good)
		binary.LittleEndian.PutUint64(bad[at:], length)
		return bad
	}
	claimingHeader := func(length uint32) []byte {
		bad := bytes.Clone(good)
		binary.LittleEndian.PutUint32(bad[12:], length)
		return bad
	}
	for _, test := range []struct {
		name string
		bad  []byte
		want string
	}{
		{"empty", nil, "is not a saved run"},
		{"another file", []byte("SPELLBIN, which is another format"), "is not a saved run"},
		{"cut off in the prelude", good[:20], "is cut off after 20 bytes"},
		{"cut off", good[:1000], "is cut off: 1000 of its "},
		{"longer", append(bytes.Clone(good), 0), fmt.Sprintf("is damaged: it claims %d bytes, the file has %d", len(good), len(good)+1)},
		{"a length that is no file's", claiming(16, math.MaxUint64), "is damaged: it claims 18446744073709551615 bytes, more than a file can have"},
		{"a length below zero as an int64", claiming(16, 1<<63), "is damaged: it claims 9223372036854775808 bytes, more than a file can have"},
		{"the longest length", claiming(16, math.MaxInt64), fmt.Sprintf("is cut off: %d of its 9223372036854775807 bytes are there", len(good))},
		{"a header that is no header's", claimingHeader(math.MaxUint32), fmt.Sprintf("is damaged: its header claims 4294967295 bytes from byte 28 on, a header has at most 1048576 and the file %d in all", len(good))},
		{"a header longer than the file", claimingHeader(uint32(len(good))), fmt.Sprintf("is damaged: its header claims %d bytes from byte 28 on", len(good))},
		{"header", flipped(30), "is damaged: the checksum of its header is wrong"},
		{"contents", flipped(len(good) - 1), "has a wrong checksum"},
		{"newer", flipped(9), "has version 257 of the form of saved runs, this program knows version 1"},
		{"older", flipped(8), "has version 0 of the form of saved runs, this program knows version 1"},
	} {
		if _, err := runfile.Read(test.bad); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: error %v, want %s", test.name, err, test.want)
		}
	}
}

// A run that could not be read again is refused when it is saved, not a month later.
func TestPackRefusesWhatReadWould(t *testing.T) {
	r := golden(t, "park")
	r.Components[1].ID = r.Components[0].ID
	if _, err := runfile.Pack(nil, r); err == nil || !strings.Contains(err.Error(), "components[1].id") {
		t.Errorf("two components of one id: %v", err)
	}
	if _, err := runfile.Pack(strings.Repeat("x", 1<<20), golden(t, "park")); err == nil {
		t.Error("a header that no reader takes was packed")
	}
}

func golden(t testing.TB, name string) *record.Run {
	t.Helper()
	data, err := os.ReadFile("../../record/recordjson/testdata/" + name + ".json")
	if err != nil {
		t.Fatal(err)
	}
	r, err := recordjson.Parse(data)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func packed(t testing.TB, r *record.Run) []byte {
	t.Helper()
	f, err := runfile.Pack(map[string]string{"about": "a test"}, r)
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	n, err := f.WriteTo(&b)
	if err != nil || n != int64(b.Len()) {
		t.Fatalf("%d of %d bytes written, error %v", n, b.Len(), err)
	}
	return b.Bytes()
}

// text is the run as JSON.
func text(t testing.TB, r *record.Run) string {
	t.Helper()
	var b bytes.Buffer
	if err := recordjson.Write(&b, r); err != nil {
		t.Fatal(err)
	}
	return b.String()
}
