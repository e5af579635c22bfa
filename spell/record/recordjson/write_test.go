package recordjson_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"spell-lsp/internal/recordtest"
	"spell-lsp/spell"
	"spell-lsp/spell/note"
	"spell-lsp/spell/record"
	"spell-lsp/spell/record/grouping"
	"spell-lsp/spell/record/ranking"
	"spell-lsp/spell/record/recordjson"
	"spell-lsp/spell/wording"
)

// What was written is read as it was: domains of tests stay theirs.
func TestDomainOfTestsOnlyIsKept(t *testing.T) {
	r := recordtest.Disk()
	var text bytes.Buffer
	if err := recordjson.Write(&text, r); err != nil {
		t.Fatal(err)
	}
	again, err := recordjson.Parse(text.Bytes())
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(r.Matrix, again.Matrix); diff != "" {
		t.Errorf("the matrix (-written +read):\n%s", diff)
	}
	if diff := cmp.Diff([]spell.Domain{spell.Disk}, again.TestOnly()); diff != "" {
		t.Errorf("known by test only:\n%s", diff)
	}
	grouped, err := grouping.Regroup(again, spell.KindPackage)
	if err != nil {
		t.Fatal(err)
	}
	ranking.Analyze(grouped, spell.Options{}, false)
	for _, c := range grouped.Components {
		if _, own := c.EnergyJ[spell.Disk]; own {
			t.Errorf("the package %s has energy of disk", c.ID)
		}
	}
	if !strings.Contains(strings.Join(wording.Texts(grouped.AllNotes()), " "), "no package has a share") {
		t.Errorf("of packages no remark tells: %q", wording.Texts(grouped.AllNotes()))
	}
}

// Other programs read the record: its names and its form must not change
// unnoticed, and no list or map may be null.
func TestWriteGolden(t *testing.T) {
	for name, r := range map[string]*record.Run{"park": recordtest.Unranked(), "whole": recordtest.Complete()} {
		t.Run(name, func(t *testing.T) {
			ranking.Analyze(r, spell.Options{}, false)
			golden(t, name+".json", written(t, r))
		})
	}
}

