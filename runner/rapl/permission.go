package rapl

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
)

// A PermissionError says that a file of the powercap class may not be read.
type PermissionError struct {
	Root  string // the powercap class
	Path  string
	Mode  fs.FileMode
	Owner string // "root:root", or numbers where there is no name; "" if unknown
	Err   error  // what the system said
}

func (e *PermissionError) Error() string {
	text := fmt.Sprintf("%s may not be read (mode %04o", e.Path, e.Mode.Perm())
	if e.Owner != "" {
		text += ", owner " + e.Owner
	}
	return text + "): permission denied"
}

func (e *PermissionError) Unwrap() error { return e.Err }

// explain turns a refusal to open path into a *PermissionError and leaves other
// errors as they are.
func explain(root, path string, err error) error {
	if !errors.Is(err, fs.ErrPermission) {
		return err
	}
	return newPermissionError(root, path, err)
}

// newPermissionError looks at path or, where that cannot even be looked at, at
// the nearest folder above it, which is then what bars the way.
func newPermissionError(root, path string, err error) *PermissionError {
	e := &PermissionError{Root: root, Path: path, Err: err}
	for at := path; ; at = filepath.Dir(at) {
		if info, statErr := os.Stat(at); statErr == nil {
			e.Path, e.Mode, e.Owner = at, info.Mode(), owner(info)
			return e
		}
		if at == filepath.Dir(at) {
			return e
		}
	}
}

// Remedy tells how to make the counters readable after Open failed with err,
// what that opens up, and why they are closed; "" where nothing helps. Each of
// its commands is for the machine's owner to run: nothing here runs them.
func Remedy(err error) string {
	var denied *PermissionError
	var none *NoCounterError
	switch {
	case errors.As(err, &denied) && denied.Root == DefaultRoot:
		return systemRemedy
	case errors.As(err, &denied) && denied.Mode.IsDir():
		return "let this user into the folder: chmod a+rx " + shellQuote(denied.Path)
	case errors.As(err, &denied):
		return "let this user read the file: chmod a+r " + shellQuote(denied.Path)
	case errors.As(err, &none) && none.Root == DefaultRoot && runtime.GOOS == "linux":
		return moduleRemedy
	}
	return ""
}

func shellQuote(path string) string {
	return "'" + strings.ReplaceAll(path, "'", `'\''`) + "'"
}

const moduleRemedy = `on bare metal, load the driver: sudo modprobe intel_rapl_msr (it serves AMD too).
In a virtual machine there is nothing to load: its host keeps the counters to itself.
In a container that hides them, start it with --security-opt systempaths=unconfined (Docker), or measure outside.`

// systemRemedy is what Linux offers for files of the powercap class. File
// capabilities do not pass to the tests, which are other programs.
const systemRemedy = `one of these, as the machine's owner:
1. until the next boot, for every user:
     sudo chmod a+r /sys/class/powercap/intel-rapl*/energy_uj
2. for good, for every user, by a udev rule in /etc/udev/rules.d/70-rapl-energy.rules:
     ACTION=="add|change", SUBSYSTEM=="powercap", KERNEL=="intel-rapl*:*", RUN+="/bin/chmod a+r %S%p/energy_uj"
   then: sudo udevadm control --reload && sudo udevadm trigger --action=change --subsystem-match=powercap
3. for good, for one group (here adm), by a line in /etc/tmpfiles.d/rapl-energy.conf:
     z /sys/class/powercap/intel-rapl*/energy_uj 0440 root adm -
   then: sudo systemd-tmpfiles --create /etc/tmpfiles.d/rapl-energy.conf
4. for this program only:
     sudo setcap cap_dac_read_search+ep "$(command -v spell-lsp)"
What this opens up: with 1 and 2 every user and program of the machine, with 3 every member of the group, sees
what all others use, closely enough to recover keys from code that handles them: the PLATYPUS attack, CVE-2020-8694
(AMD: CVE-2020-12912), because of which Linux closed these files. With 4 no other program reads the counters, but
spell-lsp, started by any user, may read every file of the machine. The tests it runs get no right by any of these.`
