package lsp_test

import (
	"errors"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"spell-lsp/internal/lsptest"
	"spell-lsp/lsp"
	"spell-lsp/spell/record"
	"spell-lsp/spell/settings"
)

// usersMachines are the machines of a user's file.
func usersMachines() (settings.Machines, error) {
	return settings.Machines{File: "/home/me/machines.yaml", Of: map[string]string{"rack": "rack2", "lab": "me@lab.example.org"}}, nil
}

// machinesOf is the reply to the command machines.
func machinesOf(t *testing.T, e *lsptest.Editor) string {
	t.Helper()
	raw, err := e.Execute("spell-lsp.machines", map[string]any{}).Wait()
	if err != nil {
		t.Fatal(err)
	}
	return string(raw)
}

// Why: an editor lets the user choose a machine, and shows which one is chosen. Both must be what the next
// measurement does, also after the settings of a running server have changed.
func TestMachines(t *testing.T) {
	l := newLab(parkCosts)
	dir := module(t, map[string]string{"park.go": park["park.go"], "car.go": park["car.go"]})
	e, _ := serve(t, lsp.Options{Measure: l.measure, Machines: usersMachines})
	e.Folders = []string{dir}
	e.Start()
	const list = `{"file":"/home/me/machines.yaml","machines":[{"name":"lab","host":"me@lab.example.org"},{"name":"rack","host":"rack2"}],"chosen":[`
	expect := func(when, chosen, measuredOn string, argument map[string]any) {
		t.Helper()
		if diff := cmp.Diff(list+chosen+"]}", machinesOf(t, e)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", when, diff)
		}
		argument["scope"] = "workspace"
		if _, err := e.Execute("spell-lsp.measure", argument).Wait(); err != nil {
			t.Fatal(err)
		}
		if got := (<-l.requests).Settings.Machine; got != measuredOn {
			t.Errorf("%s: measured on %q, want %q", when, got, measuredOn)
		}
	}
	expect("nothing is set", ``, "", map[string]any{})
	expect("a call names one", ``, "rack", map[string]any{"machine": "rack"})
	expect("the next call names none", ``, "", map[string]any{"machine": nil})
	e.Configure(map[string]any{"machine": "lab"})
	e.Notify("workspace/didChangeConfiguration", map[string]any{"settings": nil})
	expect("the setting has changed", `"lab"`, "lab", map[string]any{})
	expect("a call wants it here", `"lab"`, "", map[string]any{"machine": ""})
	replace(t, filepath.Join(dir, ".spell-lsp.yaml"), "machine: rack\n")
	e.Configure(nil)
	e.Notify("workspace/didChangeConfiguration", map[string]any{"settings": nil})
	expect("the file of the folder names one", `"rack"`, "rack", map[string]any{})
	if _, err := e.Execute("spell-lsp.machines", map[string]any{"uri": ""}).Wait(); err == nil || !strings.Contains(err.Message, "the command takes no fields") {
		t.Errorf("an unknown field: %v", err)
	}
	if _, err := e.Execute("spell-lsp.measure", map[string]any{"scope": "workspace", "machine": 1}).Wait(); err == nil || !strings.Contains(err.Message, `field "machine" must be text`) {
		t.Errorf("a number: %v", err)
	}
}

// Why: who cannot trust a workspace must not see it choose a machine, as its setting is not read.
func TestMachinesWithoutTrust(t *testing.T) {
	dir := module(t, map[string]string{".spell-lsp.yaml": "machine: lab\n"})
	e, _ := serve(t, lsp.Options{Machines: usersMachines})
	e.Folders, e.Options = []string{dir}, map[string]any{"trusted": false}
	e.Start()
	if got := machinesOf(t, e); !strings.HasSuffix(got, `"chosen":[]}`) {
		t.Error(got)
	}
	if _, err := e.Execute("spell-lsp.measure", map[string]any{"scope": "workspace", "machine": "lab"}).Wait(); err == nil || !strings.Contains(err.Message, "not trusted") {
		t.Errorf("measuring: %v", err)
	}
}

// Why: a mistake in the user's file must be seen where the user chooses, and what is chosen all the same.
func TestMachinesOfABadFile(t *testing.T) {
	dir := module(t, map[string]string{".spell-lsp.yaml": "machine: lab\n"})
	e, _ := serve(t, lsp.Options{Machines: func() (settings.Machines, error) {
		return settings.Machines{File: "/home/me/machines.yaml"}, errors.New("machines.yaml:1:6: is no host")
	}})
	e.Folders = []string{dir}
	e.Start()
	const want = `{"file":"/home/me/machines.yaml","machines":[],"chosen":["lab"],"problem":"machines.yaml:1:6: is no host"}`
	if diff := cmp.Diff(want, machinesOf(t, e)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	e, _ = serve(t, lsp.Options{Machines: func() (settings.Machines, error) { return settings.Machines{}, errors.New("$HOME is not defined") }})
	e.Start()
	if _, err := e.Execute("spell-lsp.machines", map[string]any{}).Wait(); err == nil || !strings.Contains(err.Message, "$HOME is not defined") {
		t.Errorf("nobody knows where the file is: %v", err)
	}
	e, _ = serve(t, lsp.Options{})
	e.Start()
	if got, want := machinesOf(t, e), `{"file":"","machines":[],"chosen":[]}`; got != want {
		t.Errorf("a server without machines: %s, want %s", got, want)
	}
}

// Why: figures of another machine must not pass for those of this one.
func TestHoverNamesTheMachine(t *testing.T) {
	l := newLab(parkCosts)
	l.alter = func(r *record.Run) { r.Settings = map[string]any{"machine": "lab"} }
	e, _, parkGo := openPark(t, l)
	measure(t, e)
	if got := e.Hover(parkGo, "Add").Contents.Value; !strings.Contains(got, "Meter model, estimated; mean of 3 rounds on lab, measured 2026") {
		t.Errorf("the hover is\n%s", got)
	}
	raw, err := e.Execute("spell-lsp.ranking", map[string]any{"top": 1}).Wait()
	if err != nil {
		t.Fatal(err)
	}
	if got := into[[]struct{ Meter string }](t, raw)[0].Meter; got != "model on lab" {
		t.Errorf("the meter of the ranking is %q", got)
	}
}
