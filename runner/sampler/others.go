package sampler

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
)

// shownName is the beginning of Name, which is all that the kernel keeps (proc_pid_comm(5)).
const shownName = "spell-lsp-sampl"

// Others lists the processes that read a meter for a measurement of another process, of any
// user, as far as /proc shows them: not those outside of this process's container. It reads
// one line of the kernel for each process of the machine, 20 µs each. A process of another
// user can claim to be one. The sampler of `spell-lsp meter` is left out: it may run for days,
// and reads no more often than meterEvery of package socket.
func Others() []int {
	names, _ := filepath.Glob("/proc/[0-9]*/stat") // the pattern is right
	var found []int
	for _, name := range names {
		text, err := os.ReadFile(name)
		if err != nil {
			continue // it has ended
		}
		if pid, parent, ok := parseSampler(text); ok && parent != os.Getpid() && !tellsServices(parent) {
			found = append(found, pid)
		}
	}
	return found
}

// parseSampler reads a line of a process (proc_pid_stat(5)). It reports false for one that
// is no sampler, or a zombie, which nobody may ever wait for in a container.
func parseSampler(stat []byte) (pid, parent int, ok bool) {
	number, rest, _ := bytes.Cut(stat, []byte(" ("))
	rest, is := bytes.CutPrefix(rest, []byte(shownName+") "))
	fields := bytes.Fields(rest)
	if !is || len(fields) < 2 || bytes.ContainsAny(fields[0], "ZXx") {
		return 0, 0, false
	}
	pid, err := strconv.Atoi(string(number))
	if err != nil {
		return 0, 0, false
	}
	parent, err = strconv.Atoi(string(fields[1]))
	return pid, parent, err == nil
}

// tellsServices reports whether a process is `spell-lsp meter`.
func tellsServices(pid int) bool {
	line, _ := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", pid)) // of one that has ended: nothing
	args := bytes.Split(line, []byte{0})
	return len(args) > 1 && string(args[1]) == "meter"
}

// showAs sets the name under which /proc shows this process. One with a privilege must not
// set it; it shows that of its file, which is the sampler's.
func showAs(name string) {
	os.WriteFile("/proc/self/comm", []byte(name), 0) //nolint:errcheck // as said above, and on other systems there is no such file
}
