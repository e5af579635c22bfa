package main

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"

	"github.com/spf13/cobra"

	"spell-lsp/runner/git"
	"spell-lsp/spell/input"
	"spell-lsp/spell/record"
	"spell-lsp/spell/regularfile"
	"spell-lsp/spell/store"
)

// referenceHelp says in the help of a command how a run is named.
const referenceHelp = `A run is an ID, latest, the name of a baseline, a branch, tag or commit of git (its
newest saved run of all packages, without uncommitted changes), or a file: a run
record, or a matrix that analyze reads. "-" is standard input.`

// savedRuns are those of the module that a folder is in.
type savedRuns struct {
	*store.Store
	workspace string // absolute, without symbolic links
}

func openRuns(cmd *cobra.Command, dir string) (*savedRuns, error) {
	s, err := openStore(cmd)
	if err != nil {
		return nil, err
	}
	_, workspace, err := savedUnder(dir)
	if err != nil {
		return nil, fmt.Errorf("-C %s: %w", dir, err)
	}
	return &savedRuns{s, workspace}, nil
}

// readNamed reads the run that a user names; dir is a folder of the module. eachCall is
// as in input.Read.
func readNamed(cmd *cobra.Command, dir, name string, eachCall bool) (*record.Run, error) {
	if name == "-" {
		return input.Read(cmd.InOrStdin(), name, "", eachCall)
	}
	return readSaved(cmd.Context(), cmd, regularfile.OpenStream, dir, name, name, eachCall)
}

// readConfigured reads the run that the settings of a folder name, where a file is
// relative to the folder.
func readConfigured(ctx context.Context, cmd *cobra.Command, dir, name string) (*record.Run, error) {
	file := name
	if !filepath.IsAbs(file) {
		file = filepath.Join(dir, file)
	}
	return readSaved(ctx, cmd, regularfile.Open, dir, name, file, false)
}

// readSaved reads a saved run of a name, or the file. A name with the ending of a
// file is one; others are files where they are nothing else.
func readSaved(ctx context.Context, cmd *cobra.Command, open input.Opener, dir, name, file string, eachCall bool) (*record.Run, error) {
	if input.Named(name) {
		return input.ReadFile(open, file, eachCall)
	}
	s, err := openRuns(cmd, dir)
	if err != nil {
		return nil, err
	}
	id, err := s.find(ctx, name)
	var unknown *store.UnknownError
	if errors.As(err, &unknown) && exists(file) {
		return input.ReadFile(open, file, eachCall)
	}
	if errors.As(err, &unknown) {
		return nil, fmt.Errorf("there is no file %s, and among the saved runs: %w", file, err)
	}
	if err != nil {
		return nil, err
	}
	return s.Load(s.workspace, id)
}

// find gives the id of the saved run that a user names. The error is a
// *store.UnknownError where the name says nothing to the store, nor to git.
func (s *savedRuns) find(ctx context.Context, name string) (string, error) {
	id, err := s.Resolve(s.workspace, name)
	var unknown *store.UnknownError
	if !errors.As(err, &unknown) {
		return id, err
	}
	commit, err := git.Commit(ctx, s.workspace, name)
	if ctx.Err() != nil {
		return "", ctx.Err()
	}
	if err != nil { // no git, no repository, or no such name: all the same to who looks for a run
		return "", fmt.Errorf("%w; nor is it a commit; saved runs are listed by: spell-lsp runs -C %s", unknown, s.workspace)
	}
	entries, err := s.List(s.workspace)
	for _, e := range entries {
		if e.Revision == commit && e.Scope == "" && !e.Dirty && !e.Partial {
			return e.ID, nil
		}
	}
	return "", errors.Join(fmt.Errorf("%s is commit %.12s, which has no saved run of all packages of %s without uncommitted changes: check it out and measure", name, commit, s.workspace), err)
}
