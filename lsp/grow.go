package lsp

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"

	"go.lsp.dev/jsonrpc2"
	"go.lsp.dev/protocol"

	"spell-lsp/lsp/view"
	"spell-lsp/spell/page"
	"spell-lsp/spell/settings"
)

const keepBenchmarkCommand = "spell-lsp.keepBenchmark"

type keepBenchmarkArguments struct {
	URI  string `json:"uri"`  // of the file of the function
	Name string `json:"name"` // of the function
}

// A Benchmarks generates the benchmark that a request with Grow measures, and says which file it belongs in. It
// runs the go command.
type Benchmarks func(ctx context.Context, r Request) (file string, text []byte, err error)

// growthActions measure how a function grows with its input, and keep the benchmark of that.
func (s *session) growthActions(m *view.Mark, u string) (list []action) {
	if s.Benchmarks == nil {
		return nil
	}
	name := m.Name
	list = append(list, action{command: measureOf("Measure how "+name+" grows with its input", measureArguments{Scope: "growth", URI: u, Name: name}), runs: true})
	for _, g := range m.Result.Growths()[m.Component().ID] {
		if strings.Contains(g.Series, ".BenchmarkGrow_") {
			keep := action{command: commandOf("Keep this benchmark", keepBenchmarkCommand, keepBenchmarkArguments{URI: u, Name: name}), runs: true}
			if can := s.client.Capabilities(); !can.Apply || !can.Create {
				keep.reason = errNoFiles.Error()
			}
			return append(list, keep)
		}
	}
	return list
}

var errNoFiles = errors.New("this editor does not let a server create files: take spell-lsp grow --print")

// keepBenchmark creates a test file with the benchmark that measured how a function grows. It overwrites none.
func (s *session) keepBenchmark(raw protocol.LSPAny, _ protocol.ProgressToken) (work, error) {
	args, err := arguments[keepBenchmarkArguments](raw)
	if err != nil {
		return nil, err
	}
	if err := s.mayRun(); err != nil {
		return nil, err
	}
	if can := s.client.Capabilities(); s.Benchmarks == nil || !can.Apply || !can.Create {
		return nil, jsonrpc2.NewError(codeRequestFailed, errNoFiles.Error())
	}
	j, err := s.request(measureArguments{Scope: "growth", URI: args.URI, Name: args.Name})
	if err != nil {
		return nil, err
	}
	return func(ctx context.Context) (any, error) {
		return s.tasks.Await(ctx, "writing a benchmark", func(ctx context.Context) (any, error) {
			s.awaitSettings(ctx)
			if err := s.createBenchmark(ctx, j.Request); err != nil {
				return nil, jsonrpc2.NewError(codeRequestFailed, page.CleanLines(err.Error()))
			}
			return nil, nil
		})
	}, nil
}

func (s *session) createBenchmark(ctx context.Context, r Request) error {
	var err error
	if r.Settings, err = s.settingsOf(r.Dir); err != nil {
		return err
	}
	n := s.snapshots.Current()
	r.Buffers = unsaved(n)
	file, text, err := s.Benchmarks(ctx, r)
	if err != nil {
		return err
	}
	if _, err := os.Lstat(file); err == nil || n.Documents[file] != nil {
		return fmt.Errorf("%s exists: move or rename it first", file)
	}
	create := configuration{uri: n.URI(file), missing: true}
	edit, err := create.edit(settings.Edit{Text: string(text)}, s.client.Capabilities())
	if err != nil {
		return err
	}
	return s.client.Edit(ctx, "Keep this benchmark", edit)
}
