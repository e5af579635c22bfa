package main

import (
	"os/exec"
	"slices"
	"strings"
	"testing"
)

// Imports run one way: instrument -> runner -> spell -> lsp as data flows, and
// none against it. Each rule says which packages must not reach which others,
// at any distance, and why.
func TestImportsRunOneWay(t *testing.T) {
	const protocol = "go.lsp.dev/"
	for _, rule := range []struct{ from, never, why string }{
		{"spell-lsp/spell", "spell-lsp/", "the analysis is pure: it knows nothing of files, meters or editors"},
		{"spell-lsp/spell/...", "spell-lsp/instrument", "a record can be read where nothing can be measured"},
		{"spell-lsp/spell/...", "spell-lsp/runner", "a record can be read where nothing can be measured"},
		{"spell-lsp/spell/...", "spell-lsp/lsp", "results do not know who shows them"},
		{"spell-lsp/spell/...", "go.uber.org/zap", "libraries return, they do not log"},
		{"spell-lsp/instrument/...", "spell-lsp/runner", "instrumenting does not know how the program will be run"},
		{"spell-lsp/instrument/...", "spell-lsp/lsp", "instrumenting does not know who asked"},
		{"spell-lsp/instrument/...", "go.uber.org/zap", "libraries return, they do not log"},
		{"spell-lsp/runner/...", "spell-lsp/lsp", "the server is given a function to measure with"},
		{"spell-lsp/runner/...", "go.uber.org/zap", "libraries return, they do not log"},
		{"spell-lsp/lsp", "spell-lsp/runner", "the server is given a function to measure with"},
		{"spell-lsp/lsp", "spell-lsp/instrument", "the server is given a function to measure with"},
		{"spell-lsp/spell/...", protocol, "only package lsp knows the protocol"},
		{"spell-lsp/instrument/...", protocol, "only package lsp knows the protocol"},
		{"spell-lsp/runner/...", protocol, "only package lsp knows the protocol"},
		{"spell-lsp/cmd/...", "spell-lsp/internal", "benches, simulators, fake editors and fixtures are no part of the product"},
	} {
		for _, dep := range goList(t, "-deps", rule.from) {
			inside := strings.HasPrefix(dep, strings.TrimSuffix(rule.from, "...")) || dep == strings.TrimSuffix(rule.from, "/...")
			if !inside && under(dep, rule.never) {
				t.Errorf("%s reaches %s: %s", rule.from, dep, rule.why)
			}
		}
	}
}

// Two packages do without any module but this one: spell, so that the analysis
// stands on its own, and the probe, because it is built into every program.
func TestPackagesThatNeedTheStandardLibraryOnly(t *testing.T) {
	for _, pkg := range []string{"spell-lsp/spell", "spell-lsp/instrument/probe"} {
		for _, dep := range goList(t, "-deps", pkg) {
			if first, _, _ := strings.Cut(dep, "/"); dep != pkg && strings.ContainsAny(first, ".-") {
				t.Errorf("%s reaches %s", pkg, dep)
			}
		}
	}
}

// The protocol is imported directly by package lsp and what tests and times it alone.
func TestOnlyLSPImportsTheProtocol(t *testing.T) {
	for _, line := range goList(t, "-f", `{{.ImportPath}} {{join .Imports " "}}`, "spell-lsp/...") {
		pkg, imports, _ := strings.Cut(line, " ")
		if strings.Contains(imports, "go.lsp.dev/") && !under(pkg, "spell-lsp/lsp") && !under(pkg, "spell-lsp/internal") {
			t.Errorf("%s imports the protocol: conversions belong to package lsp", pkg)
		}
	}
}

// A program is started by the packages whose business it is, so that nothing else can
// start one that somebody else chose.
func TestFewPackagesStartPrograms(t *testing.T) {
	allowed := map[string]string{
		"spell-lsp/instrument":     "the go command",
		"spell-lsp/runner":         "the go command and the test programs",
		"spell-lsp/runner/git":     "git, without what a repository could have it start",
		"spell-lsp/runner/sampler": "this program or its privileged copy, as the sampler",
	}
	for _, line := range goList(t, "-deps", "-f", `{{.ImportPath}} {{join .Imports " "}}`, ".") {
		pkg, imports, _ := strings.Cut(line, " ")
		if _, ok := allowed[pkg]; under(pkg, "spell-lsp") && !ok && slices.Contains(strings.Fields(imports), "os/exec") {
			t.Errorf("%s starts programs: only these packages do: %v", pkg, allowed)
		}
	}
}

func under(pkg, root string) bool {
	return pkg == root || strings.HasPrefix(pkg, strings.TrimSuffix(root, "/")+"/")
}

func goList(t *testing.T, args ...string) []string {
	t.Helper()
	out, err := exec.CommandContext(t.Context(), "go", append([]string{"list"}, args...)...).Output()
	if err != nil {
		t.Fatalf("go list %s: %v", strings.Join(args, " "), err)
	}
	return strings.Split(strings.TrimSpace(string(out)), "\n")
}
