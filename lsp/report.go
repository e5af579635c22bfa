package lsp

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"go.lsp.dev/jsonrpc2"
	"go.lsp.dev/protocol"

	"spell-lsp/spell/comparison"
	"spell-lsp/spell/record"
)

// A Reporter writes a run in one format, with what changed since the baseline; nil where
// there is none.
type Reporter func(w io.Writer, r *record.Run, c *comparison.Comparison) error

const reportCommand = "spell-lsp.report"

type reportArguments struct {
	Format string `json:"format"`
	URI    string `json:"uri"` // of a file or folder: its result; empty for the newest
}

// report writes the newest result to a file outside of the workspace, and
// returns its path.
func (s *session) report(raw protocol.LSPAny, _ protocol.ProgressToken) (work, error) {
	args, err := arguments[reportArguments](raw)
	if err != nil {
		return nil, err
	}
	formats := slices.Sorted(maps.Keys(s.Report))
	if s.Report[args.Format] == nil {
		return nil, fmt.Errorf("format is %q, must be one of %s", args.Format, strings.Join(formats, ", "))
	}
	r, err := s.resultAt(args.URI)
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
		return reply(map[string]string{"path": path})
	}, nil
}

// reportFolder is where reports go below the user's cache folder.
const reportFolder = "spell-lsp/reports"

func (s *session) writeReport(r *result, format string) (path string, err error) {
	cache, err := os.UserCacheDir()
	if err != nil {
		return "", err
	}
	dir := filepath.Join(cache, filepath.FromSlash(reportFolder), fileName(r.run.ID))
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return "", err
	}
	f, err := os.CreateTemp(dir, "report-*."+extension(format))
	if err != nil {
		return "", err
	}
	var c *comparison.Comparison
	if r.baseline != nil {
		c = r.baseline.comparison
	}
	if err := errors.Join(s.Report[format](f, r.run, c), f.Close()); err != nil {
		return "", errors.Join(err, os.Remove(f.Name()))
	}
	path = filepath.Join(dir, format+"."+extension(format))
	return path, os.Rename(f.Name(), path)
}

// fileName makes a name of an ID, which in a loaded run may be anything.
func fileName(id string) string {
	name := strings.Map(func(r rune) rune {
		if r == '-' || r >= '0' && r <= '9' || r >= 'A' && r <= 'Z' || r >= 'a' && r <= 'z' {
			return r
		}
		return '_'
	}, id)
	return "run-" + name[:min(len(name), 100)]
}

// extensions are those of formats that have another than their name.
var extensions = map[string]string{"text": "txt", "markdown": "md", "json-matrix": "json", "pprof": "pb.gz", "binary": "spellbin", "smm": "xmi", "junit": "xml", "openmetrics": "prom"}

func extension(format string) string {
	if e := extensions[format]; e != "" {
		return e
	}
	return format
}
