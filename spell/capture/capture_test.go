package capture

import (
	"fmt"
	"strings"
	"testing"
)

// What a program says first and last is kept, and the line that tells why it
// ended, which thousands of goroutines can bury and thousands of lines precede.
func TestOutputKeepsWhatMatters(t *testing.T) {
	lines := func(n int, text string) string { return strings.Repeat(text+"\n", n) }
	for _, test := range []struct {
		name, text string
		want       []string
	}{
		{"short", "--- FAIL: TestA\nwords\nFAIL\n", []string{"--- FAIL: TestA\nwords\nFAIL\n"}},
		{"long", "first\n" + lines(10_000, "noise") + "last\n", []string{"first\n", "\n[... 27243 bytes left out ...]\n", "last\n"}},
		{
			"a time limit, then many goroutines",
			"first\n" + lines(10_000, "noise") + "panic: test timed out after 2s\n\trunning tests:\n" + lines(10_000, "goroutine 7 [select]:") + "last\n",
			[]string{"first\n", " bytes left out ...]\npanic: test timed out after 2s\n\trunning tests:\ngoroutine 7", "last\n"},
		},
		{"a panic at the edge of the end", lines(10_000, "noise") + "panic: oh\n" + lines(700, "goroutine 7 [select]:"), []string{"panic: oh\ngoroutine"}},
		{"a panic at the start", "panic: oh\n" + lines(10_000, "goroutine 7 [select]:"), []string{"panic: oh\ngoroutine"}},
	} {
		for _, size := range []int{1, 5, 4096, len(test.text)} { // of the pieces in which it arrives
			var out Output
			for rest := test.text; rest != ""; {
				piece := rest[:min(size, len(rest))]
				fmt.Fprint(&out, piece)
				rest = rest[len(piece):]
			}
			got := out.String()
			if len(got) > maxString {
				t.Errorf("%s: %d bytes were kept", test.name, len(got))
			}
			for _, want := range test.want {
				if strings.Count(got, want) != 1 {
					t.Errorf("%s in pieces of %d: %q is there %d times", test.name, size, want, strings.Count(got, want))
				}
			}
			if len(test.text) < tailSize && got != test.text {
				t.Errorf("%s: %q became %q", test.name, test.text, got)
			}
		}
	}
}

func TestText(t *testing.T) {
	if got := Text("short"); got != "short" {
		t.Errorf("got %q", got)
	}
	text := strings.Repeat("x", 1<<20)
	if got := Text(text); len(got) > maxString || Text(got) != got || !strings.Contains(got, "[... 1015808 bytes left out ...]") {
		t.Errorf("%d bytes are left of a megabyte", len(got))
	}
}

// An answer that is cut would be parsed as another one: it is refused.
func TestAnswer(t *testing.T) {
	var a Answer
	fmt.Fprint(&a, "all")
	if _, err := a.Write(make([]byte, maxAnswer)); err == nil || !strings.Contains(err.Error(), "more than 64 MiB") {
		t.Errorf("the error is %v", err)
	}
	if got := string(a.Bytes()); got != "all" {
		t.Errorf("got %q", got)
	}
}
