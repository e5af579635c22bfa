package slurm

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"spell-lsp/runner"
	"spell-lsp/spell/atomicfile"
	"spell-lsp/spell/record"
	"spell-lsp/spell/record/recordjson"
	"spell-lsp/spell/regularfile"
)

// The files of a measurement's folder, beside those of the bundle.
const (
	programFile = "spell-lsp"
	scriptFile  = "start"
	planFile    = "plan.json"
	aliveFile   = "alive"
	statusEnd   = ".json"
	runEnd      = ".run.gz"
	ownPrefix   = "." // of files that are being written
)

// A plan says what each task of an array does.
type plan struct {
	Tasks []assignment `json:"tasks"`
	Seed  uint32       `json:"seed"` // that of a task is this one and its number
}

// An assignment is what a task does: turns, in each of which every one of its bundles is measured for some rounds.
type assignment struct {
	Bundles []int `json:"bundles"` // their numbers, in the order of the first turn; the second has it backwards, and so on
	Rounds  int   `json:"rounds"`  // of a bundle in a turn
	Turns   int   `json:"turns"`   // 0: the rounds of one bundle, each of which counts for itself
}

// rounds is how many there are in all.
func (a *assignment) rounds() int { return len(a.Bundles) * a.Rounds * max(1, a.Turns) }

// inTurn is how many rounds a turn has.
func (a *assignment) inTurn() int { return len(a.Bundles) * a.Rounds }

// order are the bundles in the order of a turn.
func (a *assignment) order(turn int) []int {
	list := slices.Clone(a.Bundles)
	if turn%2 == 1 {
		slices.Reverse(list)
	}
	return list
}

// divided are tasks for so many rounds of a bundle on so many nodes, each of which has one at least.
func divided(bundle, rounds, nodes int) (tasks []assignment) {
	nodes = min(nodes, rounds)
	for i := range nodes {
		n := rounds / nodes
		if i < rounds%nodes {
			n++
		}
		tasks = append(tasks, assignment{Bundles: []int{bundle}, Rounds: n})
	}
	return tasks
}

// A status is what an attempt of a task has done.
type status struct {
	Node   string        `json:"node"`
	Rounds int           `json:"rounds"` // complete, of this attempt
	Ended  bool          `json:"ended"`  // nothing more will come of the task
	Fault  *runner.Fault `json:"fault,omitempty"`
	Bundle int           `json:"bundle"`          // the number of the one that has the fault; -1: none of them
	First  int           `json:"first,omitempty"` // the number of the attempt's first turn
}

// An attempt is one start of a task.
type attempt struct {
	task, number int
	status
}

func (a *attempt) name() string { return strconv.Itoa(a.task) + "." + strconv.Itoa(a.number) }

// attempts lists those whose status can be read, by task and number.
func attempts(dir string) (list []attempt, err error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	list = []attempt{} // not nil: it is known that there are none
	for _, e := range entries {
		a, ok := attemptOf(e.Name())
		if !ok {
			continue
		}
		text, err := regularfile.Read(filepath.Join(dir, e.Name()), regularfile.MaxSettings)
		if errors.Is(err, fs.ErrNotExist) {
			continue // of a shared folder, which shows what was there
		}
		if err == nil {
			err = json.Unmarshal(text, &a.status)
		}
		if err != nil {
			return nil, fmt.Errorf("reading %s: %w", e.Name(), err)
		}
		list = append(list, a)
	}
	slices.SortFunc(list, func(a, b attempt) int { return cmp.Or(cmp.Compare(a.task, b.task), cmp.Compare(a.number, b.number)) })
	return list, nil
}

func attemptOf(file string) (a attempt, ok bool) {
	task, rest, found := strings.Cut(strings.TrimSuffix(file, statusEnd), ".")
	if !found || !strings.HasSuffix(file, statusEnd) {
		return a, false
	}
	var err, err2 error
	a.task, err = strconv.Atoi(task)
	a.number, err2 = strconv.Atoi(rest)
	return a, err == nil && err2 == nil
}

// write replaces the status; the run before it, if there is one.
func (a *attempt) write(dir string, run *record.Run) error {
	if run != nil {
		if err := writeRun(dir, a.name(), run); err != nil {
			return err
		}
	}
	return writeJSON(filepath.Join(dir, a.name()+statusEnd), a.status)
}

// read is the run of the attempt's complete rounds.
func (a *attempt) read(dir string) (*record.Run, error) { return readRun(dir, a.name()) }

// ofTurn is the name of the run of a bundle, by its place, in a turn of the attempt.
func (a *attempt) ofTurn(turn, place int) string {
	return fmt.Sprintf("%s.%d.%d", a.name(), turn, place)
}

func writeRun(dir, name string, run *record.Run) error {
	return atomicfile.ReplacePrivate(filepath.Join(dir, name+runEnd), ownPrefix, func(w io.Writer) error { return writePacked(w, run) })
}

func readRun(dir, name string) (*record.Run, error) {
	f, err := regularfile.Open(filepath.Join(dir, name+runEnd))
	if err != nil {
		return nil, err
	}
	defer f.Close()
	r, err := readPacked(f)
	if err != nil {
		return nil, fmt.Errorf("reading the rounds %s: %w", name, err)
	}
	return recordjson.Read(r)
}

func writeJSON(name string, value any) error {
	return atomicfile.ReplacePrivate(name, ownPrefix, func(w io.Writer) error { return json.NewEncoder(w).Encode(value) })
}

func readJSON(name string, value any) error {
	text, err := regularfile.Read(name, regularfile.MaxSettings)
	if err != nil {
		return err
	}
	return json.Unmarshal(text, value)
}

// forsaken is how long a task goes on after the side that submitted it was last there. Clocks of a cluster are
// within five minutes of each other, or its commands would not work (munge).
const forsaken = 15 * time.Minute

// touch says that the side that submitted is there.
func touch(dir string, now time.Time) error { return writeJSON(filepath.Join(dir, aliveFile), now) }

// wanted returns an error if the side that submitted is gone.
func wanted(dir string, now time.Time) error {
	last, err := lastThere(dir)
	if err != nil {
		return fmt.Errorf("nobody waits for the measurement any more: %w", err)
	}
	if now.Sub(last) > forsaken {
		return fmt.Errorf("nobody waits for the measurement any more: spell-lsp was last there at %s", last.Format(time.RFC3339))
	}
	return nil
}

// lastThere is when the side that submitted was last there. A folder that says nothing of this is none of a
// measurement.
func lastThere(dir string) (last time.Time, err error) {
	err = readJSON(filepath.Join(dir, aliveFile), &last)
	return last, err
}
