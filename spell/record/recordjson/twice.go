package recordjson

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
)

// checkTwice refuses a record with a member that occurs twice, which JSON allows: the
// decoder would merge both, so that cells of a second matrix kept values of the first. Like
// the decoder it ignores case. The text must be valid JSON; each byte is looked at once.
func checkTwice(data []byte) error {
	seen := make(map[string]int) // where they begin
	for at, depth := 0, 0; at < len(data); at++ {
		switch data[at] {
		case '{', '[':
			depth++
		case '}', ']':
			depth--
		case '"':
			begin := at
			at = stringEnd(data, begin)
			if depth > 1 || !isKey(data[at+1:]) {
				continue
			}
			var name string
			if err := json.Unmarshal(data[begin:at+1], &name); err != nil {
				return fmt.Errorf("reading the name of a member: %w", err)
			}
			folded := strings.ToLower(strings.ToUpper(name)) // some letters have two lower-case forms
			if first, twice := seen[folded]; twice {
				return hasTwice(data, name, first, begin)
			}
			seen[folded] = begin
		}
	}
	return nil
}

func hasTwice(data []byte, name string, first, second int) error {
	before, _ := lineColumn(data, first)
	line, column := lineColumn(data, second)
	return fmt.Errorf("line %d, column %d: the record has %q a second time, the first one is in line %d: remove one of them", line, column, name, before)
}

// stringEnd is the closing quote of the string that begins at a quote.
func stringEnd(data []byte, begin int) int {
	for at := begin + 1; ; at++ {
		at += bytes.IndexByte(data[at:], '"')
		escapes := 0
		for data[at-1-escapes] == '\\' {
			escapes++
		}
		if escapes%2 == 0 {
			return at
		}
	}
}

// isKey tells from the text behind a string whether the string is the name of a member.
func isKey(rest []byte) bool {
	rest = bytes.TrimLeft(rest, " \t\r\n")
	return len(rest) > 0 && rest[0] == ':'
}
