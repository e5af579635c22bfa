package architecture

import "testing"

// readers are the functions that read a file whatever it is, and to whatever end.
var readers = map[string][]string{
	"os":                    {"Open", "OpenFile", "OpenInRoot", "OpenRoot", "ReadFile", "DirFS", "CopyFS"},
	"io":                    {"ReadAll"},
	"io/fs":                 {"ReadFile"},
	"io/ioutil":             {"ReadAll", "ReadFile"},
	"syscall":               {"Open"},
	"golang.org/x/sys/unix": {"Open", "Openat"},
	"debug/elf":             {"Open"},
	"debug/buildinfo":       {"ReadFile"},
	"archive/zip":           {"OpenReader"},
}

// trusted are the uses that need no regularfile, each with its reason.
var trusted = map[string]string{
	"instrument/prepare.go os.DirFS":                 "lists names for a pattern, and reads no file",
	"instrument/goroot/energy/energy.go io.ReadAll":  "stands alone; reads 64 KB of a socket with a time limit, and the profile that it has just had written",
	"instrument/probe/create.go os.ReadFile":         "imports the standard library only; reads two files of the kernel by their fixed names",
	"instrument/probe/nameless.go os.OpenRoot":       "opens the user's folder for temporary files",
	"instrument/probe/nameless_linux.go os.OpenFile": "reads nothing: the file is made there and never has a name",
	"runner/bisect/kept.go os.OpenFile":              "reads nothing: the file is there to be locked, in a folder of ownership.Make",
	"runner/children/descendants.go os.ReadFile":     "reads one line of the kernel, by its fixed name",
	"runner/children/left.go os.ReadFile":            "reads a line of the kernel, and the environment, for each process when a program has ended, by fixed names",
	"runner/children/watch.go os.Open":               "opens /proc/loadavg by its fixed name, and a folder of /proc for its names",
	"runner/children/watch.go os.ReadFile":           "reads one line of the kernel for each process of a test, by its fixed name",
	"runner/content/lay.go os.OpenRoot":              "opens the folder that a tree is laid out in",
	"runner/content/scan.go os.OpenRoot":             "opens the folder that is listed: openIn refuses what is no regular file in it, and reads what it has when it is opened",
	"runner/content/source.go os.OpenRoot":           "opens a folder: openIn refuses what is no regular file in it",
	"runner/content/store.go os.OpenRoot":            "opens a folder of ownership.Make: openIn refuses what is no regular file in it",
	"runner/rapl/file_linux.go syscall.Open":         "refuses what is no regular file before, and reads 63 bytes",
	"runner/sampler/others.go os.ReadFile":           "reads one line of the kernel for each process, by its fixed name",
	"runner/sampler/stat.go os.Open":                 "reads 256 bytes of /proc/stat, by its fixed name, every 10 ms",
	"runner/socket/socket.go os.OpenFile":            "reads nothing: the file is there to be locked, in a folder of ownership.Make",
	"runner/execution/program.go os.OpenFile":        "opens a program that was just laid out in the scratch folder, to change names in it",
	"runner/scratch/link.go os.OpenRoot":             "opens the folder that links are made in, which a pipe in its place does not keep waiting",
	"runner/scratch/folder.go os.OpenRoot":           "opens folders, which a pipe in their place does not keep waiting",
	"runner/scratch/folder.go io.ReadAll":            "reads 100 bytes of a mark whose type was looked at on its descriptor",
	"runner/scratch/folder_linux.go os.ReadFile":     "reads one line of the kernel, by its fixed name",
	"runner/execution/tasks.go os.ReadFile":          "reads one line of the kernel for each of thousands of tasks, by its fixed name",
	"runner/validate/_work/kernels.go os.Open":       "is a workload, in a program of its own: it opens /dev/zero by its fixed name",
	"spell/atomicfile/atomicfile.go os.Open":         "reads nothing: it is the folder that a file was just renamed in",
	"spell/atomicfile/unfinished.go os.OpenFile":     "reads nothing: the file is new",
	"spell/regularfile/open_other.go os.Open":        "is the reader",
	"spell/regularfile/open_unix.go syscall.Open":    "is the reader",
	"spell/regularfile/regularfile.go os.OpenFile":   "is the reader",
	"spell/store/lock.go os.OpenRoot":                "opens the folder of saved runs",
}

// What is called like a matrix, a record, a value of the kernel or a source file may be
// a pipe, which keeps the reader waiting, a device that never ends, or 50 GB of zeros.
// So one package opens all that is read, and refuses or limits that. Whoever reads in
// another way says here why that is right.
func TestFilesAreReadThroughOnePackage(t *testing.T) {
	boundary{
		reserved: readers,
		exempt:   func(u use) bool { return u.writes },
		instead:  "take regularfile.Read, Open or ReadAll, or say in trusted why this can neither wait nor go on for ever",
		allowed:  trusted,
	}.check(t)
}
