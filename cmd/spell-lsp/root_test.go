package main

import (
	"bytes"
	"compress/gzip"
	"io"
	"maps"
	"slices"
	"strings"
	"testing"

	"spell-lsp/internal/recordtest"
	"spell-lsp/spell/comparison"
	"spell-lsp/spell/comparison/rendering"
	"spell-lsp/spell/store"
)

// A workspace named a folder of its own as the counters, and the joules that it
// had put there were shown as measured. Every page of such a run says where they
// are from, a run of the system's counters says nothing of the kind.
func TestPagesNameTheRootOfCounters(t *testing.T) {
	const root = "/srv/planted/counters"
	for _, format := range slices.Sorted(maps.Keys(pages)) {
		for _, planted := range []bool{true, false} {
			run := recordtest.InRounds(recordtest.Park())
			if planted {
				run.Meter.Root = root
			}
			var b bytes.Buffer
			if err := pages[format].write(&b, run, view{}); err != nil {
				t.Fatal(err)
			}
			page := b.String()
			if z, err := gzip.NewReader(&b); err == nil {
				plain, err := io.ReadAll(z)
				if err != nil {
					t.Fatal(err)
				}
				page = string(plain)
			}
			if strings.Contains(page, root) != planted {
				t.Errorf("%s: the page of a run with the root %q names it: %v", format, run.Meter.Root, !planted)
			}
		}
	}
}

// The same holds for comparisons and for the list of saved runs.
func TestComparisonsAndListsNameTheRootOfCounters(t *testing.T) {
	base, head := recordtest.Park(), recordtest.Park()
	head.ID = "20261120T180000Z-3f9b"
	head.Meter.Root = "/srv/planted/counters"
	const want = "measured by rapl from counters below /srv/planted/counters, not the system's"
	c, err := comparison.Compare(base, head, comparison.Options{})
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	if err := rendering.Text(&b, c, rendering.Options{}); err != nil {
		t.Fatal(err)
	}
	if got := strings.Join(strings.Fields(b.String()), " "); strings.Count(got, want) != 1 {
		t.Errorf("the comparison says %s", got)
	}
	s := store.Open(t.TempDir())
	dir := t.TempDir()
	if err := s.Save(dir, "", head); err != nil {
		t.Fatal(err)
	}
	list, err := s.List(dir)
	if err != nil {
		t.Fatal(err)
	}
	if saved, err := s.Load(dir, head.ID); err != nil || saved.Meter.Root != head.Meter.Root {
		t.Errorf("saved and loaded: %v, the root is %q", err, saved.Meter.Root)
	}
	b.Reset()
	if err := listText(&b, dir, list); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(b.String(), "rapl (measured from counters below /srv/planted/counters, not the system's)") {
		t.Errorf("the list is\n%s", b.String())
	}
}
