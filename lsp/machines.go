package lsp

import (
	"context"
	"maps"
	"slices"

	"go.lsp.dev/jsonrpc2"
	"go.lsp.dev/protocol"
)

const machinesCommand = "spell-lsp.machines"

// A machinesReply lists the machines that the user has given names: those that the setting machine, and the field of
// the command measure, can name.
type machinesReply struct {
	File     string         `json:"file"` // the user's own, in which they stand or would stand; "" if the server knows none
	Machines []machineReply `json:"machines"`
	Chosen   []string       `json:"chosen"`            // by the settings of the open folders
	Problem  string         `json:"problem,omitempty"` // why File cannot be used
}

type machineReply struct {
	Name string `json:"name"`
	Host string `json:"host"` // what ssh connects to
}

// machines lists the user's machines, so that a client can let the user choose, and show what is chosen.
func (s *session) machines(raw protocol.LSPAny, _ protocol.ProgressToken) (work, error) {
	if _, err := arguments[noArguments](raw); err != nil {
		return nil, err
	}
	return func(ctx context.Context) (any, error) {
		return s.tasks.Await(ctx, "looking for machines", func(ctx context.Context) (any, error) {
			s.awaitSettings(ctx)
			answer, err := s.listMachines()
			if err != nil {
				return nil, jsonrpc2.NewError(codeRequestFailed, err.Error())
			}
			return reply(answer)
		})
	}, nil
}

// listMachines lists the user's machines. The error says why it is not known where they stand.
func (s *session) listMachines() (machinesReply, error) {
	answer := machinesReply{Machines: []machineReply{}, Chosen: []string{}}
	for _, f := range s.snapshots.Current().Folders {
		current, err := s.settingsOf(f.Path)
		if name := current.Machine; err == nil && name != "" && !slices.Contains(answer.Chosen, name) {
			answer.Chosen = append(answer.Chosen, name)
		}
	}
	if s.Machines == nil {
		return answer, nil
	}
	known, err := s.Machines()
	answer.File = known.File
	if err != nil && known.File != "" {
		answer.Problem, err = err.Error(), nil
	}
	for _, name := range slices.Sorted(maps.Keys(known.Of)) {
		answer.Machines = append(answer.Machines, machineReply{name, known.Of[name]})
	}
	return answer, err
}
