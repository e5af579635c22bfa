// Package junit writes the tests of a run as JUnit XML, which every CI system shows:
// a suite for each package, a case for each test with its time and its energy, and a
// case for each rule of --fail-on, which fails where the rule is broken.
//
// Times and energies are per round, the mean of the rounds kept; time is in seconds,
// energy in joules. JUnit has no schema of its own: this is what Ant's writer made of
// it, and properties of cases, as pytest and Surefire write them.
package junit

import (
	"encoding/xml"
	"fmt"
	"io"
	"strconv"
	"strings"

	"spell-lsp/spell/gate"
	"spell-lsp/spell/page"
	"spell-lsp/spell/record"
	"spell-lsp/spell/wording"
)

// Options say what is written besides the tests. The zero value has no rules.
type Options struct {
	Rules  []gate.Rule
	Report *gate.Report // the result of checking Rules; nil = not checked, so they are left out
}

// suiteOfRules is the name of the suite of rules.
const suiteOfRules = "fail-on"

type suites struct {
	XMLName xml.Name `xml:"testsuites"`
	Name    string   `xml:"name,attr"`
	counts
	Suites []*suite `xml:"testsuite"`
}

type counts struct {
	Tests    int     `xml:"tests,attr"`
	Failures int     `xml:"failures,attr"`
	Errors   int     `xml:"errors,attr"`
	Skipped  int     `xml:"skipped,attr"`
	Time     seconds `xml:"time,attr"`
}

type suite struct {
	Name string `xml:"name,attr"`
	counts
	Timestamp  string     `xml:"timestamp,attr,omitempty"` // ISO 8601, UTC
	Properties []property `xml:"properties>property"`
	Cases      []testcase `xml:"testcase"`
	Warnings   string     `xml:"system-err,omitempty"`
}

type testcase struct {
	Class      string      `xml:"classname,attr"`
	Name       string      `xml:"name,attr"`
	Time       seconds     `xml:"time,attr"`
	Properties *properties `xml:"properties"`
	Skipped    *struct{}   `xml:"skipped"`
	Failure    *problem    `xml:"failure"` // the test or the rule failed
	Error      *problem    `xml:"error"`   // the test crashed or timed out
	Output     string      `xml:"system-out,omitempty"`
}

type properties struct {
	List []property `xml:"property"`
}

type property struct {
	Name  string `xml:"name,attr"`
	Value string `xml:"value,attr"`
}

type problem struct {
	Message string `xml:"message,attr"`
	Type    string `xml:"type,attr"`
	Text    string `xml:",chardata"`
}

// seconds are written with microseconds.
type seconds float64

func (s seconds) MarshalText() ([]byte, error) {
	return strconv.AppendFloat(nil, float64(s), 'f', 6, 64), nil
}

// Write writes the tests of a run, and the rules.
func Write(w io.Writer, r *record.Run, o Options) error {
	all := &suites{Name: page.Clean("spell-lsp " + r.Workspace.Module), Suites: packages(r)}
	if o.Report != nil && len(o.Rules) > 0 {
		all.Suites = append(all.Suites, rules(r, o))
	}
	for i, s := range all.Suites {
		if i == 0 {
			s.Warnings = visible(strings.Join(wording.Texts(r.AllNotes()), "\n"))
		}
		s.count()
		all.add(s.counts)
	}
	text, err := xml.MarshalIndent(all, "", "  ")
	if err == nil {
		_, err = fmt.Fprintf(w, "%s%s\n", xml.Header, text)
	}
	if err != nil {
		return fmt.Errorf("writing the JUnit report: %w", err)
	}
	return nil
}

// packages returns the suites of the tests, in the order in which they ran.
func packages(r *record.Run) []*suite {
	var list []*suite
	of := make(map[string]*suite)
	for i := range r.Tests {
		class, name := split(r, &r.Tests[i])
		s := of[class]
		if s == nil {
			s = newSuite(r, class)
			of[class], list = s, append(list, s)
		}
		s.Cases = append(s.Cases, caseOf(r, &r.Tests[i], s.Name, page.Clean(name)))
	}
	if len(list) == 0 {
		list = append(list, newSuite(r, r.Workspace.Module))
	}
	return list
}

// split divides the name of a test into package and rest. Tests of a matrix have no package.
func split(r *record.Run, t *record.Test) (class, name string) {
	if rest, ok := strings.CutPrefix(t.Name, t.Package+"."); ok && t.Package != "" {
		return t.Package, rest
	}
	return r.Workspace.Module, t.Name
}

