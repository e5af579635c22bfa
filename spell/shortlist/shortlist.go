// Package shortlist says what there may be very much of: the first few, and how many
// more there are. Nobody reads a message of a hundred thousand lines, and editors
// stand still while they show it.
package shortlist

import (
	"errors"
	"fmt"
)

// Most is how many are told.
const Most = 10

// Of is the list itself or, of a longer one, its first Most and "and 7 more". It
// does not change the list.
func Of(list []string) []string {
	if len(list) <= Most {
		return list
	}
	return append(list[:Most:Most], more(len(list)-Most))
}

func more(n int) string { return fmt.Sprintf("and %d more", n) }

// Errors collects errors. The zero value has none.
type Errors struct {
	first []error
	more  int
}

// Add adds the error that describe makes. It is not asked for one that will not be
// told: to describe an error may take longer than to find it.
func (e *Errors) Add(describe func() error) {
	if len(e.first) == Most {
		e.more++
		return
	}
	e.first = append(e.first, describe())
}

// Err joins the errors, each on a line of its own; nil if there are none.
func (e *Errors) Err() error {
	if e.more == 0 {
		return errors.Join(e.first...)
	}
	return errors.Join(append(e.first[:Most:Most], errors.New(more(e.more)))...)
}
