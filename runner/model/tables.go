package model

import (
	"bytes"
	_ "embed" // the tables
	"encoding/csv"
	"fmt"
	"io"
	"math"
	"strconv"
	"sync"

	"spell-lsp/runner/model/cpuname"
)

//go:generate go run ../../internal/modelgen -table tdp -from $CPU_POWER -commit $CPU_POWER_COMMIT -date $CPU_POWER_DATE -o tdp.csv
//go:generate go run ../../internal/modelgen -table vcpu -from $COEFFICIENTS -commit $COEFFICIENTS_COMMIT -date $COEFFICIENTS_DATE -o vcpu.csv

//go:embed tdp.csv
var tdpCSV []byte

//go:embed vcpu.csv
var vcpuCSV []byte

// A tdp is the thermal design power of one package.
type tdp struct {
	name  string // as the maker writes it
	watts float64
}

// A threadPower is the power of one hardware thread of a server.
type threadPower struct {
	vendor                 string
	family, model          int
	steppingLo, steppingHi int
	name                   string
	idleW, busyW           float64
}

type tables struct {
	tdps    map[string]tdp // by cpuname.Normal
	threads []threadPower
}

// load reads the embedded tables once.
var load = sync.OnceValues(func() (tables, error) {
	tdps, err := parseTDPs(bytes.NewReader(tdpCSV))
	if err != nil {
		return tables{}, fmt.Errorf("table tdp.csv: %w", err)
	}
	threads, err := parseThreads(bytes.NewReader(vcpuCSV))
	if err != nil {
		return tables{}, fmt.Errorf("table vcpu.csv: %w", err)
	}
	return tables{tdps, threads}, nil
})

// rows reads a table: lines that start with # are comments, the first other
// line is the header.
func rows(r io.Reader, columns int) ([][]string, error) {
	in := csv.NewReader(r)
	in.Comment = '#'
	in.FieldsPerRecord = columns
	all, err := in.ReadAll()
	if err != nil {
		return nil, err
	}
	if len(all) < 2 {
		return nil, fmt.Errorf("it has %d lines, not a header and rows", len(all))
	}
	return all[1:], nil
}

// parseTDPs reads name,tdp_w,list. Two rows must not be for one processor.
func parseTDPs(r io.Reader) (map[string]tdp, error) {
	all, err := rows(r, 3)
	if err != nil {
		return nil, err
	}
	tdps := make(map[string]tdp, len(all))
	for _, row := range all {
		watts, err := parseWatts(row[1])
		if err != nil {
			return nil, fmt.Errorf("%s: %w", row[0], err)
		}
		key := cpuname.Normal(row[0])
		if other, ok := tdps[key]; ok {
			return nil, fmt.Errorf("%s and %s are one processor", other.name, row[0])
		}
		tdps[key] = tdp{row[0], watts}
	}
	return tdps, nil
}

// parseThreads reads vendor,family,model,stepping_from,stepping_to,name,idle_w,busy_w.
func parseThreads(r io.Reader) ([]threadPower, error) {
	all, err := rows(r, 8)
	if err != nil {
		return nil, err
	}
	threads := make([]threadPower, 0, len(all))
	for _, row := range all {
		t, err := parseThread(row)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", row[5], err)
		}
		threads = append(threads, t)
	}
	return threads, nil
}

func parseThread(row []string) (threadPower, error) {
	t := threadPower{vendor: row[0], name: "a server of " + row[5]}
	for i, to := range []*int{&t.family, &t.model, &t.steppingLo, &t.steppingHi} {
		n, err := strconv.Atoi(row[1+i])
		if err != nil {
			return t, err
		}
		*to = n
	}
	for i, to := range []*float64{&t.idleW, &t.busyW} {
		watts, err := parseWatts(row[6+i])
		if err != nil {
			return t, err
		}
		*to = watts
	}
	if t.busyW <= t.idleW {
		return t, fmt.Errorf("idle %v W is not below busy %v W", t.idleW, t.busyW)
	}
	return t, nil
}

func parseWatts(text string) (float64, error) {
	watts, err := strconv.ParseFloat(text, 64)
	if err != nil {
		return 0, err
	}
	if watts > 0 && watts <= 1000 {
		return watts, nil
	}
	return 0, fmt.Errorf("%v W is no power of a processor", watts)
}

// thread finds the row for a processor.
func (t tables) thread(c CPU) (threadPower, bool) {
	for _, p := range t.threads {
		if p.vendor == c.Vendor && p.family == c.Family && p.model == c.Model && p.steppingLo <= c.Stepping && c.Stepping <= p.steppingHi {
			return p, true
		}
	}
	return threadPower{}, false
}

// unknownGeneration is the mean of all generations of the processor's maker.
func (t tables) unknownGeneration(c CPU) (threadPower, bool) {
	var n, idle, busy float64
	low, high := math.Inf(1), 0.0
	for _, p := range t.threads {
		if p.vendor == c.Vendor {
			n, idle, busy = n+1, idle+p.idleW, busy+p.busyW
			low, high = min(low, p.busyW), max(high, p.busyW)
		}
	}
	if n == 0 {
		return threadPower{}, false
	}
	name := fmt.Sprintf("a server of unknown generation (%s; mean of %g generations, %.1f to %.1f W busy)", c.Vendor, n, low, high)
	return threadPower{vendor: c.Vendor, name: name, idleW: round(idle / n), busyW: round(busy / n)}, true
}

// round keeps four decimals, as the table has.
func round(watts float64) float64 { return math.Round(watts*1e4) / 1e4 }
