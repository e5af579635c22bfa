// Package real lists energy leaks of public Go modules that their authors found and
// repaired. The version before a repair has the leak, the one after it is the same program
// without, and the functions that the repair changed say where the leak is: a truth that
// nobody made up for a benchmark. Such pairs are how Defects4J (Just, Jalali and Ernst, ISSTA
// 2014) and BugSwarm collect faults.
//
// The tests of a module seldom show its leaks, or somebody would have found them earlier. So
// each module gets a small workload, a test file of ours that calls its public API: one
// test does what the authors were told is slow, the others do what the module is mostly
// used for.
package real

import (
	"embed"
	"path"
	"slices"
)

// A Repair is a leak that was repaired.
type Repair struct {
	Module        string // path
	Before, After string // neighbouring releases, with and without the leak
	Kind          string // as package seeding names it, or another one
	// Package is the folder of the package whose tests are executed, relative to the module.
	Package string
	// Functions are the component IDs in version Before that the repair changed, and that
	// spend too much in the workload. Others that were changed too, for the same reason,
	// are left out where the workload makes little use of them.
	Functions []string
	Change    string // URL of the repair: a commit, or the issue that has it
	Reason    string // why it is a leak: what is done without need, and how it grows
	// Workload is the name of the test file in testdata.
	Workload string
	// Mod is the go.mod of modules that have none; "" = the module has one.
	Mod string
}

// Run selects the tests of the workload, as go test -run does. The module's own tests are
// left out: some wait for a network, others take minutes.
const Run = "^TestWorkload"

//go:embed testdata
var workloads embed.FS

// Files are the contents of the files to be added to a copy of either version, by their
// path relative to the module.
func (r Repair) Files() map[string]string {
	text, err := workloads.ReadFile("testdata/" + r.Workload)
	if err != nil {
		panic(err) // a test holds that all are there
	}
	files := map[string]string{path.Join(r.Package, "spell_lsp_workload_test.go"): string(text)}
	if r.Mod != "" {
		files["go.mod"] = r.Mod
	}
	return files
}

// Repairs lists all repairs, by module.
func Repairs() []Repair { return slices.Clone(repairs) }
