package lsp_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"spell-lsp/internal/lsptest"
	"spell-lsp/spell/record"
)

// show writes diagnostics, each with the text in its range.
func show(text string, list []lsptest.Diagnostic) []string {
	var lines []string
	for _, d := range list {
		message, _, _ := strings.Cut(d.Message, ":")
		lines = append(lines, fmt.Sprintf("%s %d %s", d.Range.Of(text), d.Severity, message))
	}
	return lines
}

// After a measurement every function that ran has a diagnostic at its name, with the severity of
// its zone, also in files that are not open.
func TestDiagnostics(t *testing.T) {
	e, _, parkGo := openPark(t, newLab(parkCosts))
	measure(t, e)
	want := []string{
		"Add 1 #1 psi 0.6328, 600 mJ estimated",
		"sortÄ 2 #2 psi 0.3662, 500 mJ estimated",
		"oldest 4 #4 psi <.0001, 10.0 mJ estimated",
	}
	got := e.Diagnostics(parkGo)
	if diff := cmp.Diff(want, show(e.Text(parkGo), got)); diff != "" {
		t.Errorf("park.go (-want +got):\n%s", diff)
	}
	for _, d := range got {
		if d.Source != "spell" || d.Code != "energy-leak" || !strings.HasPrefix(d.CodeDescription.Href, "https://") {
			t.Errorf("source %q, code %q, link %q", d.Source, d.Code, d.CodeDescription.Href)
		}
		if _, explanation, _ := strings.Cut(d.Message, ": "); len(explanation) < 20 {
			t.Errorf("no category is named: %q", d.Message)
		}
	}
	carGo := filepath.Join(filepath.Dir(parkGo), "car.go")
	want = []string{
		"func 4 #3 psi 0.0011, 40.0 mJ estimated", "init 4 #6 psi <.0001, 1.00 mJ estimated", "init 4 #5 psi <.0001, 2.00 mJ estimated",
	}
	text, err := os.ReadFile(carGo)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, show(string(text), e.Diagnostics(carGo))); diff != "" {
		t.Errorf("car.go (-want +got):\n%s", diff)
	}
}

// If the energy is unknown, no joules are shown. Energy from a counter is not called an estimate.
func TestEnergySource(t *testing.T) {
	for source, want := range map[record.Source]string{
		record.Measured: "600 mJ: ", record.Estimated: "600 mJ estimated: ", record.NoEnergy: "energy unknown: ",
	} {
		l := newLab(parkCosts)
		l.source = source
		e, _, parkGo := openPark(t, l)
		measure(t, e)
		if got := e.Diagnostics(parkGo)[0].Message; !strings.Contains(got, want) {
			t.Errorf("%s: %q, must contain %q", source, got, want)
		}
		if title := e.Lenses(parkGo)[0].Command.Title; strings.Contains(title, "J") == (source == record.NoEnergy) {
			t.Errorf("%s: lens %q", source, title)
		}
		if hover := e.Hover(parkGo, "Add(c").Contents.Value; strings.Contains(hover, "estimated") != (source == record.Estimated) {
			t.Errorf("%s: hover %q", source, hover)
		}
	}
}

// Every function that ran has a lens with its figures in one line. The command of the lens must
// be one of the server's, or a click would be an error.
func TestLenses(t *testing.T) {
	e, _, parkGo := openPark(t, newLab(parkCosts))
	if got := e.Lenses(parkGo); len(got) != 0 {
		t.Errorf("lenses before the measurement: %v", got)
	}
	measure(t, e)
	lenses := e.Lenses(parkGo)
	if len(lenses) != 3 {
		t.Fatalf("%d lenses, must be 3: %v", len(lenses), lenses)
	}
	want := "RED #1 · psi 0.6328 · E 52.0 % N 49.5 % T 49.9 % · 600 mJ estimated · 1.00 mJ estimated a call"
	if got := lenses[0].Command.Title; got != want {
		t.Errorf("lens %q, must be %q", got, want)
	}
	if got := lenses[1].Range.Of(e.Text(parkGo)); got != "sortÄ" {
		t.Errorf("the second lens is at %q", got)
	}
	if _, err := e.Click(lenses[0]).Wait(); err != nil {
		t.Errorf("a click on a lens: %v", err)
	}
}

// The lens above a test measures that test, and no other.
func TestTestLens(t *testing.T) {
	l := newLab(parkCosts)
	e, _, parkGo := openPark(t, l)
	testGo := filepath.Join(filepath.Dir(parkGo), "park_test.go")
	e.Open(testGo)
	lenses := e.Lenses(testGo)
	if len(lenses) != 2 || lenses[0].Range.Of(e.Text(testGo)) != "TestPark" || lenses[1].Range.Of(e.Text(testGo)) != "BenchmarkPark" {
		t.Fatalf("lenses of the tests: %v", lenses)
	}
	if title := lenses[0].Command.Title; title != "measure energy" {
		t.Errorf("title %q", title)
	}
	e.Edit(testGo, "func helper(", "func TestHelper(")
	if more := e.Lenses(testGo); len(more) != 3 {
		t.Errorf("after an edit there are %d lenses", len(more))
	}
	if _, err := e.Click(lenses[0]).Wait(); err != nil {
		t.Fatal(err)
	}
	r := <-l.requests
	if r.Run != "^TestPark$" || r.Patterns[0] != "." || r.Dir != filepath.Dir(testGo) {
		t.Errorf("the request is for %q of %q in %s", r.Run, r.Patterns, r.Dir)
	}
}

