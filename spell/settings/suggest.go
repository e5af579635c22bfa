package settings

import "spell-lsp/spell/suggestion"

// didYouMean returns the end of a message about an unknown word: the known word that was
// probably meant, or nothing.
func didYouMean(word string, known []string) string {
	for _, i := range suggestion.Nearest(word, known, 1) {
		return "; did you mean " + known[i] + "?"
	}
	return ""
}
