package main

import (
	"encoding/json"
	"strings"
	"sync"

	"spell-lsp/internal/lsptest"
)

// progressToken is the progress token of every measurement.
const progressToken = "bench"

// measure starts a measurement of a folder with the given number of rounds.
func (c *client) measure(dir string, rounds int) (*call, error) {
	return c.call("workspace/executeCommand", map[string]any{
		"command":       "spell-lsp.measure",
		"arguments":     []any{map[string]any{"scope": "workspace", "uri": lsptest.URI(dir), "rounds": rounds}},
		"workDoneToken": progressToken,
	})
}

// A step is a progress notification of a measurement.
type step struct {
	Kind    string // begin, report or end
	Message string
}

// stepOf decodes a step; other notifications give an empty one.
func stepOf(n notification) step {
	var params struct{ Value step }
	if n.Method != "$/progress" || json.Unmarshal(n.Params, &params) != nil {
		return step{}
	}
	return params.Value
}

// untilRound calls begun once, when the first round of a measurement begins.
func untilRound(begun func()) func(notification) {
	var once sync.Once
	return func(n notification) {
		if strings.HasPrefix(stepOf(n).Message, "round") {
			once.Do(begun)
		}
	}
}
