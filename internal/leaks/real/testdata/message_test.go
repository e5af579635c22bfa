//go:build go1.23

package message_test

import (
	"testing"

	"golang.org/x/text/language"
	"golang.org/x/text/message"
)

func TestWorkloadPrint(t *testing.T) {
	p := message.NewPrinter(language.German)
	for i := range 200000 {
		if p.Sprintf("%d of %s costs %.2f", i, "pears", 12.5) == "" || p.Sprintf("%d articles", i) == "" {
			t.Fatal(i)
		}
	}
}

func TestWorkloadTranslated(t *testing.T) {
	if err := message.SetString(language.Dutch, "%d articles", "%d artikelen"); err != nil {
		t.Fatal(err)
	}
	p := message.NewPrinter(language.Dutch)
	for i := range 40000 {
		if p.Sprintf(message.Key("%d articles", "%d things"), i) == "" || p.Sprint(i, 1.5, "x") == "" {
			t.Fatal(i)
		}
	}
}
