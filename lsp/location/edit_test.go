package location

import (
	"math/rand/v2"
	"runtime"
	"strings"
	"testing"

	"go.lsp.dev/protocol"
)

func changeAt(start, end protocol.Position, text string) Change {
	return Change{Range: &struct{ Start, End protocol.Position }{start, end}, Text: &text}
}

// The lines in each change of a notification are those after the change before. Whatever lines the
// changes join or split, the result must be the same as with a new count of all lines for each
// change.
func TestChangesOneAfterTheOther(t *testing.T) {
	random := rand.New(rand.NewPCG(5, 6))
	scraps := []string{"", "a", "\n", "\r", "\r\n", "🚗", "漢b\n", "\xff", "c\rd", "\n\r", "long line"}
	scrap := func() string { return scraps[random.IntN(len(scraps))] + scraps[random.IntN(len(scraps))] }
	for range 2000 {
		text := scrap() + scrap() + scrap()
		ls := SplitLines(text)
		for range 8 {
			start := protocol.Position{Line: random.Uint32N(5), Character: random.Uint32N(6)}
			end := protocol.Position{Line: start.Line + random.Uint32N(3), Character: random.Uint32N(6)}
			added := scrap()
			m := NewMapper(text)
			from, to := m.Offset(start), m.Offset(end)
			after, err := ls.Apply(changeAt(start, end, added))
			if from > to {
				if err == nil {
					t.Fatalf("%q: from %v to %v is not a range", text, start, end)
				}
				continue
			}
			want := text[:from] + added + text[to:]
			if err != nil || after.Text() != want {
				t.Fatalf("%q: %q from %v to %v gives %q, must be %q (%v)", text, added, start, end, after.Text(), want, err)
			}
			ls, text = after, want
		}
	}
}

// Replacing a word in a large file sends 10,000 changes at once, in either order. If each change
// copied the whole text, the server would answer nothing for half a minute.
func TestReplaceAll(t *testing.T) {
	const many = 10_000
	text := strings.Repeat("// some text of a comment\n", many)
	for name, line := range map[string]func(i int) int{
		"from the end":   func(i int) int { return many - 1 - i },
		"from the start": func(i int) int { return i },
	} {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		ls := SplitLines(text)
		for i := range many {
			at := protocol.Position{Line: uint32(line(i)), Character: 3}
			var err error
			if ls, err = ls.Apply(changeAt(at, protocol.Position{Line: at.Line, Character: 7}, "more")); err != nil {
				t.Fatal(err)
			}
		}
		got := ls.Text()
		runtime.ReadMemStats(&after)
		if got != strings.ReplaceAll(text, "some", "more") {
			t.Errorf("%s: the text is wrong", name)
		}
		if used := after.TotalAlloc - before.TotalAlloc; used > uint64(100*len(text)) {
			t.Errorf("%s: %d MB for a text of %d KB", name, used>>20, len(text)>>10)
		}
	}
}
