package growth

import "strings"

// Reverse is a text from its end to its start.
func Reverse(text string) string {
	runes := []rune(text)
	for i, j := 0, len(runes)-1; i < j; i, j = i+1, j-1 {
		runes[i], runes[j] = runes[j], runes[i]
	}
	return string(runes)
}

// Wrap breaks a text at spaces, so that no line is wider than width unless a word is.
func Wrap(text string, width int) string {
	var wrapped strings.Builder
	column := 0
	for word := range strings.FieldsSeq(text) {
		switch {
		case column == 0:
		case column+1+len(word) > width:
			wrapped.WriteByte('\n')
			column = 0
		default:
			wrapped.WriteByte(' ')
			column++
		}
		wrapped.WriteString(word)
		column += len(word)
	}
	return wrapped.String()
}

// Distance is how many bytes must be inserted, removed or replaced to make one text of another (Levenshtein).
func Distance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			replaced := diagonal
			if a[i] != b[j] {
				replaced++
			}
			diagonal = row[j+1]
			row[j+1] = min(replaced, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(b)]
}

// JoinByAdding joins texts, and copies what it has for each.
func JoinByAdding(texts []string) (joined string) {
	for _, text := range texts {
		joined += text + ","
	}
	return joined
}

// Join joins texts, and copies each once.
func Join(texts []string) string {
	var joined strings.Builder
	for _, text := range texts {
		joined.WriteString(text)
		joined.WriteByte(',')
	}
	return joined.String()
}
