package settings

import "strings"

// didYouMean ends a message about the unknown word with the known one that it
// was probably meant to be, if there is one.
func didYouMean(word string, known []string) string {
	best, distance := "", len(plain(word))/3+1
	for _, k := range known {
		if d := editDistance(plain(word), plain(k)); d < distance || d == distance && best == "" {
			best, distance = k, d
		}
	}
	if best == "" {
		return ""
	}
	return "; did you mean " + best + "?"
}

// plain drops what differs between the habits of writing a key: include-failed,
// include_failed and IncludeFailed are one word. Long words are cut, no key is
// that long.
func plain(word string) string {
	word = strings.ToLower(strings.NewReplacer("-", "", "_", "").Replace(word))
	return word[:min(len(word), 40)]
}

// editDistance is the number of bytes to insert, delete or replace to make b
// of a (Levenshtein).
func editDistance(a, b string) int {
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
