package store

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"time"

	"spell-lsp/spell"
	"spell-lsp/spell/record"
	"spell-lsp/spell/regularfile"
	"spell-lsp/spell/store/runfile"
)

// An Entry is what a list shows of a run. It is the header of its file, but for the
// baselines.
type Entry struct {
	ID         string        `json:"id"`
	Started    time.Time     `json:"started"` // UTC
	Tests      int           `json:"tests"`
	Failed     int           `json:"failed,omitempty"` // of the tests, those that neither passed nor were skipped
	Components int           `json:"components"`
	Meter      string        `json:"meter"`          // its name
	Source     record.Source `json:"source"`         // as record.Meter.Origin has it: "" is not known
	Root       string        `json:"root,omitempty"` // as in record.Meter
	Revision   string        `json:"revision,omitempty"`
	Dirty      bool          `json:"dirty,omitempty"`
	Partial    bool          `json:"partial,omitempty"`
	Scope      string        `json:"scope,omitempty"`   // what was measured: "" = everything, else packages or tests
	Chosen     string        `json:"chosen,omitempty"`  // what settings leave out of that: exclude, run and tags; "" = nothing
	Domains    string        `json:"domains,omitempty"` // of the energy, by commas; "" = none, or not known
	Mode       string        `json:"mode,omitempty"`    // instrument or sample; "" = not known
	Host       string        `json:"host,omitempty"`    // its processor; "" = not known
	Cores      int           `json:"cores,omitempty"`   // of the host; 0 = not known
	Rounds     int           `json:"rounds,omitempty"`
	EnergyJ    float64       `json:"energy_j,omitempty"` // of all tests and domains, a round; 0 = not known
	TimeMS     float64       `json:"time_ms,omitempty"`  // of all tests, a round; 0 = not known
	// What the components themselves used in the tests that passed, a round; 0 = not known.
	ComponentsJ  float64  `json:"components_j,omitempty"`
	ComponentsMS float64  `json:"components_ms,omitempty"` // running
	Baselines    []string `json:"-"`                       // names that the run has, sorted
}

// Loaded begins the scope of what was not measured here but read from a file: an
// editor does not show it by itself.
const Loaded = "loaded "

func entryOf(scope string, r *record.Run) Entry {
	e := Entry{
		ID: r.ID, Started: r.Started.UTC(), Tests: len(r.Tests), Components: len(r.Components),
		Meter: r.Meter.Name, Source: r.Meter.Origin(), Root: r.Meter.Root, Rounds: r.Rounds,
		Chosen: chosen(r.Settings), Domains: domains(r.Meter.Domains), Mode: r.Mode, Host: r.Host.CPU, Cores: r.Host.Cores,
		Revision: r.Workspace.Revision, Dirty: r.Workspace.Dirty, Partial: r.Partial, Scope: scope,
	}
	for i := range r.Tests {
		if r.Tests[i].LeftOut(false) {
			e.Failed++
		}
		e.EnergyJ += r.Tests[i].EnergyJ.Total()
		e.TimeMS += r.Tests[i].TimeMS
	}
	usual := *r
	usual.Analysis = nil // or values might be with callees
	tallies := usual.Tallies()
	for i := range tallies {
		e.ComponentsJ += tallies[i].TotalJ()
		e.ComponentsMS += tallies[i].TimeMS
	}
	return e
}

// chosen says which settings a run had that choose what is measured.
func chosen(of map[string]any) string {
	var parts []string
	for _, key := range []string{"exclude", "run", "tags"} {
		switch value := fmt.Sprint(of[key]); value { // of a run that was read, lists have another type
		case "", "[]", fmt.Sprint(nil):
		default:
			parts = append(parts, key+" "+value)
		}
	}
	return strings.Join(parts, ", ")
}

func domains(list []spell.Domain) string {
	names := make([]string, len(list))
	for i, d := range list {
		names[i] = string(d)
	}
	slices.Sort(names)
	return strings.Join(names, ",")
}

// entry reads the header of the file of a run.
func (sh shelf) entry(id string) (Entry, error) {
	f, err := regularfile.Open(sh.run(id))
	if err != nil {
		return Entry{}, sh.absent(id, err)
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return Entry{}, &FileError{f.Name(), err}
	}
	header, err := runfile.Header(f, info.Size())
	if err != nil {
		return Entry{}, &FileError{f.Name(), err}
	}
	var e Entry
	if err := json.Unmarshal(header, &e); err != nil {
		return Entry{}, &FileError{f.Name(), fmt.Errorf("has a header that is not understood (%w)", err)}
	}
	return e, sh.belongs(id, e.ID)
}

// belongs checks that a file holds the run that its name says.
func (sh shelf) belongs(id, found string) error {
	if found == id {
		return nil
	}
	return &FileError{sh.run(id), fmt.Errorf("holds another run, %q", found)}
}

// absent names what the error of opening a run's file is about.
func (sh shelf) absent(id string, err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("there is no run %s of %s: %w", id, sh.workspace, fs.ErrNotExist)
	}
	var path *fs.PathError
	if errors.As(err, &path) {
		err = path.Err
	}
	return &FileError{sh.run(id), fmt.Errorf("cannot be read: %w", err)}
}
