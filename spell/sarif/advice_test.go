package sarif_test

import (
	"bytes"
	"testing"

	"spell-lsp/internal/recordtest"
	"spell-lsp/spell/advice"
	"spell-lsp/spell/sarif"
)

const source = "package p\n\n/* 🚗 */ var a = []int{1}\n\nfunc f() {\n\t_ = `x`\n}\n"

// Advised is advice with and without a rewrite on the second component of a run.
func advised() []advice.Advice {
	r := recordtest.Park()
	c := &r.Components[1]
	one := advice.Advice{Component: 1, EnergyJ: c.EnergyJ, TimeMS: c.TimeMS, Share: 0.3, Finding: advice.Finding{
		Rule: "regexp-per-call", File: c.File, Line: 6, Column: 2, EndLine: 6, Message: "compiled at each call", Help: "compile it once",
		Edits: []advice.Edit{{File: c.File, Start: len("package p\n\n/* 🚗 */ "), End: len("package p\n\n/* 🚗 */ var a"), Text: "var b"}},
	}}
	other := one
	other.Rule, other.Help, other.Edits, other.Share = "defer-in-loop", "", nil, 0.1
	return []advice.Advice{one, other, one}
}

// Each advice is a result with its price; a rewrite is a fix, whose columns count units of UTF-16.
func TestAdviceGolden(t *testing.T) {
	var b bytes.Buffer
	read := func(string) []byte { return []byte(source) }
	if err := sarif.WriteAdvice(&b, recordtest.Park(), advised(), read, sarif.Options{Version: "v1.2.3"}); err != nil {
		t.Fatal(err)
	}
	recordtest.Golden(t, "advice.sarif", b.String())
}

// A rewrite of a file that changed meanwhile is an error, and no wrong fix.
func TestAdviceOfAnotherText(t *testing.T) {
	read := func(string) []byte { return nil }
	if err := sarif.WriteAdvice(&bytes.Buffer{}, recordtest.Park(), advised(), read, sarif.Options{}); err == nil {
		t.Error("there is no error")
	}
}
