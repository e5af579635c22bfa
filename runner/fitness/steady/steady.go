// Package steady sets the values of the kernel that keep a machine steady while it is measured, and
// puts back what was there. It remembers the values in a file, before it sets any.
//
// It writes files of sysfs below /sys/devices/system/cpu and its own file, nothing else. The kernel
// forgets the values when the machine restarts.
package steady

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"spell-lsp/runner/fitness"
	"spell-lsp/runner/meter"
	"spell-lsp/spell/regularfile"
)

// Name is what the user calls it: doctor --fix=steady.
const Name = "steady"

// A Change is what became of one value.
type Change struct {
	File     string
	From, To string
	Err      error // why it was not made; nil if it was
}

// A Machine is the kernel whose values are set.
type Machine struct {
	root  string // in place of /
	write func(path, value string) error
}

// On is the machine whose sysfs, procfs and /run are below the folder root; "" is this one.
func On(root string) Machine { return Machine{root, writeValue} }

// Options are those with which its facts are read.
func (m Machine) Options() meter.Options {
	if m.root == "" {
		return meter.Options{}
	}
	return meter.Options{ProcRoot: filepath.Join(m.root, "proc"), SysRoot: filepath.Join(m.root, "sys")}
}

// writeValue writes a file of sysfs, which is there and takes the value as a whole.
func writeValue(path, value string) error {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_TRUNC, 0)
	if err != nil {
		return err
	}
	_, err = f.WriteString(value + "\n")
	return errors.Join(err, f.Close())
}

// value is the present content of a file of sysfs.
func (m Machine) value(file string) (string, error) {
	text, err := regularfile.Read(m.path(file), regularfile.MaxValue)
	return strings.TrimSpace(string(text)), err
}

func (m Machine) path(file string) string { return filepath.Join(m.root, file) }

// Plan lists the values that Set would change. Files that cannot be read are in it with their error.
func (m Machine) Plan() (plan []Change) {
	for _, s := range fitness.Settings(fitness.Look(m.Options())) {
		c := Change{File: m.file(s.File), To: s.Value}
		if c.From, c.Err = m.value(c.File); c.Err != nil || c.From != c.To {
			plan = append(plan, c)
		}
	}
	return plan
}

// file is the name that a file has in the machine.
func (m Machine) file(path string) string {
	if rel, err := filepath.Rel(filepath.Join("/", m.root), path); err == nil && m.root != "" {
		return "/" + filepath.ToSlash(rel)
	}
	return path
}

// Set makes the changes of a plan, and remembers what was there. A value that the kernel refuses is
// in the changes with its error, and the others are set all the same. An error says that nothing
// more was done: a *RightsError, or a *StateError.
//
// A value that was set before keeps the value that it had first.
func (m Machine) Set() ([]Change, error) {
	plan := m.Plan()
	s, err := m.remembered()
	switch {
	case mayNot(err):
		return nil, &RightsError{"--fix=" + Name, commands(plan), err}
	case err != nil:
		return nil, err
	}
	var changes []Change
	for _, c := range plan {
		if c.Err == nil {
			c.Err = m.set(&s, c)
		}
		if mayNot(c.Err) {
			return changes, &RightsError{"--fix=" + Name, commands(plan), c.Err}
		}
		changes = append(changes, c)
	}
	return changes, nil
}

// set makes one change, which is in the file of the state whenever it may have been made.
func (m Machine) set(s *state, c Change) error {
	before := slices.Clone(s.Values)
	s.remember(c)
	if err := m.save(*s); err != nil {
		return err
	}
	err := m.writeAndCheck(c)
	now, errNow := m.value(c.File)
	switch {
	case err == nil || errNow != nil:
		return err
	case now == c.From:
		s.Values = before
	default: // the kernel has set another value, which Undo must know as ours
		s.remember(Change{File: c.File, From: c.From, To: now})
	}
	return errors.Join(err, m.save(*s))
}

// writeAndCheck fails also where the kernel takes a value and keeps another.
func (m Machine) writeAndCheck(c Change) error {
	if err := m.write(m.path(c.File), c.To); err != nil {
		return err
	}
	now, err := m.value(c.File)
	if err == nil && now != c.To {
		err = fmt.Errorf("%s: the kernel took the value %q and keeps %q", c.File, c.To, now)
	}
	return err
}

// Undo puts back what was there before Set, the last first. A value that somebody else has changed
// since is left alone, with a *ChangedError. What cannot be put back stays remembered.
// There is no change where there is nothing to undo.
func (m Machine) Undo() ([]Change, error) {
	s, err := m.remembered()
	switch {
	case mayNot(err):
		return nil, &RightsError{"--undo", nil, err}
	case err != nil:
		return nil, err
	}
	var changes []Change
	var failed []value
	for _, v := range slices.Backward(s.Values) {
		c := Change{File: v.File, From: v.Set, To: v.Was}
		if c.Err = m.undo(c); c.Err != nil && !errors.As(c.Err, new(*ChangedError)) {
			failed = append([]value{v}, failed...)
		}
		changes = append(changes, c)
	}
	if len(s.Values) == 0 {
		return nil, m.forget()
	}
	if i := slices.IndexFunc(changes, func(c Change) bool { return mayNot(c.Err) }); i >= 0 {
		return nil, &RightsError{"--undo", commands(changes), changes[i].Err}
	}
	if s.Values = failed; len(failed) == 0 {
		return changes, m.forget()
	}
	return changes, m.save(s)
}

func (m Machine) undo(c Change) error {
	now, err := m.value(c.File)
	switch {
	case err != nil:
		return err
	case now == c.To:
		return nil
	case now != c.From:
		return &ChangedError{c.File, c.From, now}
	}
	return m.writeAndCheck(c)
}

// A ChangedError says that a value is not the one that was set.
type ChangedError struct{ File, Set, Now string }

func (e *ChangedError) Error() string {
	return fmt.Sprintf("%s was set to %s and is %s now: somebody else has changed it, and it is left as it is", e.File, e.Set, e.Now)
}

// A RightsError says that this user may not set values of the kernel.
type RightsError struct {
	Flag     string   // of the doctor
	Commands []string // that do the same; none where it is not known what would be done
	Err      error
}

func (e *RightsError) Error() string {
	text := fmt.Sprintf("this user may not do that (%v). As the machine's owner, run:\n  sudo \"$(command -v spell-lsp)\" doctor %s", e.Err, e.Flag)
	if len(e.Commands) > 0 {
		text += "\nor:\n  " + strings.Join(e.Commands, "\n  ")
	}
	return text
}

func (e *RightsError) Unwrap() error { return e.Err }

// mayNot says whether this user may not open or make a file. Where root may, the kernel can refuse a
// value with the same error: turbo frequencies that the firmware has turned off.
func mayNot(err error) bool {
	at := (*fs.PathError)(nil)
	return errors.Is(err, fs.ErrPermission) && (!errors.As(err, &at) || at.Op != "write")
}

// commands do what changes do, one for all files of one kind.
func commands(changes []Change) (list []string) {
	plain := slices.Clone(changes)
	for i := range plain {
		plain[i].Err, plain[i].From = nil, ""
	}
	for _, g := range groups(plain) {
		list = append(list, fmt.Sprintf("echo %s | sudo tee %s", g.To, g.File))
	}
	return list
}
