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
	"spell-lsp/lsp/snapshot"
	"spell-lsp/spell/atomicfile"
	"spell-lsp/spell/comparison"
	"spell-lsp/spell/ownership"
	"spell-lsp/spell/text"
)

const reportCommand = "spell-lsp.report"

type reportArguments struct {
	Format string `json:"format"`
	URI    string `json:"uri"` // of a file or folder, selects its newest result; empty for the newest of all
	Run    string `json:"run"` // selects the result of this run if it is still shown
}

// A reportReply describes the written report.
type reportReply struct {
	Path string  `json:"path"`
	Run  string  `json:"run"`  // the run that it shows
	Root uri.URI `json:"root"` // the folder that its file names are relative to
}

// report writes a result to a file outside the workspace, and returns its path.
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
	// reportFolder holds the reports, below the user's cache folder, in a folder for each run.
	reportFolder = "spell-lsp/reports"
	// runPrefix begins the names of the folders of runs.
	runPrefix = "run-"
	// maxReports is the number of these folders that are kept, the newest first.
	maxReports = 20
	// minReportAge is the age below which no folder is removed: a report may be open in
	// another editor.
	minReportAge = 24 * time.Hour
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
	if err := atomicfile.Replace(path, func(w io.Writer) error { return s.Report[format](w, r.Run, c, textsIn(s.snapshots.Current(), r)) }); err != nil {
		return "", err
	}
	if err := removeReports(folder, time.Now()); err != nil {
		s.log.Warn("removing old reports", redact.Cause(err))
	}
	return path, nil
}

// textsIn reads the files of a result as they are in the editor.
func textsIn(n *snapshot.Snapshot, r *results.Result) text.Source {
	return func(file string) []byte {
		if source := n.Source(r.Path(file)); source != nil {
			return []byte(source.Text)
		}
		return nil
	}
}

// removeReports removes old reports.
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
		case info.IsDir() && strings.HasPrefix(info.Name(), runPrefix):
			runs = append(runs, info)
		}
	}
	slices.SortFunc(runs, func(a, b os.FileInfo) int {
		return cmp.Or(b.ModTime().Compare(a.ModTime()), cmp.Compare(a.Name(), b.Name()))
	})
	var errs []error
	for _, run := range runs[min(len(runs), maxReports):] {
		if now.Sub(run.ModTime()) > minReportAge {
			errs = append(errs, os.RemoveAll(filepath.Join(folder, run.Name())))
		}
	}
	return errors.Join(errs...)
}

// fileName turns the ID of a run into a file name. The ID of a loaded run may be any text.
func fileName(id string) string {
	name := strings.Map(func(r rune) rune {
		if r == '-' || r >= '0' && r <= '9' || r >= 'A' && r <= 'Z' || r >= 'a' && r <= 'z' {
			return r
		}
		return '_'
	}, id)
	return runPrefix + name[:min(len(name), 100)]
}

// extensions are the file extensions of formats whose extension is not their name.
var extensions = map[string]string{"text": "txt", "markdown": "md", "json-matrix": "json", "pprof": "pb.gz", "binary": "spellbin", "smm": "xmi", "junit": "xml", "openmetrics": "prom", "benchfmt": "txt", "github-benchmark": "json"}

func extension(format string) string {
	if e := extensions[format]; e != "" {
		return e
	}
	return format
}
