package main

import (
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"time"

	"spell-lsp/internal/powercapsim/burn"
)

// charge makes the machine count the energy of a measuring process and of what reads the meter, its
// children with the same executable, as a real machine does, until stop is called. Other processes
// draw nothing, unless they register as the simulator does. On a real machine they draw power, each its own, while
// the model has one row for all of them: what that costs is not in these results.
func (s *simulator) charge(pid int) (stop func()) {
	quit := make(chan struct{})
	var done sync.WaitGroup
	done.Go(func() {
		accounts, err := burn.Open(accountsIn(s.dir))
		if err != nil {
			return // the machine has ended
		}
		known := make(map[int]bool)
		for {
			for _, p := range append(sameChildren(pid), pid) {
				if !known[p] {
					known[p] = true
					_, err := accounts.Register(p, burn.UnbookedWatts)
					known[p] = err == nil
				}
			}
			select {
			case <-quit:
				return
			case <-time.After(20 * time.Millisecond):
			}
		}
	})
	return func() { close(quit); done.Wait() }
}

// sameChildren are the children of a process that run the same executable
// (proc(5): /proc/pid/task/tid/children).
func sameChildren(pid int) []int {
	proc := func(pid int) string { return filepath.Join("/proc", strconv.Itoa(pid)) }
	own, err := os.Readlink(filepath.Join(proc(pid), "exe"))
	lists, globbed := filepath.Glob(filepath.Join(proc(pid), "task", "*", "children"))
	if errors.Join(err, globbed) != nil {
		return nil
	}
	var same []int
	for _, list := range lists {
		text, err := os.ReadFile(list)
		if err != nil {
			continue // the thread has ended
		}
		for _, word := range strings.Fields(string(text)) {
			child, err := strconv.Atoi(word)
			if err != nil {
				continue
			}
			// Between fork and exec every child has its parent's executable.
			if exe, err := os.Readlink(filepath.Join(proc(child), "exe")); err == nil && exe == own && execed(proc(child), proc(pid)) {
				same = append(same, child)
			}
		}
	}
	return same
}

// execed reports whether a child has called exec: its arguments differ from its
// parent's then.
func execed(child, parent string) bool {
	a, err1 := os.ReadFile(filepath.Join(child, "cmdline"))
	b, err2 := os.ReadFile(filepath.Join(parent, "cmdline"))
	return errors.Join(err1, err2) == nil && string(a) != string(b)
}
