package wording_test

import (
	"strings"
	"testing"

	"spell-lsp/spell/note"
	"spell-lsp/spell/wording"
)

// A run that ended before its ranking was stable says why, and how to get more rounds.
func TestWhyRoundsEnded(t *testing.T) {
	for _, test := range []struct {
		note note.Note
		want string
	}{
		{note.RoundsTooLong(3, 77_000, 0), "the measurement ended after 3 rounds, because one more (77.0 s) was unlikely to change the order enough to be worth it; set --rounds for more"},
		{note.RoundsTooLong(3, 77_000, 2), "the measurement ended after 3 rounds, because one more (77.0 s) was unlikely to change the order enough to be worth it; the order depends on 2 of them; set --rounds for more"},
		{note.TimeUp("2m0s", 1), "--for 2m0s ended the measurement after 1 complete round: there was no time for another"},
	} {
		if got := wording.Text(test.note); got != test.want {
			t.Errorf("%s\nwant\n%s", got, test.want)
		}
	}
}

// Why: separators belong to counts. The place of a go statement is clicked in terminals.
func TestLineHasNoSeparator(t *testing.T) {
	got := wording.Text(note.GoroutinesOutlive("m.TestServe", 1043, "http.(*Transport).dialConn", "net/http/transport.go", 1994, 0.4, 0.5))
	for _, want := range []string{"net/http/transport.go:1994 ", "1,043 goroutines"} {
		if !strings.Contains(got, want) {
			t.Errorf("%q is not in %q", want, got)
		}
	}
}