func TestRoundTripIsExact(t *testing.T) {
	r := recordtest.Complete()
	r.Components[0].EPIJ = 1.0 / 3
	r.Components[0].CumTimeMS = math.SmallestNonzeroFloat64
	ranking.Analyze(r, spell.Options{}, true)
	text := written(t, r)
	again, err := recordjson.Read(strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	r.Localization = again.Localization // which Write sets
	if diff := cmp.Diff(r, again, cmpopts.EquateEmpty()); diff != "" {
		t.Errorf("run changed (-written +read):\n%s", diff)
	}
	if written(t, again) != text {
		t.Error("writing what was read gives other bytes")
	}
}

// A test that ran once a round is the usual: nothing is said of it, however the
// runner counted.
func TestOneRepeatIsLeftOut(t *testing.T) {
	r := recordtest.Unranked()
	r.Tests[0].Repeats = 1
	if text := written(t, r); strings.Contains(text, "repeats") {
		t.Errorf("the record speaks of repeats:\n%s", text)
	}
}

// A run is shared between the parts of a server: writing it must not touch it.
func TestWriteLeavesTheRun(t *testing.T) {
	r, same := recordtest.Complete(), recordtest.Complete()
	r.Tests[1].Repeats, same.Tests[1].Repeats = 1, 1
	written(t, r)
	if diff := cmp.Diff(same, r); diff != "" {
		t.Errorf("Write changed the run:\n%s", diff)
	}
}

func TestReadFillsAbsentLists(t *testing.T) {
	r, err := recordjson.Read(strings.NewReader(`{"schema": "spell-lsp/run/v1", "granularity": "function", "meter": {"source": "none", "domains": null}, "later": {"x": [1]}}`))
	if err != nil {
		t.Fatal(err)
	}
	if r.Tests == nil || r.Components == nil || r.Warnings == nil || r.Notes == nil || r.Settings == nil || r.Meter.Domains == nil || r.Meter.Warnings == nil {
		t.Errorf("an absent list is nil: %+v", r)
	}
}

func TestWriteErrors(t *testing.T) {
	if err := recordjson.Write(brokenPipe{}, recordtest.Unranked()); err == nil || !strings.Contains(err.Error(), "20261120T180000Z-3f9a: broken pipe") {
		t.Errorf("writing to a broken pipe: %v", err)
	}
	r := recordtest.Unranked()
	r.Matrix.EnergyJ[4] = math.NaN()
	var b bytes.Buffer
	if err := recordjson.Write(&b, r); err == nil || !strings.Contains(err.Error(), "matrix[2].energy_j.cpu is NaN") {
		t.Errorf("writing NaN: %v", err)
	}
	if b.Len() > 0 {
		t.Errorf("a refused run left %d bytes", b.Len())
	}
}

func written(t testing.TB, r *record.Run) string {
	t.Helper()
	var b bytes.Buffer
	if err := recordjson.Write(&b, r); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func golden(t *testing.T, name, got string) {
	t.Helper()
	recordtest.Golden(t, name, got)
	if strings.Contains(got, "null") {
		t.Error("the record has a null")
	}
}

type brokenPipe struct{}

func (brokenPipe) Write([]byte) (int, error) { return 0, errors.New("broken pipe") }

// Programs read notes, people the same as texts: a record has both, and what was read
// says nothing twice.
func TestNotesAreWrittenWithTheirTexts(t *testing.T) {
	r := recordtest.Complete()
	r.Notes = []note.Note{note.Drift(0.12, 0.75), note.NotRepeatable("m.TestOnce"), note.MachinesDiffer([]note.Note{note.CoresDiffer(2, 4), note.OneVirtual()})}
	r.Warnings = []string{"a text of an older version"}
	r.Meter.Notes = []note.Note{note.MemoryNotMeasured("permission denied")}
	r.Dropped = []record.Dropped{{Round: 3, Note: note.Stolen(0.025)}}
	ranking.Analyze(r, spell.Options{Weights: spell.Weights{spell.CPU: 1}}, false)
	text := written(t, r)
	var said struct {
		Warnings []string
		Meter    struct{ Warnings []string }
		Dropped  []struct{ Cause string }
	}
	if err := json.Unmarshal([]byte(text), &said); err != nil {
		t.Fatal(err)
	}
	if len(said.Warnings) != 4 || !strings.HasPrefix(said.Warnings[0], "the rounds drift: ") || said.Warnings[3] != r.Warnings[0] ||
		len(said.Meter.Warnings) != 1 || said.Dropped[0].Cause != "steal: the host took 2.5 % of the processors' time" {
		t.Errorf("the record says %+v", said)
	}
	again, err := recordjson.Parse([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(r.AllNotes(), again.AllNotes()); diff != "" {
		t.Errorf("notes (-written +read):\n%s", diff)
	}
	if written(t, again) != text {
		t.Error("writing what was read gives other bytes")
	}
}

// A newer version may write notes that this one has no text for, on their own or as causes
// in others: their texts stand in the record. One from before notes has texts only.
func TestNotesOfOtherVersions(t *testing.T) {
	r := recordtest.Unranked()
	tomorrow := note.Note{Code: "of.tomorrow", Args: note.Args{}}
	r.Notes = []note.Note{tomorrow, note.WarmupRepeated(tomorrow), note.MachinesDiffer([]note.Note{note.OneVirtual(), tomorrow})}
	r.DroppedRounds, r.Dropped = 1, []record.Dropped{{Round: 2, Note: tomorrow}}
	newer := strings.ReplaceAll(written(t, r), wording.Text(tomorrow), "said tomorrow")
	again, err := recordjson.Parse([]byte(newer))
	if err != nil {
		t.Fatal(err)
	}
	want := []string{"said tomorrow", "the warm-up was run again: said tomorrow", "BASE and HEAD were measured on different machines (one of them virtual; said tomorrow)"}
	if diff := cmp.Diff(want, wording.Texts(again.AllNotes())); diff != "" {
		t.Errorf("notes of a newer version (-want +got):\n%s", diff)
	}
	if cause := wording.Text(again.Dropped[0].Why()); cause != "said tomorrow" {
		t.Errorf("the round was dropped because of %q", cause)
	}
	older := strings.NewReplacer(`"notes": [`, `"old": [`, `"note": {`, `"old": {`, "said tomorrow", "said before").Replace(newer)
	if again, err = recordjson.Parse([]byte(older)); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff("said before", wording.Texts(again.AllNotes())[0]); diff != "" {
		t.Errorf("a record without notes (-want +got):\n%s", diff)
	}
	if cause := wording.Text(again.Dropped[0].Why()); cause != "said before" {
		t.Errorf("the round was dropped because of %q", cause)
	}
}
