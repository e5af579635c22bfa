package perf

import (
	"errors"
	"fmt"
	"strings"
	"syscall"

	"spell-lsp/runner/meter"
	"spell-lsp/runner/perfevent"
)

// explain turns a refusal by the kernel into a typed error and leaves other errors
// as they are. Some mean that there is no such event (perf_event_open(2), ERRORS).
func explain(o meter.Options, err error) error {
	for _, none := range []error{syscall.ENOENT, syscall.ENODEV, syscall.EINVAL, syscall.ENOSYS, errors.ErrUnsupported} {
		if errors.Is(err, none) {
			return &NoCounterError{err.Error()}
		}
	}
	if denied := perfevent.Denied(err, o.Proc("sys", "kernel", "perf_event_paranoid"), "energy events need 0 or less, or the right cap_perfmon"); denied != nil {
		return denied
	}
	return err
}

// Remedy says how to open the events after Open failed with err, and what that opens
// up; "" where nothing helps. The commands are for the owner of the machine: nothing
// here runs them.
func Remedy(err error) string {
	var denied *perfevent.PermissionError
	switch {
	case !errors.As(err, &denied):
		return ""
	case denied.Filtered:
		return filterRemedy
	}
	f := SysctlSetting()
	return fmt.Sprintf(remedyForm, f.Path, strings.TrimSuffix(f.Content, "\n"), f.Activate[0])
}

// SysctlSetting opens perf events to everybody, at every start of the machine
// (Documentation/admin-guide/sysctl/kernel.rst, perf_event_paranoid).
func SysctlSetting() meter.Fix {
	const path = "/etc/sysctl.d/70-spell-lsp-perf.conf"
	return meter.Fix{
		Name:    "sysctl",
		Path:    path,
		Content: "kernel.perf_event_paranoid = 0\n",
		Opens: "From then on every user and program of this machine can count and sample what all processors do, the kernel's\n" +
			"addresses included, and can read the energy counters, which show what all others use closely enough to recover keys\n" +
			"from code that handles them: the PLATYPUS attack, CVE-2020-8694 (AMD: CVE-2020-12912).",
		Activate: []string{"sudo sysctl -p " + path},
	}
}

const filterRemedy = perfevent.FilterRemedy + ` This lets the container see what all
processes of the machine do, and their energy closely enough for the PLATYPUS attack, CVE-2020-8694.`

const remedyForm = `one of these, as the machine's owner:
1. until the next boot, for every user:
     sudo sysctl kernel.perf_event_paranoid=0
2. for good, for every user, by a line in %s:
     %s
   then: %s
   "spell-lsp doctor --fix=sysctl" writes that file.
3. for spell-lsp's sampler alone, a copy of spell-lsp that only reads energy counters:
     sudo install -D -m 0755 "$(command -v spell-lsp)" /usr/local/libexec/spell-lsp-sampler && sudo setcap cap_perfmon+ep /usr/local/libexec/spell-lsp-sampler
   To let in one group only (here adm), install it with -g adm -m 0750. Do it again after each update of spell-lsp.
What this exposes: with 1 and 2 every user and program of the machine can count and sample what all processors do, the
kernel's addresses included. With all three, and with 3 for whoever may start the sampler, the energy of all others is
seen closely enough to recover keys from code that handles them: the PLATYPUS attack, CVE-2020-8694 (AMD: CVE-2020-12912).
The tests get no right by any of these.`
