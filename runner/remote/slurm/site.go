package slurm

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"spell-lsp/runner"
	"spell-lsp/runner/remote"
	"spell-lsp/runner/remote/dist"
	"spell-lsp/spell/ownership"
	"spell-lsp/spell/record"
	"spell-lsp/spell/regularfile"
)

// ownFolder begins the names of measurements' folders.
const ownFolder = "spell-lsp-run-"

// roundsByNode is how many rounds a node runs where their number is left to the measurement.
const roundsByNode = 3

// A Site is a cluster that measures what is built here.
type Site struct {
	Options
	Name    string // for messages
	Ignored bool   // files that git ignores go along

	// poll is the time between looks at the queue, in the first minute; later it is pollLater.
	poll, pollLater time.Duration
	// late is how long after a task was first seen to be over, without having said so, nothing more is expected: a
	// shared folder may show files of other machines a minute late. settled is the same where Slurm has ended it.
	late, settled time.Duration
}

// Open finds Slurm's commands, and the folder that nodes share.
func Open(name, destination string, ignored bool) (*Site, error) {
	o, err := Parse(destination)
	if err != nil {
		return nil, err
	}
	if err := find(); err != nil {
		return nil, err
	}
	if o.Dir == "" {
		base, err := os.UserCacheDir()
		if err != nil {
			return nil, fmt.Errorf("finding the cache folder: %w", err)
		}
		o.Dir = filepath.Join(base, "spell-lsp", "slurm")
	}
	if err := ownership.Make(o.Dir); err != nil {
		return nil, err
	}
	return &Site{Options: o, Name: name, Ignored: ignored, poll: 2 * time.Second, pollLater: 15 * time.Second, late: time.Minute, settled: 6 * time.Second}, nil
}

// Unsampled is as of [runner.Site]. Only the nodes know, and none has been asked for yet.
func (s *Site) Unsampled() error { return nil }

// Measure submits a job and waits until it has ended. It is as of [runner.Site]: of a measurement that ends early,
// complete rounds are returned.
func (s *Site) Measure(ctx context.Context, j runner.Job) (*record.Run, error) {
	s.tidy(time.Now())
	dir, err := os.MkdirTemp(s.Dir, ownFolder)
	if err != nil {
		return nil, err
	}
	m := &measurement{Site: s, job: &j, dir: dir}
	defer m.remove()
	p, err := s.prepare(ctx, dir, j)
	if err != nil {
		return nil, err
	}
	m.plan = p
	// Slurm may have taken a job before it says so.
	if m.id, m.cluster, err = submit(context.WithoutCancel(ctx), dir, jobName(&j), len(p.Rounds), s.Options); err != nil {
		return nil, err
	}
	err = m.follow(ctx)
	return m.result(ctx, err)
}

// jobName is what squeue shows.
func jobName(j *runner.Job) string {
	return "spell-lsp:" + strings.Map(func(c rune) rune {
		if c <= ' ' || c > '~' {
			return '_'
		}
		return c
	}, j.Workspace.Module)
}

// prepare fills the folder of a measurement.
func (s *Site) prepare(ctx context.Context, dir string, j runner.Job) (plan, error) {
	task := *j.Task
	j.Task = &task
	j.Params.Calm = false // it needs rounds in turns with others on one node
	rounds := j.Params.Rounds
	if rounds == 0 {
		rounds = roundsByNode * s.Nodes
	}
	p := divided(rounds, s.Nodes)
	p.Seed = rand.Uint32() // #nosec G404 -- of an order
	if j.Params.Seed != 0 {
		p.Seed = j.Params.Seed
	}
	if err := touch(dir, time.Now()); err != nil {
		return p, err
	}
	if err := remote.WriteBundle(ctx, dir, s.Name, s.Ignored, j); err != nil {
		return p, err
	}
	program, err := dist.Find(runtime.GOARCH)
	if err != nil {
		return p, err
	}
	return p, errors.Join(
		copyFile(program, filepath.Join(dir, programFile)),
		os.WriteFile(filepath.Join(dir, scriptFile), []byte(scriptOf(dir)), 0o700), // #nosec G306 -- Slurm reads it
		writeJSON(filepath.Join(dir, planFile), p),
	)
}

// scriptOf names the program in full: a task whose folder cannot be entered is in another one.
func scriptOf(dir string) string {
	program := "'" + strings.ReplaceAll(filepath.Join(dir, programFile), "'", `'\''`) + "'"
	return "#!/bin/sh\nexec " + program + " slurm-task\n"
}

func copyFile(from, to string) error {
	r, err := regularfile.Open(from)
	if err != nil {
		return err
	}
	defer r.Close()
	w, err := os.OpenFile(to, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o700) // #nosec G302 -- it is executed
	if err != nil {
		return err
	}
	_, err = io.Copy(w, r)
	return errors.Join(err, w.Close())
}

// tidy removes the folders of measurements whose spell-lsp was killed, and whose tasks have ended since.
func (s *Site) tidy(now time.Time) {
	entries, _ := os.ReadDir(s.Dir) // the next measurement tries again
	for _, e := range entries {
		dir := filepath.Join(s.Dir, e.Name())
		if last, err := lastThere(dir); err == nil && strings.HasPrefix(e.Name(), ownFolder) && now.Sub(last) > 24*time.Hour {
			os.RemoveAll(dir) //nolint:errcheck // as above
		}
	}
}

// said is what tasks printed, as far as it tells why none of them measured.
func said(dir string) string {
	names, _ := filepath.Glob(filepath.Join(dir, "output.*")) // the pattern is right
	slices.Sort(names)
	for _, name := range names {
		if text, err := regularfile.Read(name, regularfile.MaxSettings); err == nil && len(strings.TrimSpace(string(text))) > 0 {
			return quoted(string(text))
		}
	}
	return ""
}
