package interop

import (
	"bytes"
	"go/ast"
	"go/parser"
	"go/token"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	reader "github.com/owenrumney/go-sarif/v3/pkg/report/v210/sarif"
	"github.com/santhosh-tekuri/jsonschema/v6"

	"spell-lsp/internal/recordtest"
	"spell-lsp/spell"
	"spell-lsp/spell/advice"
	"spell-lsp/spell/comparison"
	"spell-lsp/spell/record"
	"spell-lsp/spell/sarif"
	"spell-lsp/spell/settings"
)

func writeSARIF(t *testing.T, r *record.Run, o sarif.Options) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := sarif.Write(&b, r, o); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// validSARIF checks a log by the official schema and reads it by a reader of another
// origin.
func validSARIF(t *testing.T, log []byte) *reader.Run {
	t.Helper()
	document, err := jsonschema.UnmarshalJSON(bytes.NewReader(log))
	if err != nil {
		t.Fatal(err)
	}
	if err := officialSchema(t).Validate(document); err != nil {
		t.Fatalf("%#v\n%s", err, log)
	}
	report, err := reader.FromBytes(log)
	if err != nil {
		t.Fatal(err)
	}
	return report.Runs[0]
}

// officialSchema is the schema that OASIS publishes, which the reader's source has in a
// constant of its own.
func officialSchema(t *testing.T) *jsonschema.Schema {
	t.Helper()
	if compiled != nil {
		return compiled
	}
	const pkg = "github.com/owenrumney/go-sarif/v3/pkg/report/v210/sarif"
	dir, err := exec.CommandContext(t.Context(), "go", "list", "-f", "{{.Dir}}", pkg).Output()
	if err != nil {
		t.Fatal(err)
	}
	file, err := parser.ParseFile(token.NewFileSet(), filepath.Join(strings.TrimSpace(string(dir)), "schema.go"), nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	value := file.Scope.Lookup("schema").Decl.(*ast.ValueSpec).Values[0].(*ast.BasicLit).Value
	schema, err := jsonschema.UnmarshalJSON(strings.NewReader(strings.Trim(value, "`")))
	if err != nil {
		t.Fatal(err)
	}
	c := jsonschema.NewCompiler()
	const at = "sarif.json"
	if err := c.AddResource(at, schema); err != nil {
		t.Fatal(err)
	}
	c.AssertFormat()
	if compiled, err = c.Compile(at); err != nil {
		t.Fatal(err)
	}
	return compiled
}

var compiled *jsonschema.Schema

// What the schema refuses must be refused here: else it was not the schema.
func TestTheSchemaRefuses(t *testing.T) {
	log := writeSARIF(t, recordtest.Park(), sarif.Options{})
	for old, bad := range map[string]string{`"level": "error"`: `"level": "fatal"`, `"startLine": 21`: `"startLine": 0`, `"ruleId"`: `"ruleID"`} {
		wrong := bytes.Replace(log, []byte(old), []byte(bad), 1)
		document, err := jsonschema.UnmarshalJSON(bytes.NewReader(wrong))
		if err != nil || bytes.Equal(wrong, log) {
			t.Fatalf("%s is not in the log: %v", old, err)
		}
		if officialSchema(t).Validate(document) == nil {
			t.Errorf("%s is valid", bad)
		}
	}
}

// All that is written is valid.
func TestSARIFIsValid(t *testing.T) {
	for name, run := range recordtest.All() {
		t.Run(name, func(t *testing.T) { validSARIF(t, writeSARIF(t, run(), sarif.Options{Version: "v1.2.3"})) })
	}
}

// Advice is valid, and an independent reader finds the rewrite.
func TestSARIFOfAdvice(t *testing.T) {
	r := recordtest.Park()
	c := &r.Components[0]
	list := []advice.Advice{{EnergyJ: c.EnergyJ, Share: 0.5, Finding: advice.Finding{
		Rule: "regexp-per-call", File: c.File, Line: 1, EndLine: 1, Message: "m", Help: "h", Edits: []advice.Edit{{File: c.File, Start: 8, End: 9, Text: "q"}},
	}}}
	var b bytes.Buffer
	if err := sarif.WriteAdvice(&b, r, list, func(string) []byte { return []byte("package p\n") }, sarif.Options{}); err != nil {
		t.Fatal(err)
	}
	found := validSARIF(t, b.Bytes()).Results[0].Fixes[0].ArtifactChanges[0].Replacements[0]
	if *found.InsertedContent.Text != "package q\n" || *found.DeletedRegion.StartLine != 1 || *found.DeletedRegion.EndLine != 2 {
		t.Errorf("the fix is %+v", found)
	}
}

// Red and yellow are results, at the levels of the settings.
func TestSARIFLevels(t *testing.T) {
	r := recordtest.Park()
	for _, test := range []struct {
		name string
		o    settings.Severity
		want string
	}{
		{"default", settings.Severity{}, "error warning warning"},
		{"milder", settings.Severity{Red: settings.Warning, Yellow: settings.Hint}, "warning note note"},
		{"yellow off", settings.Severity{Yellow: settings.Off}, "error"},
		{"green is none", settings.Severity{Green: settings.Error}, "error warning warning"},
	} {
		var got []string
		for _, res := range validSARIF(t, writeSARIF(t, r, sarif.Options{Severity: test.o})).Results {
			got = append(got, res.Level)
		}
		if strings.Join(got, " ") != test.want {
			t.Errorf("%s: the levels are %v, want %s", test.name, got, test.want)
		}
	}
}

// Code scanning refuses logs with too many results: the first by rank are there, and
// how many are not.
func TestSARIFMostResults(t *testing.T) {
	r := recordtest.Park()
	for range 6000 {
		c := r.Components[1]
		r.Components = append(r.Components, c)
	}
	run := validSARIF(t, writeSARIF(t, r, sarif.Options{}))
	if len(run.Results) != 5000 {
		t.Errorf("there are %d results", len(run.Results))
	}
	notes := run.Invocations[0].ToolExecutionNotifications
	if want := "1,003 more components not listed"; len(notes) != 1 || !strings.HasPrefix(*notes[0].Message.Text, want) {
		t.Errorf("the notifications are %+v, want %q", notes, want)
	}
}

// A fingerprint stays when a function moves in its file, and changes with its body.
func TestSARIFFingerprints(t *testing.T) {
	fingerprint := func(change func(*record.Component)) string {
		r := recordtest.Park()
		change(&r.Components[0])
		return validSARIF(t, writeSARIF(t, r, sarif.Options{})).Results[0].PartialFingerprints["spellComponent/v1"]
	}
	was := fingerprint(func(*record.Component) {})
	if moved := fingerprint(func(c *record.Component) { c.Line += 100; c.File = "other.go" }); moved != was || was == "" {
		t.Errorf("the fingerprint of a moved function is %q, was %q", moved, was)
	}
	if edited := fingerprint(func(c *record.Component) { c.Hash = "fedcba9876543210" }); edited == was {
		t.Error("the fingerprint does not change with the body")
	}
	if renamed := fingerprint(func(c *record.Component) { c.ID += "2" }); renamed == was {
		t.Error("the fingerprint does not change with the name")
	}
}

func TestSARIFBaselineState(t *testing.T) {
	r := recordtest.Park()
	c := &comparison.Comparison{ComponentDomains: []spell.Domain{spell.CPU}, Components: []comparison.Component{
		{ID: r.Components[0].ID, BaseZone: spell.Red, Change: changed(comparison.Unchanged)},
		{ID: r.Components[1].ID, BaseZone: spell.Yellow, Change: changed(comparison.Worse)},
		{ID: r.Components[2].ID, BaseZone: spell.Green, Change: changed(comparison.Worse)},
	}}
	states := func() string {
		var got []string
		for _, res := range validSARIF(t, writeSARIF(t, r, sarif.Options{Comparison: c})).Results {
			got = append(got, *res.BaselineState)
		}
		return strings.Join(got, " ")
	}
	if got := states(); got != "unchanged updated new" {
		t.Errorf("the states are %s", got)
	}
	c.Components = c.Components[:1]
	c.Components[0].BaseZone = spell.Yellow
	if got := states(); got != "updated new new" {
		t.Errorf("the states are %s", got)
	}
}

func changed(v comparison.Verdict) comparison.Change {
	return comparison.Change{EnergyJ: comparison.Quantity{Verdict: v}}
}

// Other tools' matrices may have absolute paths; a name in a message is no link and no
// placeholder.
func TestSARIFPlacesAndNames(t *testing.T) {
	r := recordtest.Park()
	r.Components[0].File = "/src/a b.py"
	r.Components[0].ID = "f[x](http://example.com){0}"
	first := validSARIF(t, writeSARIF(t, r, sarif.Options{})).Results[0]
	if at := first.Locations[0].PhysicalLocation.ArtifactLocation; *at.URI != "file:///src/a%20b.py" || at.URIBaseID != nil {
		t.Errorf("the place is %v", *at.URI)
	}
	if want := "f[x] (http://example.com){{0}}: #1 psi 0.1099, 1.80 J. "; !strings.HasPrefix(*first.Message.Text, want) {
		t.Errorf("the message is %q, want it to begin with %q", *first.Message.Text, want)
	}
}
