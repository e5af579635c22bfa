package spell

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// NameFault says what is wrong with the name of a test or component; "" if it can be
// in every format of lines and in a table.
func NameFault(name string) string {
	if strings.TrimSpace(name) == "" {
		return "is empty"
	}
	return TextFault(name)
}

// TextFault is NameFault for text that may be empty, such as a file.
func TextFault(text string) string {
	switch {
	case !utf8.ValidString(text):
		return "is not UTF-8"
	case strings.ContainsFunc(text, unicode.IsControl):
		return "has a line break or another control character"
	}
	return ""
}
