package runner

import (
	"cmp"
	"maps"
	"math"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"spell-lsp/instrument/probe"
	"spell-lsp/runner/attribution"
	"spell-lsp/spell/note"
	"spell-lsp/spell/record"
)

// A statement is a go statement that started goroutines which outlived their test.
type statement struct {
	pkg, test string // without test, it is one of those that the program had no room for
	in, file  string // the function with the statement, and its file
	line      int
}

func statementOf(pkg string, s probe.Stray) statement {
	return statement{pkg, s.Test, s.In, s.File, s.Line}
}

// left is how many goroutines of a statement outlived their test in one execution of a program.
type left struct {
	statement
	goroutines, ends float64 // ends is how often the test was over
}

func leftBehind(pkg string, log *probe.Log) []left {
	var list []left
	for _, s := range log.Strays {
		l := left{statement: statementOf(pkg, s), goroutines: float64(s.Goroutines)}
		for _, end := range log.Ends {
			if end.Test == s.Test {
				l.ends++
			}
		}
		list = append(list, l)
	}
	return list
}

// addStrays divides what strays used in one process by how long those of each statement ran.
func (t *sharedTest) addStrays(part attribution.Amount, v *attribution.Interval) {
	var all float64
	for _, slot := range sortedKeys(v.StraysNS) {
		all += v.StraysNS[slot]
	}
	if all == 0 || part.NS == 0 {
		return
	}
	for _, slot := range sortedKeys(v.StraysNS) {
		ratio := v.StraysNS[slot] / all
		used := attribution.Amount{NS: part.NS * ratio, Joules: slices.Clone(part.Joules)}
		for d := range used.Joules {
			used.Joules[d] *= ratio
		}
		s := statementOf(t.pkg, v.Strays[slot])
		t.strays[s] = t.strays[s].Plus(used)
	}
}

// A goroutine that outlived its test is worth a note if it used at least a hundredth of a later
// test's energy or CPU time there, and at least a millisecond: one that was about to end uses
// less.
const (
	notableStrays  = 0.01
	notableStrayNS = 1e6
	maxOutliving   = 5 // go statements with a note of their own
)

// An outlived is what goroutines of a statement used, the mean of a round.
type outlived struct {
	statement
	ns, joules float64
	notable    bool
}

// outliving names the go statements whose goroutines outlived their tests and used much.
func outliving(h *sharing, kept []*round, place func(statement) string) []note.Note {
	of, all := outlivedStatements(h)
	var list []*outlived
	for _, o := range of {
		if o.notable {
			list = append(list, o)
		}
	}
	slices.SortFunc(list, func(a, b *outlived) int {
		return cmp.Or(cmp.Compare(b.joules, a.joules), cmp.Compare(b.ns, a.ns), compareStatements(a.statement, b.statement))
	})
	var notes []note.Note
	var more outlived
	rest := 0
	for _, o := range list {
		if o.test == "" || len(notes) == maxOutliving {
			rest++
			more.ns, more.joules = more.ns+o.ns, more.joules+o.joules
			continue
		}
		notes = append(notes, note.GoroutinesOutlive(o.pkg+"."+o.test, o.goroutines(kept), shortName(o.in), place(o.statement), o.line, ratio(o.ns, all.ns), ratio(o.joules, all.joules)))
	}
	if rest > 0 {
		notes = append(notes, note.MoreOutlive(rest, ratio(more.ns, all.ns), ratio(more.joules, all.joules)))
	}
	return notes
}

// ratio is 0 where nothing is known of the whole.
func ratio(part, whole float64) float64 {
	if whole <= 0 {
		return 0
	}
	return part / whole
}

func compareStatements(a, b statement) int {
	return cmp.Or(cmp.Compare(a.pkg, b.pkg), cmp.Compare(a.test, b.test), cmp.Compare(a.file, b.file), cmp.Compare(a.line, b.line), cmp.Compare(a.in, b.in))
}

// outlivedStatements adds up, over the means of all tests, what the goroutines of each statement
// used, and what the tests used altogether.
func outlivedStatements(h *sharing) (of map[statement]*outlived, all outlived) {
	of = make(map[statement]*outlived)
	rounds := make(map[string]float64) // by test
	for _, tests := range h.rounds {
		for i := range tests {
			rounds[tests[i].pkg+"."+tests[i].name]++
		}
	}
	for _, tests := range h.rounds {
		for i := range tests {
			t := &tests[i]
			n := rounds[t.pkg+"."+t.name]
			ns, joules := t.used()
			all.ns, all.joules = all.ns+ns/n, all.joules+joules/n
			for _, s := range slices.SortedFunc(maps.Keys(t.strays), compareStatements) {
				o := of[s]
				if o == nil {
					o = &outlived{statement: s}
					of[s] = o
				}
				used, usedJ := t.strays[s], sum(t.strays[s].Joules)
				o.ns, o.joules = o.ns+used.NS/n, o.joules+usedJ/n
				o.notable = o.notable || used.NS*t.roundly() >= notableStrayNS && (used.NS >= notableStrays*ns || usedJ >= notableStrays*joules && joules > 0)
			}
		}
	}
	return of, all
}

// roundly is how many operations of a benchmark a round has; 1 for a test.
func (t *sharedTest) roundly() float64 {
	if t.operation {
		return t.repeats()
	}
	return 1
}

// used is the CPU time of the program, with its children, and the energy of the test.
func (t *sharedTest) used() (ns, joules float64) {
	for _, unit := range sortedKeys(t.shares) {
		ns += t.shares[unit].SelfNS
	}
	for _, name := range sortedKeys(t.parts) {
		if name != record.Others && name != record.Sampler {
			ns += t.parts[name].NS
		}
	}
	return ns, sum(t.joules)
}

// goroutines is how many of them one execution of the test leaves, at least one.
func (s statement) goroutines(kept []*round) int {
	var goroutines, ends float64
	for _, r := range kept {
		for _, l := range r.left {
			if l.statement == s {
				goroutines, ends = goroutines+l.goroutines, ends+l.ends
			}
		}
	}
	return int(max(1, math.Round(goroutines/max(1, ends))))
}

// placeOf is a statement's place in the measured folder.
func (m *measurement) placeOf(s statement) string {
	s.file = m.here(s.file)
	return s.place(m.Dir)
}

// place is the file relative to the measured folder or, outside of it, with the package.
func (s statement) place(dir string) string {
	if file, err := filepath.Rel(dir, s.file); err == nil && filepath.IsLocal(file) {
		return filepath.ToSlash(file)
	}
	pkg := s.in
	slash := strings.LastIndexByte(pkg, '/') + 1
	if dot := strings.IndexByte(pkg[slash:], '.'); dot >= 0 {
		pkg = pkg[:slash+dot]
	}
	return path.Join(pkg, filepath.Base(s.file))
}

// shortName is the name of a function without the folders of its package.
func shortName(function string) string { return function[strings.LastIndexByte(function, '/')+1:] }
