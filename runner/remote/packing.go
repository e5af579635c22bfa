package remote

import (
	"context"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"sync"

	"spell-lsp/runner"
	"spell-lsp/runner/content"
	"spell-lsp/runner/execution"
)

// A packing lists the content of a job, which is read when somebody wants it.
type packing struct {
	name    string // of the machine, for messages
	ignored bool   // files that git ignores go along
	mu      sync.Mutex
	source  content.Source
}

// pack lists the files and the programs of a job.
func (p *packing) pack(ctx context.Context, j *runner.Job) (*job, error) {
	message := &job{Task: j.Task, Notes: slices.Clone(j.Notes), Prints: j.Params.Stdout != nil || j.Params.Stderr != nil}
	j.Progress(runner.Step{Doing: "listing the files for " + p.name, Fraction: -1})
	for _, dir := range j.Folders {
		o := content.Options{Ignored: p.ignored, Overrides: j.Buffers}
		tree, err := content.Scan(ctx, dir, o)
		if err != nil {
			return nil, fmt.Errorf("listing the files for %s: %w", p.name, err)
		}
		if err := p.source.AddTree(dir, tree, o); err != nil {
			return nil, err
		}
		rel, err := filepath.Rel(j.Base, dir)
		if err != nil {
			return nil, err
		}
		message.Folders = append(message.Folders, folder{Dir: filepath.ToSlash(rel), Tree: tree})
	}
	var err error
	message.Programs, err = p.add(ctx, j.Programs)
	return message, err
}

// add makes programs ready to be sent.
func (p *packing) add(ctx context.Context, list []execution.Program) (all []program, err error) {
	for _, of := range list {
		p.mu.Lock()
		hash, size, err := p.source.AddFile(ctx, of.File())
		p.mu.Unlock()
		if err != nil {
			return nil, fmt.Errorf("reading the program of %s: %w", of.Path, err)
		}
		all = append(all, program{Path: of.Path, Hash: hash, Size: size})
	}
	return all, nil
}

// read opens content by its hash.
func (p *packing) read(hash string) (io.ReadCloser, int64, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.source.Open(hash)
}
