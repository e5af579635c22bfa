// Package recording stores the inputs of package attribution: what was read while test programs
// ran, in files of some kilobytes. Tests replay them, so their results do not depend on the
// machine.
package recording

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"os"

	"spell-lsp/instrument/probe"
	"spell-lsp/runner/attribution"
)

// A Recording is of some executions of one test program.
type Recording struct {
	Machine    attribution.Machine
	Components []string // IDs, in the order of their rows
	Rest       attribution.Rest
	// TruthJ is the true energy of functions, by name, where it is known.
	TruthJ     map[string]float64 `json:",omitempty"`
	Executions []Execution
}

// An Execution is one of them.
type Execution struct {
	Readings    Readings
	Records     Records
	Takes       [][2]int   // number of readings and records after each time that they were collected
	Descendants [][3]int64 // instant, and the two times of Timeline.AddDescendants
	Log         probe.Log
	Hot         []probe.Hot
}

// Readings are columns of attribution.Reading, of differences from one reading to the next.
type Readings struct {
	Number             uint64 // of the first
	Published, Updated []int64
	CPU, Busy, Own     []int64
	Faulty             []int   // indices
	Microjoules        []int64 // by reading and domain
}

// Records are columns of probe.Occupied. Start holds differences; Length is 0 for a record without
// instants.
type Records struct {
	Row, Tick     []uint32
	RanNS         []float64
	Start, Length []int64
}

// Load reads a recording.
func Load(file string) (*Recording, error) {
	packed, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	text, err := gzip.NewReader(bytes.NewReader(packed))
	if err != nil {
		return nil, fmt.Errorf("reading %s: %w", file, err)
	}
	r := &Recording{}
	if err := json.NewDecoder(text).Decode(r); err != nil {
		return nil, fmt.Errorf("reading %s: %w", file, err)
	}
	return r, nil
}

// Save writes a recording.
func (r *Recording) Save(file string) error {
	var packed bytes.Buffer
	w, err := gzip.NewWriterLevel(&packed, gzip.BestCompression)
	if err != nil {
		return err
	}
	if err := json.NewEncoder(w).Encode(r); err != nil {
		return err
	}
	if err := w.Close(); err != nil {
		return err
	}
	return os.WriteFile(file, packed.Bytes(), 0o644)
}
