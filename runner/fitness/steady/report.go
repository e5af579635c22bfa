package steady

import (
	"errors"
	"fmt"
	"io"
	"regexp"
	"strings"

	"spell-lsp/runner/fitness"
)

// A group is changes of one kind in the folders of several processors.
type group struct {
	Change // of which File is a pattern
	files  int
}

var policy = regexp.MustCompile(`/policy[0-9]+/`)

// groups joins changes that are the same in several folders, and failed alike if they failed. What
// somebody else has changed stays single.
func groups(changes []Change) (list []group) {
	type key struct{ file, from, to, why string }
	at := make(map[key]int)
	for _, c := range changes {
		k := key{c.File, c.From, c.To, ""}
		if !errors.As(c.Err, new(*ChangedError)) {
			k.file = policy.ReplaceAllString(c.File, "/policy*/")
		}
		if c.Err != nil {
			k.why = policy.ReplaceAllString(c.Err.Error(), "/policy*/")
		}
		i, known := at[k]
		if !known {
			at[k] = len(list)
			list = append(list, group{c, 1})
			continue
		}
		list[i].files++
		list[i].File = k.file
	}
	return list
}

func (g group) String() string {
	of := ""
	if g.files > 1 {
		of = fmt.Sprintf(" (%d files)", g.files)
	}
	return fmt.Sprintf("%s%s: %s -> %s", g.File, of, g.From, g.To)
}

// Show writes what Set would do, what it costs, and how it is undone.
func (m Machine) Show(w io.Writer) error {
	var b strings.Builder
	fmt.Fprintf(&b, "%s: values of the kernel, until the next restart\n", Name)
	plan := m.Plan()
	for _, g := range groups(plan) {
		if g.Err != nil {
			fmt.Fprintf(&b, "    not %v\n", g.Err)
			continue
		}
		fmt.Fprintf(&b, "    %s\n", g)
	}
	if len(plan) == 0 {
		b.WriteString("    none: " + m.nothing() + "\n")
	}
	b.WriteString(`What it costs:
    With the governor performance, processors that are not idle draw more power, and a laptop's battery empties faster.
    Without turbo frequencies all programs run at the nominal frequency at most, which can be a good deal slower.
    The threads of a core stay: to turn them off (SMT), which leaves half of the processors, run echo off | sudo tee /sys/devices/system/cpu/smt/control
What undoes it:
    spell-lsp doctor --undo
`)
	_, err := io.WriteString(w, b.String())
	return err
}

// nothing says why there is nothing to set.
func (m Machine) nothing() string {
	if len(fitness.Settings(fitness.Look(m.Options()))) > 0 {
		return "all of them are set"
	}
	return "the kernel shows no governor and no switch for turbo frequencies here; those of a virtual machine are its host's"
}

// WriteSet writes what Set did. The error joins those of the changes.
func (m Machine) WriteSet(w io.Writer, changes []Change) error {
	if len(changes) == 0 {
		_, err := fmt.Fprintf(w, "Nothing was set: %s.\n", m.nothing())
		return err
	}
	return write(w, "Set", changes)
}

// WriteUndone writes what Undo did. The error joins those of the changes.
func (m Machine) WriteUndone(w io.Writer, changes []Change) error {
	if len(changes) == 0 {
		_, err := fmt.Fprintf(w, "There is nothing to undo: doctor --fix=%s has set nothing since the machine was started.\n", Name)
		return err
	}
	return write(w, "Put back", changes)
}

// write writes the changes that were made, and returns why others were not. What somebody else has
// changed is no error.
func write(w io.Writer, did string, changes []Change) error {
	var errs []error
	for _, g := range groups(changes) {
		line := did + " " + g.String()
		if changed := (*ChangedError)(nil); errors.As(g.Err, &changed) {
			line = changed.Error()
		} else if g.Err != nil {
			errs = append(errs, fmt.Errorf("%s: %w", g, g.Err))
			continue
		}
		if _, err := fmt.Fprintln(w, line); err != nil {
			return fmt.Errorf("writing what was set: %w", err)
		}
	}
	return errors.Join(errs...)
}
