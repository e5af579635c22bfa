package execution

import (
	"strings"
	"testing"
)

// What a trial says must not be lost where the function that it calls prints much.
func TestMarkedOutput(t *testing.T) {
	m := &markedOutput{mark: []byte("mark ")}
	for i := range 20 {
		text := strings.Repeat("chatty\n", 10000) + "no end\nmark " + strings.Repeat("x", i) + "\n"
		for at := 0; at < len(text); at += 1000 { // as a pipe has it
			m.Write([]byte(text[at:min(at+1000, len(text))]))
		}
	}
	m.Write([]byte(strings.Repeat("y", 10*maxLine) + "\nfatal error: the end"))
	got := m.String()
	if n := strings.Count(got, "mark x") + strings.Count(got, "mark \n"); n != 20 || strings.Index(got, "chatty") < strings.LastIndex(got, "mark ") {
		t.Errorf("%d of 20 marked lines are there, before the others:\n%.2000s", n, got)
	}
	if !strings.HasSuffix(strings.TrimSpace(got), "\nfatal error: the end") || len(got) > maxMarked {
		t.Errorf("%d bytes end in %q", len(got), got[max(0, len(got)-100):])
	}
}
