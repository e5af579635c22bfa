package main

import (
	"bytes"
	"crypto/sha256"
	"encoding/csv"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
)

// A table describes a table that the command can make.
type table struct {
	what    string // the first lines of the header, which describe the table
	project string
	file    string // path in the project
	licence string
	columns []string
	// rows makes the rows of the table in order, and lists the rows that it left out
	// by reason.
	rows func(input [][]string) ([][]string, []omission, error)
}

// An omission is a reason for leaving rows out, and their names.
type omission struct {
	why   string
	names []string
}

// String counts them, and names them if they are few.
func (o omission) String() string {
	text := fmt.Sprintf("%d %s", len(o.names), o.why)
	if n := len(o.names); n == 0 || n > 6 {
		return text
	}
	return text + " (" + strings.Join(o.names, ", ") + ")"
}

func tables() map[string]table {
	return map[string]table{"tdp": tdpTable(), "vcpu": vcpuTable()}
}

// write writes the table with its header. The same input gives the same bytes.
func (t table) write(w *bytes.Buffer, input []byte, commit, date string, log io.Writer) error {
	in, err := csv.NewReader(bytes.NewReader(bytes.TrimPrefix(input, []byte("\ufeff")))).ReadAll()
	if err != nil {
		return err
	}
	rows, left, err := t.rows(in)
	if err != nil {
		return err
	}
	for line := range strings.Lines(t.what) {
		w.WriteString(strings.TrimRight("# "+line, " \n") + "\n")
	}
	fmt.Fprintf(w, "# Made by go generate, not by hand.\n# project: %s\n# file: %s\n# commit: %s\n# date: %s\n# sha256: %x\n# licence: %s; see NOTICE beside this file\n",
		t.project, t.file, commit, date, sha256.Sum256(input), t.licence)
	for _, o := range left {
		fmt.Fprintf(w, "# left out: %s\n", o)
		for _, name := range o.names {
			if _, err := fmt.Fprintf(log, "left out: %s: %s\n", name, o.why); err != nil {
				return err
			}
		}
	}
	out := csv.NewWriter(w)
	return out.WriteAll(append([][]string{t.columns}, rows...))
}

// checkHead checks that the input has the expected columns.
func checkHead(input [][]string, columns ...string) error {
	if len(input) < 2 {
		return fmt.Errorf("it has %d lines, not a header and rows", len(input))
	}
	if got, want := strings.Join(input[0], ","), strings.Join(columns, ","); got != want {
		return fmt.Errorf("line 1: the columns are %s, not %s: the project changed them, look at what they mean", got, want)
	}
	return nil
}

// least and most limit the plausible power of a processor, in watts.
const least, most = 1, 1000

func parseWatts(text string) (float64, error) {
	watts, err := strconv.ParseFloat(text, 64)
	if err != nil || !(watts > 0 && watts <= most) {
		return 0, fmt.Errorf("%q is no power of a processor in watts", text)
	}
	return watts, nil
}

// round rounds to four decimals.
func round(watts float64) float64 { return math.Round(watts*1e4) / 1e4 }
