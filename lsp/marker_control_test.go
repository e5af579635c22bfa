package lsp_test

import (
	"strings"
	"testing"
	"time"

	"spell-lsp/internal/lsptest"
)

// Wrong markers must fail, each for its own reason: otherwise the marker tests prove nothing.
// The same archive with correct markers passes.
func TestWrongMarkersFail(t *testing.T) {
	const right = `diag("f", "error", "#1", "1.00 J"), lens("f", "RED"), hover("f", "TestPark")`
	for _, c := range []struct {
		why, markers, script, want string
	}{
		{"right", right, "measure\ncheck", ""},
		{"nothing is measured", right, "check", `there is no diagnostic`},
		{"another severity", `diag("f", "warning", "#1")`, "measure\ncheck", "the severity is 1"},
		{"another message", `diag("f", "error", "#2")`, "measure\ncheck", `does not match "#2"`},
		{"the second expression", `diag("f", "error", "#1", "#2")`, "measure\ncheck", `does not match "#2"`},
		{"another place", `diag("func", "error", "#1")`, "measure\ncheck", `there is no diagnostic`},
		{"a diagnostic too many", ``, "measure\ncheck", `a diagnostic without a marker: #1`},
		{"no diagnostic", `nodiag("f")`, "measure\ncheck", `a diagnostic without a marker: #1`},
		{"another lens", right + `, lens("func", "RED")`, "measure\ncheck", `there is no lens`},
		{"another title", strings.Replace(right, "RED", "GREEN", 1), "measure\ncheck", `does not match "GREEN"`},
		{"no lens", strings.Replace(right, `lens("f", "RED")`, `nolens("f")`, 1), "measure\ncheck", `a lens without a marker`},
		{"another hover", strings.Replace(right, "TestPark", "TestCar", 1), "measure\ncheck", `does not match "TestCar"`},
		{"no hover", strings.Replace(right, `hover("f", "TestPark")`, `nohover("f")`, 1), "measure\ncheck", `there is a hover`},
		{"a hover elsewhere", right + `, hover("func", "x")`, "measure\ncheck", `there is no hover`},
		{"stale although it is fresh", `stale("f")`, "measure\ncheck", `the severity is 1`},
		{"fresh although it is stale", right, "measure\nedit a.go \"_ = 1\" \"_ = 2\"\ncheck", `the severity is 4`},
		{"a label of another check", `x:` + right, "measure\ncheck y", `a diagnostic without a marker`},
		{"a label of another editor", `eglot:` + right, "measure\ncheck", `a diagnostic without a marker`},
		{"something after clear", right, "measure\ncheck nothing", `a diagnostic without a marker`},
		{"an unknown marker", `dig("f", "error")`, "check", `is no marker`},
		{"a missing text", `diag("g", "error")`, "check", `there is no such text in the line`},
		{"a text that is not absent", `absent("f")`, "check", `there is such a word in the line`},
		{"an unknown step", ``, "meassure", `there is no step`},
		{"an edit of a missing text", ``, `edit a.go "nowhere" "x"`, `there is no "nowhere"`},
		{"another reply", ``, `measure` + "\n" + `expect reply "components\":2"`, `components\":2`},
		{"no reply", ``, `measure` + "\n" + `expect no reply`, `there is {`},
		{"no error", ``, `measure` + "\n" + `expect error "x"`, `it is ""`},
		{"a message", ``, `expect message "x"`, `it is ""`},
		{"another progress", ``, `measure` + "\n" + `expect progress "begin Cooking"`, `begin Measuring energy`},
		{"another request", ``, `measure` + "\n" + `expect request "dir=sub"`, `it is "dir=. patterns=./...`},
		{"a refresh", ``, `expect refresh "codeLens"`, `it is ""`},
		{"a forbidden reply", ``, `measure` + "\n" + `expect no reply "components"`, `components`},
		{"another file", ``, `golden a.go other`, `must be`},
		{"a missing golden file", ``, `golden a.go gone`, `there is no golden/gone`},
		{"no action", `action("f", "Paint")`, "check", `"Paint", the actions are`},
		{"an action", right + `, noaction("f", "Hide")`, "measure\ncheck", `"Hide", the actions are`},
		{"another edit", right + `, act("f", "Hide", ".spell-lsp.yaml", "other")`, "measure\ncheck", `.spell-lsp.yaml would be`},
		{"an edit of another file", right + `, act("f", "Hide", "a.go", "other")`, "measure\ncheck", `does not edit a.go`},
		{"no hint", right + `, hint("f", "psi")`, "measure\ncheck", `there is no hint`},
		{"a hint", right + `, nohint("f")`, "setting `{\"inlayHints\": true}`\nmeasure\ncheck", `a hint without a marker`},
		{"another caller", right + `, related("f", "g")`, "measure\ncheck", `does not match "g"`},
		{"another number of lenses", right + `, lenses("f", "7")`, "measure\ncheck", `"0" does not match "7"`},
		{"another rank", right, "measure\nexpect ranking \"#2\"", `#1 example.com/park.f red a.go:3 fresh`},
		{"nothing unchanged", right, "open a.go\nexpect unchanged a.go", `all diagnostics were sent each time`},
	} {
		text := "Why.\n-- costs --\nf 1 1 1\n-- golden/other --\npackage b\n-- script --\n" + c.script +
			"\n-- a.go --\npackage a\n\nfunc f() { _ = 1 } //@" + c.markers + "\n"
		if c.markers == "" {
			text = strings.Replace(text, " //@", "", 1)
		}
		a := parseArchive("control", []byte(text))
		problems := newRig(t, a, lsptest.Clients()[0], 50*time.Millisecond).play()
		found := strings.Join(problems, "\n")
		if c.want == "" && found != "" || !strings.Contains(found, c.want) {
			t.Errorf("%s: %q must contain %q", c.why, found, c.want)
		}
	}
}

// A server that writes into the workspace must fail the marker tests.
func TestWrittenFilesFail(t *testing.T) {
	a := parseArchive("control", []byte("Why.\n-- script --\nmeasure\n-- a.go --\npackage a\n"))
	for name, tamper := range map[string]func(r *rig){
		"a.go":   func(r *rig) { write(t, r.path("a.go"), "package b\n") },
		"new.go": func(r *rig) { write(t, r.path("new.go"), "package b\n") },
		"go.mod": func(r *rig) { r.disk["go.mod"] = "" },
	} {
		r := newRig(t, a, lsptest.Clients()[0], 50*time.Millisecond)
		tamper(r)
		if problems := r.play(); len(problems) != 1 || !strings.Contains(problems[0], "the file "+name+" is") {
			t.Errorf("%s: %q", name, problems)
		}
	}
}
