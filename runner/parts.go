package runner

import (
	"net/url"
	"slices"
	"strings"
	"unicode/utf8"

	"spell-lsp/runner/execution"
	"spell-lsp/spell"
	"spell-lsp/spell/record"
)

// minPartSamples is how many samples there must be in a line or a callee, or nothing is said of it.
const minPartSamples = 4

// addParts adds to each component in which lines, and in which functions without a probe, it spent
// its time: for each test the mean of one execution, as in the call tree. Samples tell shares; the
// time of the component is known better.
func (m *measurement) addParts(r *record.Run) {
	of := m.componentOf(r)
	if m.Granularity == spell.KindBlock { // the samples of the function with blocks, and of these, are not told apart
		whole := of
		of = func(row int) int {
			if b := m.build; b.LastBlock > 0 && m.functionOf(row-1) == b.Owner {
				return -1
			}
			return whole(row)
		}
	}
	seen := make([]partSums, len(r.Components))
	m.eachObservation(func(_, o *observation, weight float64) {
		sampleNS := o.sampleNS()
		for _, p := range o.parts {
			if i := of(p.Row); i >= 0 {
				seen[i].add(p, weight, sampleNS)
			}
		}
	})
	about := func(name string, assembly bool) record.Callee {
		return callee(name, assembly, m.build.Packages, m.standard)
	}
	texts := m.texts()
	for i := range seen {
		c, sums := &r.Components[i], &seen[i]
		c.SetCallees(sums.callees.list(about), sums.timeMS)
		if c.Kind != spell.KindFunction {
			continue
		}
		if hash, own := texts.of(c); own {
			c.SetLines(sums.list(c, about), sums.timeMS)
			if len(c.Lines) > 0 {
				c.LinesHash = hash()
			}
		}
	}
}

// sampleNS is the CPU time of one sample of the test, on average; 0 without samples.
func (o *observation) sampleNS() float64 {
	var ns, samples float64
	for _, v := range o.intervals {
		for _, c := range v.Counts {
			ns, samples = ns+float64(c.KeptNS+c.GainedNS), samples+float64(c.Samples)
		}
	}
	if samples == 0 {
		return 0
	}
	return ns / samples
}

// partSums are the parts of a component's own time.
type partSums struct {
	partSum
	callees calleeSums
	lines   map[int]*lineSum
}

// A lineSum is one of its lines, and what that called.
type lineSum struct {
	partSum
	callees calleeSums
}

type partSum struct {
	timeMS, samples float64
	assembly        bool
}

func (s *partSum) count(p execution.Part, weight, sampleNS float64) {
	s.assembly = s.assembly || p.Assembly
	s.timeMS += float64(p.NS) / 1e6 * weight
	if sampleNS > 0 {
		s.samples += float64(p.NS) / sampleNS
	}
}

func (s *partSum) enough() bool {
	const rounding = 0.5 // samples are not all of the same time
	return s.samples >= minPartSamples-rounding
}

func (s *partSums) add(p execution.Part, weight, sampleNS float64) {
	if s.lines == nil {
		s.callees, s.lines = make(calleeSums), make(map[int]*lineSum)
	}
	line := s.lines[p.Line]
	if line == nil {
		line = &lineSum{callees: make(calleeSums)}
		s.lines[p.Line] = line
	}
	s.count(p, weight, sampleNS)
	line.count(p, weight, sampleNS)
	s.callees.add(p, weight, sampleNS)
	line.callees.add(p, weight, sampleNS)
}

// list lists the lines of c that enough samples fell in.
func (s *partSums) list(c *record.Component, about aboutCallee) []record.Line {
	var list []record.Line
	for _, line := range sortedKeys(s.lines) {
		if sum := s.lines[line]; line >= c.Line && line <= c.EndLine && sum.enough() {
			list = append(list, record.Line{Line: line, TimeMS: sum.timeMS, Callees: sum.callees.list(about)})
		}
	}
	return list
}

// calleeSums are callees without a probe, by name.
type calleeSums map[string]*partSum

func (s calleeSums) add(p execution.Part, weight, sampleNS float64) {
	if p.Function == "" {
		return
	}
	if s[p.Function] == nil {
		s[p.Function] = new(partSum)
	}
	s[p.Function].count(p, weight, sampleNS)
}

// aboutCallee says what a function is, given its name in the program.
type aboutCallee func(name string, assembly bool) record.Callee

// list lists the callees that enough samples fell in.
func (s calleeSums) list(about aboutCallee) []record.Callee {
	var list []record.Callee
	for _, name := range sortedKeys(s) {
		if sum := s[name]; sum.enough() {
			c := about(name, sum.assembly)
			c.TimeMS = sum.timeMS
			list = append(list, c)
		}
	}
	return list
}

// callee says what a function is, given its name in the program. measured are the packages that are
// measured, as names of functions spell them.
func callee(name string, assembly bool, measured []string, standard func(pkg string) bool) record.Callee {
	if strings.HasPrefix(name, "type:") { // type:.eq.p.T compares values, type:.hash.p.T hashes them
		return record.Callee{Name: name, Kind: spell.RuntimeCallee}
	}
	slash := strings.LastIndexByte(name, '/') + 1
	last, _, _ := strings.Cut(name[slash:], ".")
	path := name[:slash+len(last)]
	pkg := unescaped(path)
	c := record.Callee{Name: pkg + name[len(path):], Package: pkg}
	switch {
	case pkg == "runtime", strings.HasPrefix(pkg, "internal/runtime/"):
		c.Kind = spell.RuntimeCallee
	case assembly:
		c.Kind = spell.AssemblyCallee
	case slices.Contains(measured, strings.TrimSuffix(path, "_test")):
		c.Kind = spell.BareCallee
	case standard(pkg):
		c.Kind = spell.StandardCallee
	default:
		c.Kind = spell.ModuleCallee
	}
	return c
}

// unescaped is an import path, as it stands in names of functions: "gopkg.in/yaml%2ev3".
func unescaped(path string) string {
	if pkg, err := url.PathUnescape(path); err == nil && utf8.ValidString(pkg) {
		return pkg
	}
	return path
}
