// Package remote has another machine measure what is built here. A [Site] is the side that builds: it sends
// a task, the programs and the files that tests read, by the hash of their content, and gets runs. [Serve] is
// the side that measures. Packages frame and ssh carry what they say, package content keeps the files.
//
// One measurement, from the connection to its end:
//
//	hello     which meter; the machine checks it before anything is built
//	busy      another measurement runs there: this one waits for its turn
//	ready     whether the kernel there samples processes
//	job       the task, the lists of files, and the programs by their hashes; its content follows
//	need      the hashes that the machine lacks; their content follows
//	step      what is being done there
//	want      programs of another kind are needed; programs is the answer
//	output    what programs printed (--exec) since the last one, whose content follows; got is the answer
//	run       a run of all rounds so far, whose content follows; got is the answer
//	cancel    the measurement shall end; what is complete is sent
//	end       the last message: the error, if there is one
package remote

import (
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"syscall"
	"time"

	"spell-lsp/runner"
	"spell-lsp/runner/content"
	"spell-lsp/runner/meter"
	"spell-lsp/runner/remote/frame"
	"spell-lsp/spell/note"
)

// The types of messages.
const (
	typeHello    = "hello"
	typeBusy     = "busy"
	typeReady    = "ready"
	typeJob      = "job"
	typeNeed     = "need"
	typeStep     = "step"
	typeWant     = "want"
	typePrograms = "programs"
	typeOutput   = "output"
	typeRun      = "run"
	typeGot      = "got"
	typeCancel   = "cancel"
	typeEnd      = "end"
)

// hello is the first message of the side that builds.
type hello struct {
	Type   string        `json:"type"`
	Meter  string        `json:"meter"`
	Meters meter.Options `json:"meters"`
	Now    time.Time     `json:"now"`
}

// busy says whose measurement runs.
type busy struct {
	Type string `json:"type"`
	Who  string `json:"who"`
}

// ready says what the machine can do.
type ready struct {
	Type string `json:"type"`
	// Unsampled is why the kernel samples no process; "" if it does. Forbidden: because it may not.
	Unsampled string `json:"unsampled,omitempty"`
	Forbidden bool   `json:"forbidden,omitempty"`
	// Ahead is the machine's clock less that of the other side.
	Ahead time.Duration `json:"ahead"`
}

// packed announces a job, an output or a run: gzip of its JSON form, which is too large for a message.
type packed struct {
	Type  string `json:"type"`
	Hash  string `json:"hash"`
	Final bool   `json:"final,omitempty"` // of a run: the measurement has ended
}

// got says that a run has arrived, or that an output has been shown.
type got struct {
	Type string `json:"type"`
}

// job is a measurement.
type job struct {
	Task     *runner.Task `json:"task"`
	Folders  []folder     `json:"folders"`
	Programs []program    `json:"programs"`
	Notes    []note.Note  `json:"notes"`            // of building them
	Prints   bool         `json:"prints,omitempty"` // what programs print is wanted
	// Counting are the programs that count calls, of a job in a bundle; or why there are none.
	Counting      []program `json:"counting,omitempty"`
	CountingSaid  string    `json:"counting_said,omitempty"`
	CountingError string    `json:"counting_error,omitempty"`
}

// folder is a list of files that stand in a folder of the task's root.
type folder struct {
	Dir  string       `json:"dir"`
	Tree content.Tree `json:"tree"`
}

// program is the program of a package.
type program struct {
	Path string `json:"path"`
	Hash string `json:"hash"`
	Size int64  `json:"size"`
}

// need lists what the machine lacks.
type need struct {
	Type   string   `json:"type"`
	Hashes []string `json:"hashes"`
}

// step is progress.
type step struct {
	Type string      `json:"type"`
	Step runner.Step `json:"step"`
}

// The kinds of programs that can be wanted.
const (
	kindPlain    = "plain"
	kindCounting = "counting"
)

// want asks for programs of other kinds.
type want struct {
	Type     string   `json:"type"`
	Kind     string   `json:"kind"`
	Packages []string `json:"packages"`
}

// programs answers want.
type programs struct {
	Type     string    `json:"type"`
	Programs []program `json:"programs"`
	Said     string    `json:"said,omitempty"`  // of the go command, about those that do not build
	Error    string    `json:"error,omitempty"` // why there are none
}

// end is the last message.
type end struct {
	Type  string        `json:"type"`
	Fault *runner.Fault `json:"fault,omitempty"`
}

// kindFull is the kind of a fault, beside those of package runner: a full disk, or a quota that is used up.
const kindFull = "full"

// faultOf describes an error of the machine.
func faultOf(err error) *runner.Fault {
	f := runner.FaultOf(err)
	if f != nil && f.Kind == "" && (errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT)) {
		f.Kind = kindFull
	}
	return f
}

// cancel ends the measurement.
type cancel struct {
	Type string `json:"type"`
}

// read reads a message.
func read[T any](f frame.Frame) (m T, err error) {
	if err := json.Unmarshal(f.Message, &m); err != nil {
		return m, fmt.Errorf("a message %s that is not understood: %w", f.Type, err)
	}
	return m, nil
}

func unexpected(f frame.Frame) error {
	what := "the message " + f.Type
	if f.Chunk != nil {
		what = "content"
	}
	return fmt.Errorf("%s came out of turn: this is a fault of spell-lsp, please report it", what)
}

// hashOf reads a hash.
func hashOf(text string) (hash frame.Hash, err error) {
	data, err := hex.DecodeString(text)
	if err != nil || len(data) != len(hash) || strings.ToLower(text) != text {
		return hash, fmt.Errorf("%q is no hash", text)
	}
	copy(hash[:], data)
	return hash, nil
}
