package trend_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"spell-lsp/spell/record"
	"spell-lsp/spell/store"
	"spell-lsp/spell/store/trend"
)

// Each run is left out by the first cause alone; what is unknown of a run is no cause.
func TestOf(t *testing.T) {
	like := store.Entry{ID: "like", ComponentsMS: 1, Meter: "rapl", Source: record.Measured, Domains: "cpu", Mode: "instrument", Host: "Model T", Cores: 2}
	entries := []store.Entry{like}
	for _, change := range []func(e *store.Entry){
		func(e *store.Entry) { e.Partial, e.Meter = true, "model" },
		func(e *store.Entry) { e.ComponentsMS = 0 },
		func(e *store.Entry) { e.Scope = "bench ." },
		func(e *store.Entry) { e.Scope = store.Loaded + "from a.json" },
		func(e *store.Entry) { e.Chosen = "tags [a]" },
		func(e *store.Entry) { e.Mode = "sample" },
		func(e *store.Entry) { e.Source = record.Estimated },
		func(e *store.Entry) { e.Domains = "cpu,dram" },
		func(e *store.Entry) { e.Cores = 4 },
		func(e *store.Entry) { e.Mode, e.Host, e.Cores = "", "", 0 },
	} {
		e := like
		e.ID = "other"
		change(&e)
		entries = append(entries, e)
	}
	runs, omitted := trend.Of(entries, &entries[0])
	if len(runs) != 2 || runs[0].ID != "other" || runs[1].ID != "like" {
		t.Errorf("the trend has %+v", runs)
	}
	var causes []trend.Cause
	for _, o := range omitted {
		causes = append(causes, o.Cause)
	}
	want := []trend.Cause{
		trend.NotComplete, trend.NoComponents, trend.OtherScope, trend.OtherScope, trend.OtherSettings,
		trend.OtherMode, trend.OtherMeter, trend.OtherDomains, trend.AnotherMachine,
	}
	if diff := cmp.Diff(want, causes); diff != "" {
		t.Errorf("causes (-want +got):\n%s", diff)
	}
}

// Runs that are partial or were loaded from files start no trend, and a run of all packages
// goes before newer ones of a part.
func TestNewest(t *testing.T) {
	partial := store.Entry{ID: "partial", Partial: true, ComponentsMS: 1}
	loaded := store.Entry{ID: "loaded", Scope: store.Loaded + "from a.json", ComponentsMS: 1}
	part := store.Entry{ID: "part", Scope: "bench .", ComponentsMS: 1}
	all := store.Entry{ID: "all", ComponentsMS: 1}
	for _, test := range []struct {
		entries []store.Entry
		want    string
	}{
		{[]store.Entry{partial, loaded, part, all, part}, "all"},
		{[]store.Entry{partial, loaded, part}, "part"},
		{[]store.Entry{partial, loaded}, ""},
		{nil, ""},
	} {
		got := ""
		if e := trend.Newest(test.entries); e != nil {
			got = e.ID
		}
		if got != test.want {
			t.Errorf("of %+v it is %q, want %q", test.entries, got, test.want)
		}
	}
}
