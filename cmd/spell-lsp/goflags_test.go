package main

import (
	"slices"
	"strings"
	"testing"

	"github.com/spf13/pflag"
)

// A Go developer types flags with one dash, as for the go command. What is a value, or
// comes after --, stays as it is.
func TestFlagsWithOneDash(t *testing.T) {
	known := pflag.NewFlagSet("measure", pflag.ContinueOnError)
	known.StringP("output", "o", "", "")
	known.StringP("dir", "C", "", "")
	known.String("run", "", "")
	known.String("rounds", "", "")
	known.BoolP("help", "h", false, "")
	for args, want := range map[string]string{
		"measure -run X ./sub":      "measure --run X ./sub",
		"measure ./sub -run=X":      "measure ./sub --run=X",
		"measure -run -rounds":      "measure --run -rounds",
		"measure --run -rounds":     "measure --run -rounds",
		"measure --run=a -rounds 3": "measure --run=a --rounds 3",
		"measure -help -rounds 3":   "measure --help --rounds 3",
		"measure -output FILE":      "measure --output FILE",
		"measure -o -run":           "measure -o -run",
		"measure -oFILE -C -run":    "measure -oFILE -C -run",
		"measure - -run X":          "measure - --run X",
		"measure -- -run X":         "measure -- -run X",
		"measure -count 3 -run X":   "measure --count 3 --run X",
		"measure -outputdir DIR":    "measure --outputdir DIR",
		"measure ---run":            "measure ---run",
		"measure -run":              "measure --run",
		"":                          "",
	} {
		given := strings.Fields(args)
		before := slices.Clone(given)
		if got := strings.Join(withLongFlags(given, known), " "); got != want {
			t.Errorf("%q becomes %q, want %q", args, got, want)
		}
		if !slices.Equal(given, before) {
			t.Errorf("%q: the arguments themselves were changed", args)
		}
	}
}

// Advice about a flag that measure has would never be read, or be wrong.
func TestAdviceIsAboutFlagsThatAreMissing(t *testing.T) {
	cmd := measureCommand()
	for name, advice := range insteadOf {
		if cmd.Flags().Lookup(name) != nil {
			t.Errorf("measure has the flag --%s", name)
		}
		for word := range strings.FieldsSeq(strings.ReplaceAll(advice, ",", " ")) {
			if flag, ok := strings.CutPrefix(word, "--"); ok && cmd.Flags().Lookup(flag) == nil {
				t.Errorf("the advice on -%s names --%s, which measure does not have", name, flag)
			}
		}
	}
}

// Whatever flag of go test is typed, and in whatever way, the error is one line that says
// what to do.
func TestFlagsOfGoTest(t *testing.T) {
	for _, typed := range []string{"-count", "-count=1", "--count=1", "--count"} {
		cmd := measureCommand()
		err := flagError(cmd, cmd.ParseFlags(withLongFlags([]string{typed}, cmd.Flags())))
		if want := "-count is a flag of go test: use --rounds N, which runs all tests N times"; err == nil || err.Error() != want {
			t.Errorf("%s: %v\nwant %s", typed, err, want)
		}
	}
}
