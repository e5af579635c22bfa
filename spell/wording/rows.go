package wording

import "cmp"

// The rows of a matrix are tests, a program or scenarios; see record.Run.RowWord. "" is a test.

const (
	testRow    = "test"
	programRow = "program"
)

func row(word string) string { return cmp.Or(word, testRow) }

// Rows names all of them: the tests, the program.
func Rows(word string) string {
	if word == programRow {
		return word
	}
	return row(word) + "s"
}

// TheseRows points at all of them: these tests, this program.
func TheseRows(word string) string {
	if word == programRow {
		return "this program"
	}
	return "these " + Rows(word)
}

func waits(word string) string {
	if word == programRow {
		return word + " mostly waits"
	}
	return Rows(word) + " mostly wait"
}

func takes(word string) string {
	if word == programRow {
		return "it takes"
	}
	return "they take"
}

func underTest(word string) string {
	if row(word) == testRow {
		return "the program under test"
	}
	return "the program"
}
