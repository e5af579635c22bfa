// Package recording stores the inputs of package attribution, which were read while test
// programs ran, in files of a few kilobytes. Tests replay them, so that their results do
// not depend on the machine. It does not record anything itself.
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

// A Recording covers several executions of one test program.
type Recording struct {
	Machine    attribution.Machine
	Components []string // IDs, in the order of their rows
	Rest       attribution.Rest
	// TruthJ is the true energy of functions in joules, by name, if it is known.
	TruthJ     map[string]float64 `json:",omitempty"`
	Executions []Execution
}

// An Execution is the recording of one execution.
type Execution struct {
	Readings    Readings
	Records     Records
	Takes       [][2]int   // total number of readings and of records after each collection
	Descendants [][3]int64 // arguments of Timeline.AddDescendants: an instant and two times
	Log         probe.Log
	Hot         []probe.Hot
}

// Readings are columns of attribution.Reading, as differences from one reading to the next.
type Readings struct {
	Number             uint64 // of the first reading
	Published, Updated []int64
	CPU, Busy, Own     []int64
	Faulty             []int   // indices of readings
	Microjoules        []int64 // by reading and domain
}

// Records are columns of probe.Occupied. Start holds differences; Length is 0 for a record without
// instants.
type Records struct {
	Row, Tick     []uint32
	RanNS         []float64
	Start, Length []int64
	OfChild       []int `json:",omitempty"` // indices of records
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
