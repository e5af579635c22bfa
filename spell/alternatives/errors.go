package alternatives

import (
	"fmt"
	"strings"

	"spell-lsp/spell/shortlist"
)

// A NoneError says that no row has a key that names alternatives.
type NoneError struct {
	Key  string   // that was asked for; "" is any
	Keys []string // that there are
}

func (e *NoneError) Error() string {
	text := "no alternatives were found"
	if e.Key != "" {
		text = fmt.Sprintf("no name has the key %s", e.Key)
	}
	switch {
	case e.Key != "" && len(e.Keys) > 0:
		return text + "; there are " + strings.Join(shortlist.Of(e.Keys), ", ")
	case len(e.Keys) > 0:
		return fmt.Sprintf("%s: all keys (%s) have numbers as values. Name the one whose values are the alternatives with --key", text, strings.Join(shortlist.Of(e.Keys), ", "))
	}
	return text + ": alternatives are sub-benchmarks or subtests whose names differ in the value of a key, as in b.Run(\"impl=map/n=100\", ...) and " +
		"b.Run(\"impl=slice/n=100\", ...) in BenchmarkSet. A saved run has them if it was measured with --subtests"
}

// A OneError says that nothing has more than one alternative.
type OneError struct {
	Test, Key string    // Test is "" if none passed
	LeftOut   []LeftOut // that did not pass
}

func (e *OneError) Error() string {
	text := fmt.Sprintf("there is nothing to choose from: %s is the only alternative by the key %s", e.Test, e.Key)
	if e.Test == "" {
		text = "no alternative passed"
	}
	if len(e.LeftOut) > 0 {
		text += "; left out because they did not pass: " + strings.Join(shortlist.Of(LeftOutNames(e.LeftOut)), ", ")
	}
	return text
}

// LeftOutNames are the tests that were left out, each with its outcome.
func LeftOutNames(list []LeftOut) (names []string) {
	for _, l := range list {
		names = append(names, fmt.Sprintf("%s (%s)", l.Test, l.Outcome))
	}
	return names
}

// A KeysError says that several keys may be the alternatives.
type KeysError struct {
	Benchmark string
	Keys      []string
}

func (e *KeysError) Error() string {
	return fmt.Sprintf("%s has several keys whose values may be the alternatives: %s. Choose one with --key %s", e.Benchmark, strings.Join(e.Keys, ", "), e.Keys[0])
}

// A SizeError says that a key cannot be the size.
type SizeError struct {
	Key              string
	Keys             []string // that there are, if Key is none of them
	Benchmark, Value string   // where it has this value, which is no number
	Alternatives     bool     // the key names the alternatives
}

func (e *SizeError) Error() string {
	switch {
	case e.Alternatives:
		return fmt.Sprintf("%s cannot be both the alternatives and the size", e.Key)
	case e.Benchmark != "":
		return fmt.Sprintf("%s cannot be the size: %s has %s=%s, which is no number", e.Key, e.Benchmark, e.Key, e.Value)
	}
	return fmt.Sprintf("no name with alternatives has the key %s for the size; there are %s", e.Key, strings.Join(shortlist.Of(e.Keys), ", "))
}
