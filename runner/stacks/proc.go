package stacks

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"spell-lsp/spell/regularfile"
)

// procfs is a folder of procfs, /proc.
type procfs string

func (p procfs) path(pid int, elem ...string) string {
	return filepath.Join(append([]string{string(p), strconv.Itoa(pid)}, elem...)...)
}

// threads are those of a process that has not ended.
func (p procfs) threads(pid int) ([]int, error) {
	list, err := os.ReadDir(p.path(pid, "task"))
	if err != nil {
		return nil, err
	}
	var tids []int
	for _, entry := range list {
		if tid, err := strconv.Atoi(entry.Name()); err == nil {
			tids = append(tids, tid)
		}
	}
	return tids, nil
}

// children are the processes that a process has started and that have not ended, where the
// kernel lists them (CONFIG_PROC_CHILDREN).
func (p procfs) children(pid int) []int {
	tids, _ := p.threads(pid)
	var pids []int
	for _, tid := range tids {
		text, _ := regularfile.Read(p.path(pid, "task", strconv.Itoa(tid), "children"), regularfile.MaxSource)
		for field := range bytes.FieldsSeq(text) {
			if child, err := strconv.Atoi(string(field)); err == nil {
				pids = append(pids, child)
			}
		}
	}
	return pids
}

// cpu is the CPU time of a thread, ns (proc_pid_schedstat in the kernel's sched-stats.rst);
// 0 if it is not known.
func (p procfs) cpu(t task) int64 {
	text, err := regularfile.Read(p.path(t.pid, "task", strconv.Itoa(t.tid), "schedstat"), regularfile.MaxValue)
	if err != nil {
		return 0
	}
	first, _, _ := bytes.Cut(text, []byte(" "))
	ns, _ := strconv.ParseInt(string(first), 10, 64)
	return ns
}

// code lists the mappings of a process's code.
func (p procfs) code(pid int) ([]Mapping, error) {
	text, err := regularfile.Read(p.path(pid, "maps"), regularfile.MaxSource)
	if err != nil {
		return nil, err
	}
	return parseMaps(string(text))
}

// parseMaps reads the mappings of code in a table of mappings (proc_pid_maps(5)).
func parseMaps(text string) ([]Mapping, error) {
	var list []Mapping
	for line := range strings.Lines(text) {
		line = strings.TrimSuffix(line, "\n")
		var m Mapping
		var access, device string
		var inode uint64
		if n, _ := fmt.Sscanf(line, "%x-%x %s %x %s %d", &m.Start, &m.End, &access, &m.Offset, &device, &inode); n != 6 || m.End <= m.Start {
			return nil, fmt.Errorf("the kernel's table of mappings has the line %q", line)
		}
		if !strings.Contains(access, "x") {
			continue
		}
		if i := strings.IndexAny(line, "/["); i >= 0 {
			m.File = line[i:]
		}
		list = append(list, m)
	}
	return list, nil
}
