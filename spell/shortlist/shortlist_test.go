package shortlist_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"spell-lsp/spell/shortlist"
)

// Ten are told as they are; of eleven the last is counted. Errors that are only
// counted are not described.
func TestFirstAndHowManyMore(t *testing.T) {
	for _, c := range []struct {
		n    int
		last string
	}{{1, "problem 1"}, {10, "problem 10"}, {11, "and 1 more"}, {100_000, "and 99990 more"}} {
		var list []string
		var errs shortlist.Errors
		described := 0
		for i := range c.n {
			text := fmt.Sprintf("problem %d", i+1)
			list = append(list, text)
			errs.Add(func() error { described++; return errors.New(text) })
		}
		got := strings.Join(shortlist.Of(list), "\n")
		if lines := strings.Count(got, "\n") + 1; lines > 11 || !strings.HasPrefix(got, "problem 1") || !strings.HasSuffix(got, c.last) {
			t.Errorf("of %d: %s", c.n, got)
		}
		if errs.Err().Error() != got || described > shortlist.Most {
			t.Errorf("of %d errors %d were described: %v", c.n, described, errs.Err())
		}
		if len(list) != c.n || list[c.n-1] != fmt.Sprintf("problem %d", c.n) {
			t.Error("the list was changed")
		}
	}
	var none shortlist.Errors
	if shortlist.Of(nil) != nil || none.Err() != nil {
		t.Error("there is something of nothing")
	}
}
