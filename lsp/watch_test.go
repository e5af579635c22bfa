package lsp_test

import (
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"

	"spell-lsp/lsp/lsptest"
)

// A client that does not report changes on disk, or only claims that it does,
// must not go on showing results of a file that has changed as if they were
// fresh.
func TestChangesOnDiskThatNobodyReports(t *testing.T) {
	for name, setUp := range map[string]func(*lsptest.Editor){
		"cannot": func(e *lsptest.Editor) { e.Capabilities = map[string]any{} },
		"refuses": func(e *lsptest.Editor) {
			e.Answer("client/registerCapability", func(json.RawMessage) (any, *lsptest.Error) {
				return nil, &lsptest.Error{Code: -32601, Message: "not supported"}
			})
		},
	} {
		t.Run(name, func(t *testing.T) {
			e, _, parkGo := openPark(t, newLab(parkCosts), setUp)
			carGo := filepath.Join(filepath.Dir(parkGo), "car.go")
			measure(t, e)
			if got := show(park["car.go"], e.Diagnostics(carGo)); len(got) == 0 || strings.HasSuffix(got[0], "edit") {
				t.Fatalf("after the measurement: %v", got)
			}
			text := strings.Replace(park["car.go"], "a.plate < b.plate", "a.plate > b.plate", 1)
			write(t, carGo, text)
			e.Eventually("the result is stale", func() bool {
				got := show(text, e.Diagnostics(carGo))
				return len(got) > 0 && strings.HasSuffix(got[0], "measured before this edit")
			})
		})
	}
}
