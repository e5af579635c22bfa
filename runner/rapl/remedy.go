package rapl

import (
	"errors"
	"fmt"
	"runtime"
	"strings"

	"spell-lsp/runner/meter"
)

// Remedy says how to make the counters readable after Open failed with err, what that
// exposes, and why they are closed; "" where nothing helps. The commands are for the
// owner of the machine: nothing here runs them.
func Remedy(err error) string {
	var denied *PermissionError
	var none *NoCounterError
	switch {
	case errors.As(err, &denied) && denied.Root == DefaultRoot:
		return systemRemedy()
	case errors.As(err, &denied) && denied.Mode.IsDir():
		return "let this user into the folder: chmod a+rx " + shellQuote(denied.Path)
	case errors.As(err, &denied):
		return "let this user read the file: chmod a+r " + shellQuote(denied.Path)
	case errors.As(err, &none) && none.Root == DefaultRoot && runtime.GOOS == "linux":
		return moduleRemedy
	}
	return ""
}

// UdevRule makes the counters readable to everybody, whenever the driver is
// loaded (udev(7): %S is where sysfs is, %p the device's path in it).
func UdevRule() meter.Fix {
	return meter.Fix{
		Name:    "udev",
		Path:    "/etc/udev/rules.d/70-rapl-energy.rules",
		Content: `ACTION=="add|change", SUBSYSTEM=="powercap", KERNEL=="intel-rapl*:*", RUN+="/bin/chmod a+r %S%p/energy_uj"` + "\n",
		Opens: "From then on every user and program of this machine can read the processors' energy counters, and see in them\n" +
			"what all others use: " + platypus,
		Activate: []string{"sudo udevadm control --reload", "sudo udevadm trigger --action=change --subsystem-match=powercap"},
	}
}

// TmpfilesEntry makes the counters readable to one group, at every start of the
// machine (tmpfiles.d(5): z sets mode and owner of files that there are).
func TmpfilesEntry() meter.Fix {
	return meter.Fix{
		Name:    "tmpfiles",
		Path:    "/etc/tmpfiles.d/rapl-energy.conf",
		Content: "z /sys/class/powercap/intel-rapl*/energy_uj 0440 root adm -\n",
		Opens: "From then on every member of the group adm, and every program that runs for one, can read the processors'\n" +
			"energy counters, and see in them what all others use: " + platypus + "\n" +
			"For another group, change its name in the file.",
		Activate: []string{"sudo systemd-tmpfiles --create /etc/tmpfiles.d/rapl-energy.conf"},
	}
}

// platypus ends a sentence about what energy readings disclose.
const platypus = "closely enough to recover keys from code that handles them. That is\n" +
	"the PLATYPUS attack, CVE-2020-8694 (AMD: CVE-2020-12912), because of which Linux closed these files."

// systemRemedy lists the ways to open the files of the powercap class on Linux. The
// tests do not inherit file capabilities, because they are other programs.
func systemRemedy() string {
	udev, tmpfiles := UdevRule(), TmpfilesEntry()
	return fmt.Sprintf(remedyForm, udev.Path, indented(udev), strings.Join(udev.Activate, " && "),
		tmpfiles.Path, indented(tmpfiles), strings.Join(tmpfiles.Activate, " && "))
}

func indented(f meter.Fix) string { return "     " + strings.TrimSuffix(f.Content, "\n") }

const remedyForm = `one of these, as the machine's owner:
1. until the next boot, for every user:
     sudo chmod a+r /sys/class/powercap/intel-rapl*/energy_uj
2. for good, for every user, by a udev rule in %s:
%s
   then: %s
   "spell-lsp doctor --fix=udev" writes that file.
3. for good, for one group (here adm), by a line in %s:
%s
   then: %s
   "spell-lsp doctor --fix=tmpfiles" writes that file.
4. for spell-lsp's sampler alone, a copy of spell-lsp that only reads energy counters:
     sudo install -D -m 0755 "$(command -v spell-lsp)" /usr/local/libexec/spell-lsp-sampler && sudo setcap cap_dac_read_search,cap_perfmon+ep /usr/local/libexec/spell-lsp-sampler
   To let in one group only (here adm), install it with -g adm -m 0750. Do it again after each update of spell-lsp.
What this exposes: with 1 and 2 every user and program of the machine, with 3 every member of the group, with 4 whoever
may start the sampler sees what all others use, closely enough to recover keys from code that handles them: the PLATYPUS
attack, CVE-2020-8694 (AMD: CVE-2020-12912), because of which Linux closed these files. With 4 no other program reads
the counters; the sampler could read every file, and so keeps to /sys/class/powercap. The tests get no right by any of these.`

const moduleRemedy = `on bare metal, load the driver: sudo modprobe intel_rapl_msr (it serves AMD too).
In a virtual machine there is nothing to load: its host keeps the counters to itself.
In a container that hides them, start it with --security-opt systempaths=unconfined (Docker), or measure outside.`

func shellQuote(path string) string {
	return "'" + strings.ReplaceAll(path, "'", `'\''`) + "'"
}
