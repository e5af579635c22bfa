package lsp

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"go.lsp.dev/jsonrpc2"
	"go.lsp.dev/protocol"
	"go.lsp.dev/uri"

	"spell-lsp/lsp/redact"
	"spell-lsp/lsp/results"
	"spell-lsp/spell/atomicfile"
	"spell-lsp/spell/comparison"
	"spell-lsp/spell/ownership"
)

const reportCommand = "spell-lsp.report"

type reportArguments struct {
	Format string `json:"format"`
	URI    string `json:"uri"` // of a file or folder: its result; empty for the newest
	Run    string `json:"run"` // the result of this run, as long as it is shown
}

// A reportReply says what was written.
type reportReply struct {
	Path string  `json:"path"`
	Run  string  `json:"run"`  // that it is of
	Root uri.URI `json:"root"` // what the files in it are relative to
}

// report writes the result of a run, of a file or folder, or the newest one to a file outside
// of the workspace, and returns its path.
func (s *session) report(raw protocol.LSPAny, _ protocol.ProgressToken) (work, error) {
	args, err := arguments[reportArguments](raw)
	if err != nil {
		return nil, err
	}
	formats := slices.Sorted(maps.Keys(s.Report))
	if s.Report[args.Format] == nil {
		return nil, fmt.Errorf("format is %q, must be one of %s", args.Format, strings.Join(formats, ", "))
	}
	r, err := s.resultOf(args.Run, args.URI)
	if err != nil {
		return nil, err
	}
	return func(context.Context) (any, error) {
		if r == nil {
			return nil, jsonrpc2.NewError(codeRequestFailed, "nothing was measured yet: measure first")
		}
		path, err := s.writeReport(r, args.Format)
		if err != nil {
			return nil, jsonrpc2.Errorf(codeRequestFailed, "writing the report: %v", err)
		}
		return reply(reportReply{path, r.Run.ID, s.snapshots.Current().URI(r.Root)})
	}, nil
}

const (
	// reportFolder is where reports go below the user's cache folder, a folder for each run.
	reportFolder = "spell-lsp/reports"
	// ofRun begins the names of these folders.
	ofRun = "run-"
	// keptReports is how many of them are kept, those that were written to last.
	keptReports = 20
	// keepReports is how long all of them are kept: they may be open in other editors.
	keepReports = 24 * time.Hour
)

func (s *session) writeReport(r *results.Result, format string) (path string, err error) {
	cache, err := os.UserCacheDir()
	if err != nil {
		return "", err
	}
	folder := filepath.Join(cache, filepath.FromSlash(reportFolder))
	dir := filepath.Join(folder, fileName(r.Run.ID))
	if err := ownership.Make(dir); err != nil {
		return "", fmt.Errorf("%w; the folder is chosen by XDG_CACHE_HOME", err)
	}
	var c *comparison.Comparison
	if r.Baseline != nil {
		c = r.Baseline.Comparison
	}
	path = filepath.Join(dir, format+"."+extension(format))
	if err := atomicfile.Replace(path, func(w io.Writer) error { return s.Report[format](w, r.Run, c) }); err != nil {
		return "", err
	}
	if err := removeReports(folder, time.Now()); err != nil {
		s.log.Warn("removing old reports", redact.Cause(err))
	}
	return path, nil
}

// removeReports removes the reports that nobody needs any more: they can be written again.
func removeReports(folder string, now time.Time) error {
	entries, err := os.ReadDir(folder)
	if err != nil {
		return err
	}
	var runs []os.FileInfo
	for _, e := range entries {
		info, err := e.Info()
		switch {
		case errors.Is(err, os.ErrNotExist): // another server removed it
		case err != nil:
			return err
		case info.IsDir() && strings.HasPrefix(info.Name(), ofRun):
			runs = append(runs, info)
		}
	}
	slices.SortFunc(runs, func(a, b os.FileInfo) int {
		return cmp.Or(b.ModTime().Compare(a.ModTime()), cmp.Compare(a.Name(), b.Name()))
	})
	var errs []error
	for _, run := range runs[min(len(runs), keptReports):] {
		if now.Sub(run.ModTime()) > keepReports {
			errs = append(errs, os.RemoveAll(filepath.Join(folder, run.Name())))
		}
	}
	return errors.Join(errs...)
}

// fileName makes a name of an ID, which in a loaded run may be anything.
func fileName(id string) string {
	name := strings.Map(func(r rune) rune {
		if r == '-' || r >= '0' && r <= '9' || r >= 'A' && r <= 'Z' || r >= 'a' && r <= 'z' {
			return r
		}
		return '_'
	}, id)
	return ofRun + name[:min(len(name), 100)]
}

// extensions are those of formats that have another than their name.
var extensions = map[string]string{"text": "txt", "markdown": "md", "json-matrix": "json", "pprof": "pb.gz", "binary": "spellbin", "smm": "xmi", "junit": "xml", "openmetrics": "prom"}

func extension(format string) string {
	if e := extensions[format]; e != "" {
		return e
	}
	return format
}
