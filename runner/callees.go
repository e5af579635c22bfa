package runner

import (
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"

	"spell-lsp/runner/execution"
	"spell-lsp/spell"
	"spell-lsp/spell/record"
)

// minCalleeSamples is how many samples there must be in a callee, or nothing is said of it.
const minCalleeSamples = 4

// addCallees adds to each component in which functions without a probe it spent its time: for
// each test the mean of one execution, as in the call tree. Samples tell shares; the time of the
// component is known better.
func (m *measurement) addCallees(r *record.Run) {
	of := m.componentOf(r)
	if m.Granularity == spell.KindBlock { // the samples of the function with blocks are not those of its own code
		whole := of
		of = func(row int) int {
			if b := m.build; b.LastBlock > 0 && m.functionOf(row-1) == b.Owner {
				return -1
			}
			return whole(row)
		}
	}
	sampledMS, callees := make([]float64, len(r.Components)), make([]calleeSums, len(r.Components))
	m.eachObservation(func(o *observation, weight float64) {
		for _, calls := range o.calls {
			for _, node := range calls {
				if i := of(node.Component); i >= 0 {
					sampledMS[i] += node.TimeMS * weight
				}
			}
		}
		sampleNS := o.sampleNS()
		for _, c := range o.callees {
			if i := of(c.Row); i >= 0 {
				if callees[i] == nil {
					callees[i] = make(calleeSums)
				}
				callees[i].add(c, weight, sampleNS)
			}
		}
	})
	for i, sums := range callees {
		r.Components[i].SetCallees(sums.list(m.build.Packages, m.standard), sampledMS[i])
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

// calleeSums are the callees of a component, by name.
type calleeSums map[string]calleeSum

type calleeSum struct {
	timeMS, samples float64
	assembly        bool
}

func (s calleeSums) add(c execution.Callee, weight, sampleNS float64) {
	sum := s[c.Function]
	sum.assembly = sum.assembly || c.Assembly
	sum.timeMS += float64(c.NS) / 1e6 * weight
	if sampleNS > 0 {
		sum.samples += float64(c.NS) / sampleNS
	}
	s[c.Function] = sum
}

// list lists the callees that enough samples fell in. measured are the packages that are
// measured, as names of functions spell them.
func (s calleeSums) list(measured []string, standard func(pkg string) bool) []record.Callee {
	const rounding = 0.5 // samples are not all of the same time
	var list []record.Callee
	for _, name := range sortedKeys(s) {
		sum := s[name]
		if sum.samples < minCalleeSamples-rounding {
			continue
		}
		c := callee(name, sum.assembly, measured, standard)
		c.TimeMS = sum.timeMS
		list = append(list, c)
	}
	return list
}

// callee says what a function is, given its name in the program.
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

// standard tells whether a package is of the standard library.
func (m *measurement) standard(pkg string) bool {
	info, err := os.Stat(filepath.Join(m.build.GOROOT, "src", filepath.FromSlash(pkg)))
	return err == nil && info.IsDir()
}
