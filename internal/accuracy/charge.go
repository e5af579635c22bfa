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

// charge makes the machine count what a measuring process itself uses, and its
// children of the same executable, which read the meter: a real machine does. It
// goes on until stop is called.
func (s *simulator) charge(pid int) (stop func()) {
	quit := make(chan struct{})
	var done sync.WaitGroup
	done.Go(func() {
		accounts, err := burn.Open(accountsIn(s.dir))
		if err != nil {
			return // there is no machine any more
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
			// Between fork and exec every child has its parent's.
			if exe, err := os.Readlink(filepath.Join(proc(child), "exe")); err == nil && exe == own && execed(proc(child), proc(pid)) {
				same = append(same, child)
			}
		}
	}
	return same
}

// execed says whether a child has become a program of its own, with arguments
// that are not its parent's.
func execed(child, parent string) bool {
	a, err1 := os.ReadFile(filepath.Join(child, "cmdline"))
	b, err2 := os.ReadFile(filepath.Join(parent, "cmdline"))
	return errors.Join(err1, err2) == nil && string(a) != string(b)
}
