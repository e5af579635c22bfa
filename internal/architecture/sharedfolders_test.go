package architecture

import "testing"

// byName are the functions of package os that make, move or remove what a name
// stands for at the moment. In a folder that others can write that may be something
// else than what was looked at: there a file is made and removed through an os.Root.
var byName = []string{"CreateTemp", "MkdirTemp", "Remove", "RemoveAll", "Rename", "TempDir"}

// mayUseNames are the files that use them all the same.
var mayUseNames = map[string]string{
	"instrument/cache/cache.go":          "openStore takes no folder that others can write",
	"instrument/gocmd/toolchain.go":      "the link is in the folder of openStore, or in the scratch folder",
	"instrument/probe/nameless.go":       "opens the folder as an os.Root",
	"instrument/probe/nameless_linux.go": "the file never has a name",
	"lsp/report.go":                      "ownership.Make takes no folder that others can write",
	"runner/socket/socket.go":            "ownership.Make takes no folder that others can write",
	"spell/atomicfile/atomicfile.go":     "the user names the file that is written, or the caller's folder is its own",
	"spell/atomicfile/target.go":         "the user names the file that is written",
	"spell/atomicfile/unfinished.go":     "the user names the file that is written, or the caller's folder is its own",
	"runner/calmkept.go":                 "ownership.Make takes no folder that others can write",
	"runner/bisect/kept.go":              "ownership.Make takes no folder that others can write",
	"runner/fitness/steady/state.go":     "only root can write /run",
	"runner/execution/profile.go":        "the file is in the scratch folder",
	"runner/execution/profiled.go":       "the files are in the scratch folder",
	"runner/remote/slurm/array.go":       "ownership.Make takes no folder that others can write",
	"runner/remote/slurm/site.go":        "ownership.Make takes no folder that others can write",
	"runner/scratch/place.go":            "opens the folder as an os.Root",
	"spell/store/baseline.go":            "a store that others can change is used with --force only",
	"spell/store/save.go":                "a store that others can change is used with --force only",
	"spell/store/write.go":               "a store that others can change is used with --force only",
}

// Another user could flip a link between the moment when a folder is looked at and
// the one when what is in it is removed, and so have his neighbour's files removed.
func TestNothingIsRemovedByNameInSharedFolders(t *testing.T) {
	boundary{
		reserved: map[string][]string{"os": byName},
		instead:  "use an os.Root, or say in mayUseNames why nobody else can write the folder",
		allowed:  mayUseNames,
	}.check(t)
}
