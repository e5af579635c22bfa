package gzoltar

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"strings"
)

// Write writes the three files of a spectrum in the form of GZoltar 1.7; names
// are left out where the writer is nil. A 1 stands for a cell with N or time above
// 0. Read and the two Name methods give the same spectrum back, if it came from
// them; how often, for how long and with what energy something ran is not written.
//
// It is an error if the matrix is not valid, if Failed does not have a value for
// each test, or if a name would not be read as it is. Nothing has been written
// then.
func Write(matrix, spectra, tests io.Writer, s *Spectrum) error {
	if err := writable(s); err != nil {
		return fmt.Errorf("writing a GZoltar spectrum: %w", err)
	}
	for _, part := range []struct {
		to    io.Writer
		write func(*bufio.Writer)
	}{{matrix, s.writeMatrix}, {spectra, s.writeComponents}, {tests, s.writeTests}} {
		if part.to == nil {
			continue
		}
		out := bufio.NewWriter(part.to)
		part.write(out) // an error stays with out
		if err := out.Flush(); err != nil {
			return fmt.Errorf("writing a GZoltar spectrum: %w", err)
		}
	}
	return nil
}

func (s *Spectrum) writeMatrix(out *bufio.Writer) {
	m := s.Matrix
	empty := bytes.Repeat([]byte("0 "), len(m.Components))
	row := make([]byte, len(empty))
	ran := s.ran()
	for t := range m.Tests {
		copy(row, empty)
		for _, j := range ran[t] {
			row[2*j] = '1'
		}
		_, _ = out.Write(row)
		_, _ = out.WriteString(map[bool]string{true: "-\n", false: "+\n"}[s.Failed[t]])
	}
}

// ran lists the components that each test ran.
func (s *Spectrum) ran() [][]int32 {
	ran := make([][]int32, len(s.Matrix.Tests))
	for _, c := range s.Matrix.Cells {
		if c.N > 0 || c.TimeMS > 0 {
			ran[c.Test] = append(ran[c.Test], c.Component)
		}
	}
	return ran
}

func (s *Spectrum) writeComponents(out *bufio.Writer) {
	_, _ = out.WriteString("name\n")
	for _, c := range s.Matrix.Components {
		_, _ = out.WriteString(c.ID + "\n")
	}
}

func (s *Spectrum) writeTests(out *bufio.Writer) {
	_, _ = out.WriteString("name,outcome,runtime,stacktrace\n")
	for t, name := range s.Matrix.Tests {
		_, _ = out.WriteString(name + map[bool]string{true: ",FAIL,0,\n", false: ",PASS,0,\n"}[s.Failed[t]])
	}
}

// writable reports why what Write makes of s would not be read as s.
func writable(s *Spectrum) error {
	if err := s.Matrix.Validate(); err != nil {
		return err
	}
	if len(s.Failed) != len(s.Matrix.Tests) {
		return fmt.Errorf("there are %d outcomes for %d tests", len(s.Failed), len(s.Matrix.Tests))
	}
	for _, c := range s.Matrix.Components {
		if what := unreadable(c.ID); what != "" {
			return fmt.Errorf("the name of component %q %s", c.ID, what)
		}
	}
	for _, t := range s.Matrix.Tests {
		what := unreadable(t)
		if _, outcome := splitOutcome(t); what == "" && outcome != "" {
			what = "has what looks like its outcome"
		}
		if what != "" {
			return fmt.Errorf("the name of test %q %s", t, what)
		}
	}
	return nil
}

func unreadable(name string) string {
	if what := nameFault(name); what != "" {
		return what
	}
	if strings.TrimSpace(name) != name {
		return "has blanks around it"
	}
	return ""
}
