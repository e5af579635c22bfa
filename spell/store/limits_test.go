package store_test

import (
	"slices"
	"testing"
	"time"

	"spell-lsp/spell/store"
)

// A store that is used every day must not grow for ever, and not lose what somebody
// compares with, or what the editor shows.
func TestLimits(t *testing.T) {
	day := 24 * time.Hour
	now := time.Date(2026, 11, 20, 18, 0, 0, 0, time.UTC)
	for _, test := range []struct {
		name   string
		limits store.Limits
		want   []int // days ago
	}{
		{"none", store.Limits{}, []int{1, 2, 3, 10, 20, 30}},
		{"number", store.Limits{Keep: 2}, []int{1, 2, 20}},
		{"age", store.Limits{Age: 5 * day}, []int{1, 2, 3, 20}},
		{"both", store.Limits{Keep: 4, Age: 5 * day / 2}, []int{1, 2, 20}},
		{"nothing new enough", store.Limits{Age: time.Hour}, []int{1, 20}},
	} {
		t.Run(test.name, func(t *testing.T) {
			s := store.Open(t.TempDir())
			s.SetNow(func() time.Time { return now })
			for _, days := range []int{30, 20, 10, 3, 2, 1} {
				started := now.Add(-time.Duration(days) * day)
				r := runWith(started.Format("20060102T150405Z")+"-0000", days)
				r.Started = started
				if days == 1 {
					s.Limits = test.limits
				} else {
					s.Limits = store.Limits{}
				}
				save(t, s, r)
				if days == 20 {
					if err := s.SetBaseline(workspace, "main", r.ID); err != nil {
						t.Fatal(err)
					}
				}
			}
			entries, err := s.List(workspace)
			if err != nil {
				t.Fatal(err)
			}
			var got []int
			for _, e := range entries {
				got = append(got, e.Components)
			}
			if !slices.Equal(got, test.want) {
				t.Errorf("runs of %v days ago are there, want %v", got, test.want)
			}
		})
	}
}
