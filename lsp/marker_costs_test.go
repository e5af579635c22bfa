package lsp_test

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"spell-lsp/spell"
	"spell-lsp/spell/record"
)

// Costs describe an invented run. Their text has lines of these kinds:
//
//	(*Park).Add 600 60 0.6 below   a function, its calls, ms and joules; below resolution
//	sub.F 1 2 3 dram=0.5           a function of package sub, by the end of its ID; joules of another domain
//	f#for1 600 60 0.6              the first loop of a function, in runs that drill into the function
//	at app.py:3:5 slow 1 2 3       a component known only by its place
//	call f g 30                    g ran for 30 ms on behalf of f, a test if that is "-"
//	test TestPark fail             a test and its outcome; the first one ran everything
//	source measured                the default is estimated
//	warning text, fail text        the run has a warning; the measurement fails
//	partial                        the run was interrupted
//	kind type                      what is ranked: type, file or package
//	rounds 6                       the run has the costs of each round
//	wait                           the measurement waits to be cancelled or released
type costs struct {
	functions []price
	calls     [][]string
	tests     [][]string
	source    record.Source
	warnings  []string
	fail      string
	partial   bool
	wait      bool
	kind      spell.Kind
	rounds    int
}

// A price is the cost of a function.
type price struct {
	name          string
	n, ms, joules float64
	dram          float64
	below         bool
	at            string // file:line:column of a component without a hash
}

func parseCosts(text string) (costs, error) {
	c := costs{source: record.Estimated}
	for _, line := range Lines(text) {
		words := strings.Fields(line)
		_, rest, _ := strings.Cut(line, " ")
		switch words[0] {
		case "call":
			c.calls = append(c.calls, words[1:])
		case "test":
			c.tests = append(c.tests, words[1:])
		case "source":
			c.source = record.Source(rest)
		case "warning":
			c.warnings = append(c.warnings, rest)
		case "fail":
			c.fail = rest
		case "partial":
			c.partial = true
		case "wait":
			c.wait = true
		case "kind":
			c.kind = spell.Kind(rest)
		case "rounds":
			c.rounds, _ = strconv.Atoi(rest)
		case "at":
			f, err := parseCost(words[2:])
			if err != nil {
				return c, fmt.Errorf("%q: %w", line, err)
			}
			f.at = words[1]
			c.functions = append(c.functions, f)
		default:
			f, err := parseCost(words)
			if err != nil {
				return c, fmt.Errorf("%q: %w", line, err)
			}
			c.functions = append(c.functions, f)
		}
	}
	if len(c.tests) == 0 {
		c.tests = [][]string{{"TestPark", "pass"}}
	}
	return c, nil
}

func parseCost(words []string) (price, error) {
	if len(words) < 4 {
		return price{}, errors.New("calls, ms and joules are missing")
	}
	c := price{name: words[0]}
	var problems []error
	number := func(text string) float64 {
		x, err := strconv.ParseFloat(text, 64)
		problems = append(problems, err)
		return x
	}
	c.n, c.ms, c.joules = number(words[1]), number(words[2]), number(words[3])
	for _, word := range words[4:] {
		if dram, ok := strings.CutPrefix(word, "dram="); ok {
			c.dram = number(dram)
		} else if word == "below" {
			c.below = true
		} else {
			problems = append(problems, fmt.Errorf("%q is not known", word))
		}
	}
	return c, errors.Join(problems...)
}
