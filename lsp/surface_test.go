package lsp_test

import (
	"encoding/json"
	"maps"
	"strings"
	"testing"
	"unicode/utf16"

	"spell-lsp/internal/lsptest"
	"spell-lsp/spell/record"
)

// into reads a result.
func into[T any](t testing.TB, raw json.RawMessage) T {
	t.Helper()
	var v T
	if err := json.Unmarshal(raw, &v); err != nil {
		t.Fatalf("reading %s: %v", raw, err)
	}
	return v
}

// spanOf returns the range of the first occurrence of a part of a text.
func spanOf(t testing.TB, text, part string) lsptest.Range {
	t.Helper()
	at := strings.Index(text, part)
	if at < 0 {
		t.Fatalf("there is no %q", part)
	}
	place := func(before string) lsptest.Position {
		line := before[strings.LastIndex(before, "\n")+1:]
		return lsptest.Position{Line: strings.Count(before, "\n"), Character: len(utf16.Encode([]rune(line)))}
	}
	return lsptest.Range{Start: place(text[:at]), End: place(text[:at+len(part)])}
}

// can adds capabilities to those of an editor. Objects are merged, two levels deep.
func can(more map[string]map[string]any) func(*lsptest.Editor) {
	return func(e *lsptest.Editor) {
		all := map[string]any{}
		maps.Copy(all, e.Capabilities)
		for group, members := range more {
			merged := map[string]any{}
			if old, ok := all[group].(map[string]any); ok {
				maps.Copy(merged, old)
			}
			maps.Copy(merged, members)
			all[group] = merged
		}
		e.Capabilities = all
	}
}

// calling adds calls to a run: sortÄ and oldest call Add.
func calling(run *record.Run) {
	index := map[string]int{}
	for i := range run.Components {
		id := run.Components[i].ID
		index[id[strings.LastIndex(id, ".")+1:]] = i
	}
	run.CallTree = []record.CallNode{
		{Parent: -1, Component: index["sortÄ"], TimeMS: 50},
		{Parent: 0, Component: index["Add"], TimeMS: 45},
		{Parent: -1, Component: index["oldest"], TimeMS: 1},
		{Parent: 2, Component: index["Add"], TimeMS: 12},
		{Parent: -1, Component: index["Add"], TimeMS: 3},
	}
}
