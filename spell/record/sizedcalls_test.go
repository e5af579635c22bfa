package record_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"spell-lsp/spell"
	"spell-lsp/spell/record"
)

// Runs have calls in some buckets each: those of the same size and bucket add up, and the means of sizes are
// weighted by calls. What is added to stays in order.
func TestAddSizedCalls(t *testing.T) {
	bucket := func(low, high uint64, mean, n float64) record.SizeBucket {
		e := record.Energy{spell.CPU: n}
		return record.SizeBucket{Low: low, High: high, Mean: mean, N: n, TimeMS: 2 * n, CumTimeMS: 3 * n, EnergyJ: e, CumEnergyJ: record.Energy{spell.CPU: 4 * n}}
	}
	var c record.Component
	first := []record.SizedCalls{{Size: "n", Buckets: []record.SizeBucket{bucket(7, 7, 7, 2), bucket(64, 71, 65, 4)}}}
	c.AddSizedCalls(first, 0.5)
	c.AddSizedCalls([]record.SizedCalls{
		{Size: "len(s)", Buckets: []record.SizeBucket{bucket(1, 1, 1, 2)}},
		{Size: "n", Buckets: []record.SizeBucket{bucket(0, 0, 0, 2), bucket(64, 71, 69, 4)}},
	}, 0.5)
	want := []record.SizedCalls{
		{Size: "n", Buckets: []record.SizeBucket{bucket(0, 0, 0, 1), bucket(7, 7, 7, 1), bucket(64, 71, 67, 4)}},
		{Size: "len(s)", Buckets: []record.SizeBucket{bucket(1, 1, 1, 1)}},
	}
	if diff := cmp.Diff(want, c.SizedCalls, cmpopts.EquateApprox(1e-12, 0)); diff != "" {
		t.Errorf("calls (-want +got):\n%s", diff)
	}
	if first[0].Buckets[0].N != 2 {
		t.Error("the run that was added has changed")
	}
}

// A function that never ran itself, and whose callees drew nothing, has no energy, and not one that is no number.
func TestSizedCallsWithoutTime(t *testing.T) {
	c := record.Component{EnergyJ: record.Energy{spell.CPU: 0}, CumEnergyJ: record.Energy{spell.CPU: 0}}
	c.SetSizedCalls([]record.SizedCalls{{Size: "n", Buckets: []record.SizeBucket{{Low: 1, High: 1, Mean: 1, N: 1}}}}, 1, 1)
	zero := record.Energy{spell.CPU: 0}
	want := []record.SizedCalls{{Size: "n", Buckets: []record.SizeBucket{{Low: 1, High: 1, Mean: 1, N: 1, EnergyJ: zero, CumEnergyJ: zero}}}}
	if diff := cmp.Diff(want, c.SizedCalls); diff != "" {
		t.Errorf("calls (-want +got):\n%s", diff)
	}
}