func newSuite(r *record.Run, name string) *suite {
	if name == "" {
		name = "tests"
	}
	s := &suite{Name: page.Clean(name)}
	if !r.Started.IsZero() {
		s.Timestamp = r.Started.UTC().Format("2006-01-02T15:04:05")
	}
	for _, p := range []property{
		{"spell.run", r.ID}, {"spell.revision", r.Workspace.Revision}, {"spell.meter", r.Meter.Name},
		{"spell.energy", source(r)}, {"spell.rounds", strconv.Itoa(r.Rounds)}, {"spell.partial", strconv.FormatBool(r.Partial)},
	} {
		if p.Value != "" {
			s.Properties = append(s.Properties, property{p.Name, page.Clean(p.Value)})
		}
	}
	return s
}

// source says whether energy was measured or estimated.
func source(r *record.Run) string {
	if origin := r.Meter.Origin(); origin != "" {
		return page.Clean(string(origin) + wording.CounterRoot(r.Meter.Root))
	}
	return "not known to be measured or estimated"
}

func caseOf(r *record.Run, t *record.Test, class, name string) testcase {
	c := testcase{Class: class, Name: name, Time: seconds(t.TimeMS / 1e3), Properties: energies(r, t)}
	what := &problem{Type: string(t.Outcome), Text: visible(t.Output)}
	program := t.ExitCode != nil
	switch t.Outcome {
	case record.Pass:
	case record.Skip:
		c.Skipped = &struct{}{}
	case record.Timeout:
		what.Message = "the test did not end in time"
		if program {
			what.Message = "the program did not end in time"
		}
		c.Error = what
	case record.Crash:
		what.Message = "the test program ended within the test"
		if program {
			what.Message = fmt.Sprintf("the program did not pass (exit code %d)", *t.ExitCode)
		}
		c.Error = what
	default:
		what.Message, what.Type = "the test failed", page.Clean(what.Type)
		if program {
			what.Message = fmt.Sprintf("the program did not pass (exit code %d)", *t.ExitCode)
		}
		c.Failure = what
	}
	return c
}

// energies returns the properties of a test that ran.
func energies(r *record.Run, t *record.Test) *properties {
	if t.Outcome == record.Skip || r.Meter.Source == record.NoEnergy || len(r.Meter.Domains) == 0 {
		return nil
	}
	var p properties
	add := func(name string, e record.Energy) {
		for _, d := range r.Meter.Domains {
			p.List = append(p.List, property{name + "." + string(d), number(e[d])})
		}
		p.List = append(p.List, property{name, number(e.Total())})
	}
	add("energy_j", t.EnergyJ)
	add("unattributed_j", t.UnattributedJ)
	p.List = append(p.List, property{"energy", source(r)})
	if t.BelowResolution {
		p.List = append(p.List, property{"below_resolution", "true"})
	}
	return &p
}

func number(v float64) string { return strconv.FormatFloat(v, 'g', -1, 64) }

// rules returns the suite of the rules.
func rules(r *record.Run, o Options) *suite {
	s := newSuite(r, suiteOfRules)
	for _, rule := range o.Rules {
		c := testcase{Class: suiteOfRules, Name: page.Clean(rule.Text)}
		var broken, remarks []string
		for _, v := range o.Report.Violations {
			if v.Rule == rule.Text {
				broken = append(broken, page.Clean(wording.Text(v.Note)))
			}
		}
		for _, remark := range o.Report.Remarks {
			if remark.Rule == rule.Text {
				remarks = append(remarks, page.Clean(remark.String()))
			}
		}
		if len(broken) > 0 {
			c.Failure = &problem{Message: broken[0], Type: "rule", Text: strings.Join(broken, "\n")}
		}
		c.Output = strings.Join(remarks, "\n")
		s.Cases = append(s.Cases, c)
	}
	return s
}

func (s *suite) count() {
	for i := range s.Cases {
		c := &s.Cases[i]
		one := counts{Tests: 1, Time: c.Time}
		switch {
		case c.Failure != nil:
			one.Failures = 1
		case c.Error != nil:
			one.Errors = 1
		case c.Skipped != nil:
			one.Skipped = 1
		}
		s.add(one)
	}
}

func (c *counts) add(o counts) {
	c.Tests, c.Failures, c.Errors, c.Skipped = c.Tests+o.Tests, c.Failures+o.Failures, c.Errors+o.Errors, c.Skipped+o.Skipped
	c.Time += o.Time
}

// visible is page.Clean for text of several lines.
func visible(text string) string {
	lines := strings.Split(strings.TrimRight(text, "\n"), "\n")
	for i, line := range lines {
		lines[i] = page.Clean(strings.ReplaceAll(strings.TrimSuffix(line, "\r"), "\t", "    "))
	}
	return strings.Join(lines, "\n")
}
