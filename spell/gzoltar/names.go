package gzoltar

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"spell-lsp/spell"
)

// NameComponents reads the names of the components, one in each line that is not blank, in
// the order of the matrix; the first line may be "name". Package and line are taken from
// names of the forms org.pkg$Class#method(int):12 and org.pkg.Class#12. Repeated names are
// numbered: "x", "x (2)". Errors are like those of [Read], and leave s unchanged.
func (s *Spectrum) NameComponents(r io.Reader, name string) error {
	entries, err := readNames(r, name)
	if err != nil {
		return err
	}
	m := s.Matrix
	if len(entries) == len(m.Components)+1 && entries[0].text == "name" {
		entries = entries[1:]
	}
	if err := sameNumber(entries, len(m.Components), "component", name); err != nil {
		return err
	}
	for _, e := range entries {
		if what := spell.NameFault(e.text); what != "" {
			return errorAt(name, e.at, "the name "+what, nameDo)
		}
	}
	var components []spell.Component
	for _, id := range numbered(entries) {
		components = append(components, component(id))
	}
	m.Components = components
	return nil
}

// NameTests reads the names of the tests, in the order of the matrix. A line is a
// name, or a name with a comma, PASS or FAIL, and whatever follows behind another
// comma; if the first one is "name,outcome..." every line has an outcome. It must be
// that of the matrix. Names that come again, and errors, are as in NameComponents.
func (s *Spectrum) NameTests(r io.Reader, name string) error {
	entries, err := readNames(r, name)
	if err != nil {
		return err
	}
	outcomes := false
	if len(entries) == len(s.Matrix.Tests)+1 && isTestHeader(entries[0].text) {
		outcomes = entries[0].text != "name"
		entries = entries[1:]
	}
	if err := sameNumber(entries, len(s.Matrix.Tests), "test", name); err != nil {
		return err
	}
	for t := range entries {
		if err := s.takeOutcome(&entries[t], t, outcomes, name); err != nil {
			return err
		}
	}
	s.Matrix.Tests = numbered(entries)
	return nil
}

func isTestHeader(line string) bool {
	return line == "name" || strings.HasPrefix(line, "name,outcome")
}

// takeOutcome makes the name of test t out of its line, and compares its outcome.
func (s *Spectrum) takeOutcome(e *entry, t int, required bool, file string) error {
	name, outcome := splitOutcome(e.text)
	wrong := func(column int, what, do string) error {
		return errorAt(file, position{e.at.line, e.at.column + column}, what, do)
	}
	switch {
	case outcome == "" && required:
		return wrong(0, "the line has no outcome", "write name,PASS or name,FAIL, and what else there is behind another comma")
	case spell.NameFault(name) != "":
		return wrong(0, "the name "+spell.NameFault(name), nameDo)
	case outcome != "" && (outcome == "FAIL") != s.Failed[t]:
		is := map[bool]string{true: "failed", false: "passed"}
		return wrong(len(name)+1, fmt.Sprintf("test %q %s, and %s in line %d of those of the matrix", name, is[!s.Failed[t]], is[s.Failed[t]], t+1),
			"use the files of one run, or correct the outcome")
	}
	e.text = strings.Clone(name) // a stack trace can be long
	return nil
}

// splitOutcome finds the outcome in a line of tests.csv, in which names, as of
// parameterised tests, and stack traces may have commas: the first part behind one
// that is PASS or FAIL, blanks aside.
func splitOutcome(line string) (name, outcome string) {
	for at := 0; ; {
		comma := strings.IndexByte(line[at:], ',')
		if comma < 0 {
			return strings.TrimSpace(line), ""
		}
		before := at + comma
		at = before + 1
		part, _, _ := strings.Cut(line[at:], ",")
		if part = strings.TrimSpace(part); part == "PASS" || part == "FAIL" {
			return strings.TrimSpace(line[:before]), part
		}
	}
}

const nameDo = "write names as UTF-8 text, each on one line, and the outcome of a test behind a comma"

// An entry is a line in a file of names.
type entry struct {
	text string // without blanks around it
	at   position
}

func readNames(r io.Reader, name string) ([]entry, error) {
	in := bufio.NewReaderSize(limited(r, name), 1<<16)
	var list []entry
	for line := 1; ; line++ {
		text, err := in.ReadString('\n')
		if line == 1 {
			text = strings.TrimPrefix(text, "\ufeff")
		}
		trimmed := strings.TrimSpace(text)
		at := position{line, 1 + strings.Index(text, trimmed)}
		if trimmed != "" {
			list = append(list, entry{trimmed, at})
		}
		if errors.Is(err, io.EOF) {
			return list, nil
		}
		if err != nil {
			return nil, fmt.Errorf("reading %s: %w", name, err)
		}
	}
}

// sameNumber reports names that are too few or too many, where the first surplus
// one stands or the last one.
func sameNumber(entries []entry, want int, noun, file string) error {
	if len(entries) == want {
		return nil
	}
	at := position{1, 1}
	if len(entries) > 0 {
		at = entries[min(want, len(entries)-1)].at
	}
	return errorAt(file, at, fmt.Sprintf("the file names %d %ss, the matrix has %d", len(entries), noun, want), "use the files of one run")
}

// numbered returns the texts of entries, with a number behind those that came
// before.
func numbered(entries []entry) []string {
	taken, times := make(map[string]bool, len(entries)), map[string]int{}
	for _, e := range entries {
		taken[e.text] = true
	}
	list := make([]string, len(entries))
	for i, e := range entries {
		list[i] = e.text
		times[e.text]++
		for times[e.text] > 1 {
			list[i] = e.text + " (" + strconv.Itoa(times[e.text]) + ")"
			if !taken[list[i]] {
				break
			}
			times[e.text]++
		}
	}
	return list
}

// component parses the name of a component.
func component(id string) spell.Component {
	c := spell.Component{ID: id}
	name := id
	if at := strings.LastIndex(id, " ("); at > 0 && strings.HasSuffix(id, ")") && number(id[at+2:len(id)-1]) > 1 {
		name = id[:at]
	}
	class, member, _ := strings.Cut(name, "#")
	if line := number(member); line > 0 {
		outer, _, _ := strings.Cut(class, "$")
		c.Package, c.Line = outer[:max(0, strings.LastIndexByte(outer, '.'))], line
		return c
	}
	if at := strings.LastIndexByte(name, ':'); at >= 0 {
		c.Line = number(name[at+1:])
	}
	if path, _, ok := strings.Cut(class, "$"); ok {
		c.Package = path
	}
	return c
}

// number reads a whole number from 1; 0 = anything else.
func number(text string) int {
	n, err := strconv.ParseUint(text, 10, 31)
	if err != nil {
		return 0
	}
	return int(n)
}
