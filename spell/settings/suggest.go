package settings

import "spell-lsp/spell/suggestion"

// didYouMean ends a message about the unknown word with the known one that it
// was probably meant to be, if there is one.
func didYouMean(word string, known []string) string {
	for _, i := range suggestion.Nearest(word, known, 1) {
		return "; did you mean " + known[i] + "?"
	}
	return ""
}
