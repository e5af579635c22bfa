//go:build go1.23

package roaring_test

import (
	"testing"

	"github.com/RoaringBitmap/roaring/v2"
)

func bitmaps(runs int) []*roaring.Bitmap {
	all := make([]*roaring.Bitmap, 10)
	for i := range all {
		all[i] = roaring.New()
		for block := range uint64(4) {
			for run := range uint64(runs) {
				from := block<<16 + run*8000 + uint64(37*i)
				all[i].AddRange(from, from+6000)
			}
		}
		all[i].RunOptimize()
	}
	return all
}

func TestWorkloadUnionOfRuns(t *testing.T) {
	all := bitmaps(8)
	for range 3 {
		if roaring.FastOr(all...).IsEmpty() {
			t.Fatal("the union is empty")
		}
	}
}

func TestWorkloadSets(t *testing.T) {
	for round := range uint32(12) {
		a, b := roaring.New(), roaring.New()
		for i := range uint32(200000) {
			a.Add(i * 7)
			b.Add(i*11 + round)
		}
		for i := 0; i < 20; i++ {
			if roaring.And(a, b).IsEmpty() || roaring.Xor(a, b).GetCardinality() == 0 {
				t.Fatal("nothing in common")
			}
		}
		bytes, err := a.ToBytes()
		if err != nil || roaring.New().UnmarshalBinary(bytes) != nil {
			t.Fatal(err)
		}
	}
}
