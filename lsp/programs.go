package lsp

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"

	"go.lsp.dev/jsonrpc2"
	"go.lsp.dev/protocol"
	"go.lsp.dev/uri"

	"spell-lsp/lsp/location"
	"spell-lsp/spell/settings"
)

const programsCommand = "spell-lsp.programs"

type programsArguments struct {
	URI string `json:"uri,omitempty"` // of a file or folder: selects its module; "" = all that are open
}

// A programsReply lists what the scopes program and scenario of the command measure can name.
type programsReply struct {
	Programs  []programReply  `json:"programs"`
	Scenarios []scenarioReply `json:"scenarios"`
}

type programReply struct {
	Name string  `json:"name"` // of its folder, as a package pattern of the module
	URI  uri.URI `json:"uri"`  // of its folder
}

type scenarioReply struct {
	Name string  `json:"name"`
	Exec string  `json:"exec"`
	URI  uri.URI `json:"uri"` // of the folder of the module
}

// programs lists the programs and scenarios that can be measured, so that a client can let the user
// choose.
func (s *session) programs(raw protocol.LSPAny, _ protocol.ProgressToken) (work, error) {
	args, err := arguments[programsArguments](raw)
	if err != nil {
		return nil, err
	}
	if err := s.mayRun(); err != nil {
		return nil, err
	}
	var dirs []string
	if args.URI != "" {
		dir, err := scenarioDir(args.URI, s.snapshots.Current().Folders)
		if err != nil {
			return nil, err
		}
		dirs = []string{dir}
	} else {
		for _, f := range s.snapshots.Current().Folders {
			dirs = append(dirs, f.Path)
		}
	}
	return func(ctx context.Context) (any, error) {
		return s.tasks.Await(ctx, "looking for programs", func(ctx context.Context) (any, error) {
			s.awaitSettings(ctx)
			answer, err := s.listPrograms(ctx, dirs)
			if err != nil && len(answer.Programs)+len(answer.Scenarios) == 0 {
				return nil, jsonrpc2.NewError(codeRequestFailed, err.Error())
			}
			return reply(answer)
		})
	}, nil
}

// listPrograms lists the programs of folders. The error says which folders it could not look into.
func (s *session) listPrograms(ctx context.Context, dirs []string) (programsReply, error) {
	answer := programsReply{Programs: []programReply{}, Scenarios: []scenarioReply{}}
	var failed error
	for _, dir := range dirs {
		modules := []string{dir}
		if s.Modules != nil {
			var err error
			if modules, err = s.Modules(ctx, dir); err != nil {
				failed = errors.Join(failed, err)
				continue
			}
		}
		for _, module := range modules {
			if err := s.addPrograms(ctx, &answer, module, len(modules) == 1); err != nil {
				failed = errors.Join(failed, fmt.Errorf("%s: %w", module, err))
			}
		}
	}
	return answer, failed
}

// addPrograms adds the programs and the scenarios of a module. A settings file may be of several
// modules: a scenario of a folder then belongs to those that have the folder.
func (s *session) addPrograms(ctx context.Context, answer *programsReply, module string, alone bool) error {
	current, err := s.settingsOf(module)
	if err != nil {
		return err
	}
	for _, name := range slices.Sorted(maps.Keys(current.Scenarios)) {
		scenario := current.Scenarios[name]
		one := scenarioReply{name, scenario.Exec, uri.File(module)}
		if (alone || s.hasFolder(scenario, module)) && !slices.Contains(answer.Scenarios, one) {
			answer.Scenarios = append(answer.Scenarios, one)
		}
	}
	if s.Programs == nil {
		return nil
	}
	folders, err := s.Programs(ctx, module, current)
	for _, folder := range folders {
		one := programReply{packageOf(location.Resolve(folder), location.Resolve(module)), uri.File(folder)}
		if !slices.Contains(answer.Programs, one) {
			answer.Programs = append(answer.Programs, one)
		}
	}
	return err
}

// hasFolder reports whether the package of a scenario is a folder of a module, or not named as one.
func (s *session) hasFolder(scenario settings.Scenario, module string) bool {
	if s.MainPackage == nil {
		return true
	}
	pkg, err := s.MainPackage(scenario)
	if err != nil || !isFolder(pkg) {
		return true
	}
	info, err := os.Stat(filepath.Join(module, filepath.FromSlash(pkg)))
	return err == nil && info.IsDir()
}
