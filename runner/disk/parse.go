package disk

import (
	"bytes"
	"fmt"
	"os"
	"strconv"
	"strings"

	"spell-lsp/runner/meter"
	"spell-lsp/spell/regularfile"
)

// moved counts bytes that reached, or will reach, a disk. The counts of a program
// begin at 0 and include the children that it has waited for.
type moved struct{ read, written uint64 }

// parseIO reads the content of an io file: a name, a colon and a number in each
// line.
func parseIO(text string) (moved, error) {
	var v moved
	var cancelled uint64
	want := map[string]*uint64{"read_bytes": &v.read, "write_bytes": &v.written, "cancelled_write_bytes": &cancelled}
	for line := range strings.Lines(text) {
		name, number, _ := strings.Cut(line, ":")
		to := want[name]
		if to == nil {
			continue
		}
		n, err := strconv.ParseUint(strings.TrimSpace(number), 10, 64)
		if err != nil {
			return moved{}, fmt.Errorf("%s is %.40q, not a number of bytes", name, strings.TrimSpace(number))
		}
		*to = n
		delete(want, name)
	}
	if len(want) > 0 {
		return moved{}, fmt.Errorf("it lacks read_bytes, write_bytes or cancelled_write_bytes: %.40q", text)
	}
	v.written -= min(v.written, cancelled)
	return v, nil
}

// exiting is the flag of a process that has begun to end (PF_EXITING).
const exiting = 0x4

// ending reports whether a program is exiting: its memory is gone, and with it the
// record of its owner, so that only root may read its counts. Anybody may read stat
// (proc(5)): the state follows the name in brackets, and the flags are six numbers later.
func ending(stat string) bool {
	text, err := regularfile.Read(stat, regularfile.MaxValue)
	if err != nil {
		return true
	}
	f := strings.Fields(string(text[bytes.LastIndexByte(text, ')')+1:]))
	if len(f) < 7 {
		return false
	}
	flags, err := strconv.ParseUint(f[6], 10, 32)
	return f[0] == "Z" || f[0] == "X" || err == nil && flags&exiting != 0
}

// A kind of disk, with its cost.
type kind struct {
	name        string
	read, write float64 // joules per byte
}

var (
	ssd = kind{"a solid-state disk", (5.5 - 0.03) / 3500e6, (6.0 - 0.03) / 3300e6}
	hdd = kind{"a hard disk", (9.23 - 6.39) / 138e6, (9.23 - 6.39) / 138e6}
)

// choose returns the kind of the machine's disks, and the disk from which it is known.
// It asks sysfs for physical devices only, not for loop devices or volumes. Virtual disks
// do not report their kind.
func choose(o meter.Options) (k kind, why string) {
	folders, err := os.ReadDir(o.Sys("block"))
	if err != nil {
		return ssd, "the kind of disk is unknown"
	}
	turning, solid := "", ""
	for _, f := range folders {
		dir := o.Sys("block", f.Name())
		if _, err := os.Stat(dir + "/device"); err != nil || virtual(f.Name()) {
			continue
		}
		text, _ := regularfile.Read(dir+"/queue/rotational", regularfile.MaxValue) // a disk that does not say is like none
		switch strings.TrimSpace(string(text)) {
		case "1":
			turning = f.Name()
		case "0":
			solid = f.Name()
		}
	}
	switch {
	case solid != "" && turning != "":
		return ssd, fmt.Sprintf("%s is one, %s is a hard disk, but bytes are not counted by disk", solid, turning)
	case turning != "":
		return hdd, turning + " is one"
	case solid != "":
		return ssd, solid + " is one"
	}
	return ssd, "the kind of disk is unknown"
}

func virtual(name string) bool {
	return strings.HasPrefix(name, "vd") || strings.HasPrefix(name, "xvd")
}
