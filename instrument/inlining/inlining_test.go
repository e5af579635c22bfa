package inlining

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestArgumentGroups(t *testing.T) {
	long := strings.Repeat("x", 40<<10)
	var got [][]string
	for group := range argumentGroups([]string{"a", long, "b", long, strings.Repeat(long, 3), "c"}) {
		got = append(got, group)
	}
	want := [][]string{{"a", long, "b"}, {long}, {strings.Repeat(long, 3)}, {"c"}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("groups (-want +got):\n%s", diff)
	}
}