// The hover has all figures of a function, in Markdown that shows names unchanged.
func TestHover(t *testing.T) {
	e, _, parkGo := openPark(t, newLab(parkCosts))
	measure(t, e)
	h := e.Hover(parkGo, "Add(c")
	if h == nil || h.Contents.Kind != "markdown" || h.Range.Of(e.Text(parkGo)) != "Add" {
		t.Fatalf("hover %+v", h)
	}
	for _, want := range []string{
		"`example.com/park.(*Park).Add`: #1 of 6, red. 52.0 % of the energy, 600 mJ estimated, 600 calls.",
		"| self | 600 mJ estimated | 60.0 ms |",
		"| with callees | 600 mJ estimated | 60.0 ms |",
		"psi 0.6328, E 52.0 % N 49.5 % T 49.9 %, 1.00 mJ estimated a call, psi 0.1000 to 0.2000 (95 %)",
		"| test | energy | calls | time |\n| :-- | --: | --: | --: |\n| `example.com/park.TestPark` | 600 mJ estimated | 600 | 60.0 ms |",
		"Meter model, estimated; mean of 3 rounds, measured 2026-11-10 18:00 UTC",
	} {
		if !strings.Contains(h.Contents.Value, want) {
			t.Errorf("the hover has no %q:\n%s", want, h.Contents.Value)
		}
	}
	for _, place := range []string{"never()", "type Park", "p.cars = "} {
		if h := e.Hover(parkGo, place); h != nil {
			t.Errorf("hover at %q: %v", place, h.Contents.Value)
		}
	}
}

// A client without any announced capability gets no Markdown, and no requests.
func TestMinimalClient(t *testing.T) {
	e, s, parkGo := openPark(t, newLab(parkCosts), func(e *lsptest.Editor) { e.Capabilities = map[string]any{} })
	measure(t, e)
	h := e.Hover(parkGo, "Add(c")
	if h.Contents.Kind != "plaintext" || strings.ContainsAny(h.Contents.Value, "`|\\") || strings.Contains(h.Contents.Value, "**") {
		t.Errorf("hover of kind %s:\n%s", h.Contents.Kind, h.Contents.Value)
	}
	want := "test                                 energy  calls     time\n" +
		"example.com/park.TestPark  600 mJ estimated    600  60.0 ms\n"
	if !strings.Contains(h.Contents.Value, want) {
		t.Errorf("the columns do not line up:\n%s", h.Contents.Value)
	}
	for _, method := range []string{
		"window/workDoneProgress/create", "client/registerCapability", "workspace/codeLens/refresh", "workspace/configuration", "$/progress",
	} {
		if sent := e.Messages(method); len(sent) > 0 {
			t.Errorf("the server sent %s", method)
		}
	}
	e.Quit()
	if err := s.wait(); err != nil {
		t.Errorf("Serve: %v", err)
	}
}

// Some clients announce capabilities that they do not have. Their answer "method not found" is
// no error for the user, and the server does not call the method again.
func TestClientWithoutAnnouncedMethods(t *testing.T) {
	e, _, parkGo := openPark(t, newLab(parkCosts), func(e *lsptest.Editor) {
		for _, method := range []string{
			"window/workDoneProgress/create", "client/registerCapability", "workspace/codeLens/refresh", "workspace/configuration",
		} {
			e.Answer(method, nil)
		}
	})
	measure(t, e)
	e.AwaitMessage("workspace/codeLens/refresh", 1)
	e.Notify("workspace/didChangeConfiguration", map[string]any{"settings": nil})
	measure(t, e)
	if got := len(e.Diagnostics(parkGo)); got != 3 {
		t.Errorf("%d diagnostics", got)
	}
	if sent := e.Messages("window/workDoneProgress/create"); len(sent) != 1 {
		t.Errorf("progress was created %d times", len(sent))
	}
}

// After clear no diagnostic, lens or hover is left.
func TestClear(t *testing.T) {
	e, _, parkGo := openPark(t, newLab(parkCosts))
	measure(t, e)
	if _, err := e.Execute("spell-lsp.clear", map[string]any{}).Wait(); err != nil {
		t.Fatal(err)
	}
	if got := e.Diagnostics(parkGo); got == nil || len(got) > 0 {
		t.Errorf("diagnostics after clear: %v", got)
	}
	if got := e.Diagnostics(filepath.Join(filepath.Dir(parkGo), "car.go")); got == nil || len(got) > 0 {
		t.Errorf("diagnostics of a file that is not open after clear: %v", got)
	}
	if got := e.Lenses(parkGo); len(got) > 0 {
		t.Errorf("lenses after clear: %v", got)
	}
	if got := e.Hover(parkGo, "Add(c"); got != nil {
		t.Errorf("hover after clear: %v", got)
	}
}
