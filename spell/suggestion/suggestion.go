// Package suggestion finds what a misspelt word was probably meant to be.
package suggestion

import (
	"cmp"
	"slices"
	"strings"
)

// Nearest lists the indices of those of known, the nearest first and most at
// most, that are word but for a typing error: a third of its letters, and one
// more, were added, left out or replaced. Case, - and _ do not count.
func Nearest(word string, known []string, most int) []int {
	var found []int
	distance := make([]int, len(known))
	for i, k := range known {
		distance[i] = editDistance(plain(word), plain(k))
		if distance[i] <= len(plain(word))/3+1 {
			found = append(found, i)
		}
	}
	slices.SortStableFunc(found, func(a, b int) int { return cmp.Compare(distance[a], distance[b]) })
	return found[:min(len(found), most)]
}

// plain drops differences between naming conventions: include-failed, include_failed
// and IncludeFailed become the same word. It also limits the length of a word, and so
// the cost of comparing it.
func plain(word string) string {
	word = strings.ToLower(strings.NewReplacer("-", "", "_", "").Replace(word))
	return word[:min(len(word), 120)]
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
