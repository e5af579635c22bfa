package page

import (
	"fmt"
	"strings"
)

// EscapeMarkdown makes text that Markdown shows as it is, whatever is in it: what
// has a meaning there, or in HTML, becomes a character reference. A colon
// does, and the dot behind www, where an address could begin.
func EscapeMarkdown(s string) string {
	var b strings.Builder
	s = Clean(s)
	for i, r := range s {
		colon := r == ':' && i+1 < len(s) && s[i+1] != ' '
		dot := r == '.' && i >= 3 && strings.EqualFold(s[i-3:i], "www")
		if colon || dot || strings.ContainsRune("\\`*_{}[]<>|#~&@!$", r) {
			fmt.Fprintf(&b, "&#%d;", r)
			continue
		}
		b.WriteRune(r)
	}
	return b.String()
}

// Shown is the number of rows that a page shows of n: at most top, where 0 means 20 and a
// negative number all.
func Shown(top, n int) int {
	switch {
	case top < 0:
		return n
	case top == 0:
		return min(n, 20)
	}
	return min(n, top)
}
