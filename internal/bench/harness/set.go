package harness

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// A Maker makes one table.
type Maker struct {
	Name string
	Make func(context.Context) (*Table, error)
}

// A Set is all tables of a command, in the order in which they are made.
type Set []Maker

// Names lists the tables, as they are named on the command line.
func (s Set) Names() []string {
	var all []string
	for _, m := range s {
		all = append(all, m.Name)
	}
	return all
}

// Check refuses names of tables that the set does not have, as a [UsageError].
func (s Set) Check(names []string) error {
	for _, name := range names {
		if !slices.Contains(s.Names(), name) {
			return UsageError{fmt.Errorf("%q is no table: there are %s", name, strings.Join(s.Names(), ", "))}
		}
	}
	return nil
}

// WriteFile makes the named tables, or all of them, and writes them below a title to
// standard output and to a file, whose folder it creates. The error is [ErrMissed] if
// a bar is missed.
func (s Set) WriteFile(ctx context.Context, title, name string, tables []string) (err error) {
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		return fmt.Errorf("making the folder of the tables: %w", err)
	}
	file, err := os.Create(name)
	if err != nil {
		return fmt.Errorf("creating the file of the tables: %w", err)
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	w := io.MultiWriter(os.Stdout, file)
	if _, err := fmt.Fprintf(w, "# %s\n\n%s\n", title, machine()); err != nil {
		return fmt.Errorf("writing the tables: %w", err)
	}
	missed := false
	for _, m := range s {
		if len(tables) > 0 && !slices.Contains(tables, m.Name) {
			continue
		}
		reached, err := m.write(ctx, w)
		if err != nil {
			return err
		}
		missed = missed || !reached
	}
	if missed {
		return ErrMissed
	}
	return nil
}

// write makes a table and writes it. A table that could not be made is written with
// its error, so that the others still appear.
func (m Maker) write(ctx context.Context, w io.Writer) (ok bool, err error) {
	t, err := m.Make(ctx)
	if ctx.Err() != nil {
		return false, ctx.Err()
	}
	if err != nil {
		t = &Table{Title: m.Name}
		t.Missed("the table could not be made: " + err.Error())
	}
	if err := t.Write(w); err != nil {
		return false, fmt.Errorf("writing the tables: %w", err)
	}
	return t.Passed(), nil
}
