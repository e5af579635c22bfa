package main

import (
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// withLongFlags lets a long flag be written with one dash, as the go command takes it:
// -run X is --run X. Otherwise pflag would read -run as -r with the value un, and
// -output FILE as -o with the value utput. So are flags that only go test has, for which there
// is advice. A value stays as it is.
func withLongFlags(args []string, known *pflag.FlagSet) []string {
	if known == nil {
		return args
	}
	args = slices.Clone(args)
	for i := 0; i < len(args) && args[i] != "--"; i++ {
		dashes := len(args[i]) - len(strings.TrimLeft(args[i], "-"))
		name, _, hasValue := strings.Cut(args[i][dashes:], "=")
		if dashes == 1 && len(name) > 1 && (known.Lookup(name) != nil || insteadOf[name] != "") {
			args[i], dashes = "-"+args[i], 2
		}
		var f *pflag.Flag
		switch {
		case dashes == 2:
			f = known.Lookup(name)
		case dashes == 1 && len(name) == 1:
			f = known.ShorthandLookup(name)
		}
		if f != nil && !hasValue && f.NoOptDefVal == "" {
			i++ // its value
		}
	}
	return args
}

// flagsOf are the flags of the command that the arguments name; nil if it takes all arguments as they
// are.
func flagsOf(root *cobra.Command, args []string) *pflag.FlagSet {
	cmd, _, _ := root.Find(args) // what is wrong is said when it is executed
	if cmd.DisableFlagParsing {  // the arguments are another program's
		return nil
	}
	cmd.InitDefaultHelpFlag()
	return cmd.Flags()
}

// insteadOf are the flags of go test that measure does not have, and what to do in their
// place. It does have -C, -bench, -o, -run, -tags and -timeout.
var insteadOf = map[string]string{
	"args":         "test programs get no arguments: use environment variables",
	"benchmem":     "the memory that benchmarks allocate is not measured",
	"benchtime":    "values of a benchmark are those of one operation, so its time does not matter: use --rounds N to run all of them N times",
	"count":        "use --rounds N, which runs all tests N times",
	"cover":        "use go test for coverage: --top -1 shows how often each function ran",
	"covermode":    "use go test for coverage: --top -1 shows how often each function ran",
	"coverpkg":     "use go test for coverage: --top -1 shows how often each function ran",
	"coverprofile": "use go test for coverage: --top -1 shows how often each function ran",
	"cpu":          "use the environment variable GOMAXPROCS",
	"cpuprofile":   "use --format pprof -o FILE for a profile in joules",
	"failfast":     "a test that fails is reported and left out of the ranking: use --run to choose tests",
	"fuzz":         "a fuzz test runs with its seeds only: use --run to choose it",
	"gcflags":      "use the environment variable GOFLAGS",
	"json":         "use --format json",
	"ldflags":      "use the environment variable GOFLAGS",
	"list":         "use go test -list",
	"memprofile":   "memory is not profiled: use --format pprof -o FILE for a profile in joules",
	"mod":          "use the environment variable GOFLAGS",
	"outputdir":    "use -o FILE for the file of the result",
	"p":            "test programs run one at a time, so that their energy can be told apart",
	"parallel":     "tests run one at a time, so that their energy can be told apart",
	"race":         "the race detector would be measured with the program: use go test -race apart",
	"short":        "tests run in full: use --run to choose short ones",
	"shuffle":      "each round after the first has a random order: use --seed N to repeat it",
	"skip":         "use --run to choose tests, or --exclude to leave files and functions out of the ranking",
	"v":            "use --full --top -1, which lists each test with its outcome",
	"vet":          "vet does not run: use go vet",
}
