package slurm

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"spell-lsp/instrument/gocmd"
	"spell-lsp/runner"
	"spell-lsp/spell/ownership"
	"spell-lsp/spell/record"
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

// Platform is as of [runner.Site]: nodes have the architecture of this machine.
func (s *Site) Platform() gocmd.Platform { return gocmd.Platform{OS: "linux", Arch: runtime.GOARCH} }

// Unsampled is as of [runner.Site]. Only the nodes know, and none has been asked for yet.
func (s *Site) Unsampled() error { return nil }

// Measure submits a job and waits until it has ended. It is as of [runner.Site]: of a measurement that ends early,
// complete rounds are returned.
func (s *Site) Measure(ctx context.Context, j runner.Job) (*record.Run, error) {
	a, err := s.newArray()
	if err != nil {
		return nil, err
	}
	defer a.remove()
	m, err := a.share(ctx, j)
	if err != nil {
		return nil, err
	}
	done, cause := a.carryOut(ctx, j.Progress)
	return a.result(ctx, m, done, cause)
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
