package architecture

import (
	"os/exec"
	"slices"
	"strings"
	"sync"
	"testing"
)

// Imports run one way: instrument -> runner -> spell -> lsp as data flows, and
// none against it. Each rule says which packages must not reach which others,
// at any distance, and why.
func TestImportsRunOneWay(t *testing.T) {
	const protocol = "go.lsp.dev/"
	for _, rule := range []struct{ from, never, why string }{
		{"spell-lsp/spell/...", "spell-lsp/instrument", "a record can be read where nothing can be measured"},
		{"spell-lsp/spell/...", "spell-lsp/runner", "a record can be read where nothing can be measured"},
		{"spell-lsp/spell/...", "spell-lsp/lsp", "results do not know who shows them"},
		{"spell-lsp/spell/...", "go.uber.org/zap", "libraries return, they do not log"},
		{"spell-lsp/spell/record/ranking", "spell-lsp/spell/record/recordjson", "a ranking does not know how the run was written"},
		{"spell-lsp/spell/record/calltree", "spell-lsp/spell/record/ranking", "who called whom does not depend on the ranking"},
		{"spell-lsp/spell/record/validity", "spell-lsp/spell/record/recordjson", "a run can be checked without its JSON form"},
		{"spell-lsp/spell/comparison", "spell-lsp/spell/page", "what became of a run does not depend on how it is shown: comparison/rendering shows it"},
		{"spell-lsp/spell/wording", "spell-lsp/spell/record", "texts are made of facts alone"},
		{"spell-lsp/spell/explanation", "spell-lsp/spell/wording", "what makes a rank is found out without its text"},
		{"spell-lsp/spell/input", "spell-lsp/spell/store", "a file is read by its own name: who looks up saved runs decides which it is"},
		{"spell-lsp/spell/store/trend", "spell-lsp/spell/record/recordjson", "a trend is picked from what the store lists, no run is read for it"},
		{"spell-lsp/spell/sectionfile", "spell-lsp/", "sections hold bytes: it does not know what of"},
		{"spell-lsp/instrument/...", "spell-lsp/runner", "instrumenting does not know how the program will be run"},
		{"spell-lsp/instrument/rewrite", "spell-lsp/instrument", "source text in, source text out: what is known of packages is given to it"},
		{"spell-lsp/instrument/overlay", "spell-lsp/instrument", "an overlay is files for files, whatever is in them"},
		{"spell-lsp/instrument/gocmd", "spell-lsp/instrument", "the go command is asked alike for whatever purpose"},
		{"spell-lsp/instrument/goroot", "spell-lsp/instrument/gocmd", "the release is given to it by folder and version"},
		{"spell-lsp/instrument/cache", "spell-lsp/instrument/rewrite", "what is kept is not made here"},
		{"spell-lsp/instrument/...", "spell-lsp/lsp", "instrumenting does not know who asked"},
		{"spell-lsp/instrument/...", "go.uber.org/zap", "libraries return, they do not log"},
		{"spell-lsp/runner/attribution", "spell-lsp/runner/meter", "sharing energy is pure: what was read comes as plain data"},
		{"spell-lsp/runner/attribution", "spell-lsp/runner/sampler", "sharing energy is pure: what was read comes as plain data"},
		{"spell-lsp/runner/attribution", "spell-lsp/runner/children", "sharing energy is pure: what was read comes as plain data"},
		{"spell-lsp/runner/attribution", "os/exec", "sharing energy is pure: it starts nothing"},
		{"spell-lsp/runner/scratch", "spell-lsp/instrument", "the scratch folder does not know what is kept in it"},
		{"spell-lsp/runner/scratch", "spell-lsp/runner", "the scratch folder does not know what is kept in it"},
		{"spell-lsp/runner/...", "spell-lsp/lsp", "the server is given a function to measure with"},
		{"spell-lsp/runner/...", "spell-lsp/instrument/analyzers", "the analysers' packages are slow to start, and every measurement starts processes"},
		{"spell-lsp/runner/...", "go.uber.org/zap", "libraries return, they do not log"},
		{"spell-lsp/lsp/...", "spell-lsp/runner", "the server is given a function to measure with"},
		{"spell-lsp/lsp/...", "spell-lsp/instrument", "the server is given a function to measure with"},
		{"spell-lsp/lsp/view", "go.uber.org/zap", "what a file shows is computed, not logged"},
		{"spell-lsp/lsp/render", "go.uber.org/zap", "text is made, not logged"},
		{"spell-lsp/lsp/wire", "spell-lsp/spell/record", "the connection carries messages, whatever they are about"},
		{"spell-lsp/lsp/outline", "spell-lsp/spell/record", "what a text declares does not depend on what was measured"},
		{"spell-lsp/lsp/watch", "spell-lsp/spell/record", "who watches files does not know what they are to anybody"},
		{"spell-lsp/lsp/config", "spell-lsp/spell/record", "settings do not depend on what was measured"},
		{"spell-lsp/spell/...", protocol, "only package lsp knows the protocol"},
		{"spell-lsp/instrument/...", protocol, "only package lsp knows the protocol"},
		{"spell-lsp/runner/...", protocol, "only package lsp knows the protocol"},
		{"spell-lsp/cmd/...", "spell-lsp/internal", "benches, simulators, fake editors and fixtures are no part of the product"},
	} {
		root, all := strings.CutSuffix(rule.from, "/...")
		inside := func(pkg string) bool { return pkg == root || all && under(pkg, root) }
		for dep, from := range reached(t, inside) {
			if !inside(dep) && under(dep, rule.never) {
				t.Errorf("%s reaches %s, by way of %s: %s", rule.from, dep, from, rule.why)
			}
		}
	}
}

