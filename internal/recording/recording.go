// Package recording keeps what was read while test programs ran: the inputs of package
// attribution, in files of some kilobytes. Tests replay them, so what they say of energy does
// not depend on the machine that they run on.
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
	// TruthJ is what the machine's functions really used, where it is known; by name.
	TruthJ     map[string]float64 `json:",omitempty"`
	Executions []Execution
}

// An Execution is one of them.
type Execution struct {
	EndedNS     int64
	Readings    Readings
	Records     Records
	Takes       [][2]int   // how many readings and records there were after each look
	Descendants [][3]int64 // instant, CPU time of all, CPU time of those that nobody waits for
	Log         probe.Log
	Hot         []probe.Hot
}

// Readings are columns of attribution.Reading, of differences from one reading to the next.
type Readings struct {
	Number             uint64 // of the first
	Published, Updated []int64
	CPU, Busy, Own     []int64
	Faulty             []int   // which of them are
	Microjoules        []int64 // by reading and domain
}

// Records are columns of probe.Occupied; Start is differences, Length 0 where a record is
// not of the time between two instants.
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
