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

// An Entry is the summary of a run that a list shows. All but Baselines is the header
// of the run's file.
type Entry struct {
	ID         string        `json:"id"`
	Started    time.Time     `json:"started"` // UTC
	Tests      int           `json:"tests"`
	Failed     int           `json:"failed,omitempty"` // tests that neither passed nor were skipped
	Components int           `json:"components"`
	Meter      string        `json:"meter"`          // its name
	Source     record.Source `json:"source"`         // as record.Meter.Origin has it: "" is not known
	Root       string        `json:"root,omitempty"` // as in record.Meter
	Revision   string        `json:"revision,omitempty"`
	Dirty      bool          `json:"dirty,omitempty"`
	Partial    bool          `json:"partial,omitempty"`
	Scope      string        `json:"scope,omitempty"`   // what was measured: "" = everything, else packages or tests
	Chosen     string        `json:"chosen,omitempty"`  // the settings that narrow the scope: exclude, run and tags; "" = none
	Domains    string        `json:"domains,omitempty"` // with energy, separated by commas; "" = none, or unknown
	Mode       string        `json:"mode,omitempty"`    // instrument or sample; "" = unknown
	Host       string        `json:"host,omitempty"`    // its processor; "" = unknown
	Cores      int           `json:"cores,omitempty"`   // of the host; 0 = unknown
	Rounds     int           `json:"rounds,omitempty"`
	EnergyJ    float64       `json:"energy_j,omitempty"` // per round, over all tests and domains; 0 = unknown
	TimeMS     float64       `json:"time_ms,omitempty"`  // per round, over all tests; 0 = unknown
	// Self values of all components in the tests that passed, per round; 0 = unknown.
	ComponentsJ  float64  `json:"components_j,omitempty"`
	ComponentsMS float64  `json:"components_ms,omitempty"` // running
	Baselines    []string `json:"-"`                       // names that the run has, sorted
}

// Loaded begins the scope of a run that was read from a file rather than measured
// here. An editor does not show such a run unless it is asked to.
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
	usual.Analysis = nil // otherwise the values might be cumulative
	tallies := usual.Tallies()
	for i := range tallies {
		e.ComponentsJ += tallies[i].TotalJ()
		e.ComponentsMS += tallies[i].TimeMS
	}
	return e
}

// chosen lists the settings of a run that narrow what is measured, or say whose the time is.
func chosen(of map[string]any) string {
	var parts []string
	for _, key := range []string{"exclude", "library", "run", "tags"} {
		switch value := fmt.Sprint(of[key]); value { // lists of a run that was read from a file are []any, not []string
		case "", "[]", fmt.Sprint(nil):
		default:
			if key != "library" || value != (spell.Library{}).String() { // which runs before it had, too
				parts = append(parts, key+" "+value)
			}
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
func (ws workspaceDir) entry(id string) (Entry, error) {
	f, err := regularfile.Open(ws.run(id))
	if err != nil {
		return Entry{}, ws.openError(id, err)
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
	return e, ws.belongs(id, e.ID)
}

// belongs checks that a file holds the run after which it is named.
func (ws workspaceDir) belongs(id, found string) error {
	if found == id {
		return nil
	}
	return &FileError{ws.run(id), fmt.Errorf("holds another run, %q", found)}
}

// openError adds the run to an error of opening its file.
func (ws workspaceDir) openError(id string, err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("there is no run %s of %s: %w", id, ws.workspace, fs.ErrNotExist)
	}
	var path *fs.PathError
	if errors.As(err, &path) {
		err = path.Err
	}
	return &FileError{ws.run(id), fmt.Errorf("cannot be read: %w", err)}
}