// These packages do without any other, of this module or another: the analysis and its
// facts stand on their own, and the probe is built into every program.
func TestPackagesThatNeedTheStandardLibraryOnly(t *testing.T) {
	for _, pkg := range []string{"spell-lsp/spell", "spell-lsp/spell/note", "spell-lsp/spell/units", "spell-lsp/spell/budget", "spell-lsp/instrument/probe"} {
		for dep := range reached(t, func(p string) bool { return p == pkg }) {
			if first, _, _ := strings.Cut(dep, "/"); dep != pkg && strings.ContainsAny(first, ".-") {
				t.Errorf("%s reaches %s", pkg, dep)
			}
		}
	}
}

// Pure packages compute: what they know is passed to them, so that the same input gives
// the same result.
func TestPurePackages(t *testing.T) {
	for pkg, why := range map[string]string{
		"spell-lsp/instrument/rewrite": "what is inserted depends on the source alone",
		"spell-lsp/runner/attribution": "recorded measurements are replayed through it",
		"spell-lsp/spell/alternatives": "simulated rounds are compared by it",
		"spell-lsp/spell/bisection":    "simulated and recorded rounds are replayed through it",
	} {
		for _, dep := range packages(t)[pkg] {
			if slices.Contains([]string{"context", "io", "io/fs", "math/rand/v2", "net", "os", "os/exec", "sync", "syscall", "time"}, dep) {
				t.Errorf("%s imports %s: it has no clock, no files and no goroutines, as %s", pkg, dep, why)
			}
		}
	}
}

// The protocol is imported directly by package lsp and what tests and times it alone.
func TestOnlyLSPImportsTheProtocol(t *testing.T) {
	for pkg, imports := range packages(t) {
		if !under(pkg, "spell-lsp") || under(pkg, "spell-lsp/lsp") || under(pkg, "spell-lsp/internal") {
			continue
		}
		if slices.ContainsFunc(imports, func(dep string) bool { return under(dep, "go.lsp.dev") }) {
			t.Errorf("%s imports the protocol: conversions belong to package lsp", pkg)
		}
	}
}

// A program is started by the packages whose business it is, so that nothing else can
// start one that somebody else chose.
func TestFewPackagesStartPrograms(t *testing.T) {
	allowed := map[string]string{
		"spell-lsp/instrument":               "the go command",
		"spell-lsp/instrument/gocmd":         "the go command, which the other rooms of instrument ask by way of it",
		"spell-lsp/runner/childbuild":        "the go command, in the place of which a test started it",
		"spell-lsp/runner/execution":         "the go command and the test programs",
		"spell-lsp/runner/git":               "git, without what a repository could have it start",
		"spell-lsp/runner/remote/slurm":      "the cluster's own commands: sbatch, squeue, scancel",
		"spell-lsp/runner/remote/ssh":        "the user's ssh",
		"spell-lsp/runner/remote/supervisor": "this program, as the worker",
		"spell-lsp/runner/sampler":           "this program or its privileged copy, as the sampler",
		"spell-lsp/instrument/gobuild":       "the go command, as its user called it",
	}
	for pkg := range reached(t, func(p string) bool { return p == "spell-lsp/cmd/spell-lsp" }) {
		if allowed[pkg] == "" && under(pkg, "spell-lsp") && slices.Contains(packages(t)[pkg], "os/exec") {
			t.Errorf("%s starts programs: only these packages do: %v", pkg, allowed)
		}
	}
}

// listed are the imports of the packages of this module and of all that they reach, as
// they are built for this system.
var listed = sync.OnceValues(func() (map[string][]string, error) {
	cmd := exec.Command("go", "list", "-deps", "-f", `{{.ImportPath}} {{join .Imports " "}}`, "./...")
	cmd.Dir = moduleDir
	out, err := cmd.Output()
	if err != nil {
		return nil, err
	}
	imports := make(map[string][]string)
	for line := range strings.Lines(string(out)) {
		list := strings.Fields(line)
		imports[list[0]] = list[1:]
	}
	return imports, nil
})

func packages(t *testing.T) map[string][]string {
	t.Helper()
	imports, err := listed()
	if err != nil {
		t.Fatalf("go list: %v", err)
	}
	return imports
}

// reached are the packages that start accepts and all that these import, at any
// distance, each with a package that imports it.
func reached(t *testing.T, start func(pkg string) bool) map[string]string {
	t.Helper()
	imports, from := packages(t), make(map[string]string)
	var queue []string
	for pkg := range imports {
		if start(pkg) {
			from[pkg] = pkg
			queue = append(queue, pkg)
		}
	}
	if len(queue) == 0 {
		t.Error("a rule is about no package: it proves nothing")
	}
	for len(queue) > 0 {
		pkg := queue[0]
		queue = queue[1:]
		for _, dep := range imports[pkg] {
			if from[dep] == "" {
				from[dep] = pkg
				queue = append(queue, dep)
			}
		}
	}
	return from
}
