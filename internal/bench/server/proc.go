package main

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// residentMB is the resident memory of a process in MB (proc(5), VmRSS).
func residentMB(pid int) (float64, error) {
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		return 0, fmt.Errorf("looking at the memory of a process: %w", err)
	}
	_, rest, ok := strings.Cut(string(status), "VmRSS:")
	fields := strings.Fields(rest)
	if !ok || len(fields) < 2 {
		return 0, errors.New("looking at the memory of a process: the kernel does not tell it")
	}
	kB, err := strconv.ParseFloat(fields[0], 64)
	return kB * 1024 / 1e6, err
}

// cpuTime is the running time of a process's present threads, to the nanosecond (the
// kernel's Documentation/scheduler/sched-stats.rst). Ended threads are not included.
func cpuTime(pid int) (time.Duration, error) {
	names, err := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/schedstat", pid))
	if err != nil || len(names) == 0 {
		return 0, fmt.Errorf("looking at the CPU time of process %d: the kernel does not tell it", pid)
	}
	var sum time.Duration
	for _, name := range names {
		text, err := os.ReadFile(name)
		if err != nil {
			return 0, fmt.Errorf("looking at the CPU time of a process: %w", err)
		}
		first, _, _ := strings.Cut(string(text), " ")
		ns, err := strconv.ParseInt(first, 10, 64)
		if err != nil {
			return 0, fmt.Errorf("looking at the CPU time of a process: %w", err)
		}
		sum += time.Duration(ns)
	}
	return sum, nil
}

// A process is a running process.
type process struct {
	pid  int
	line string // its command line
}

// family lists the processes that have mark in their environment, which children
// inherit, or whose working folder or executable is in one of dirs.
func family(mark string, dirs ...string) []process {
	var found []process
	names, _ := filepath.Glob("/proc/[0-9]*") // only a bad pattern is an error
	for _, name := range names {
		pid, err := strconv.Atoi(filepath.Base(name))
		if err != nil || pid == os.Getpid() || !belongs(name, mark, dirs) {
			continue
		}
		line, _ := os.ReadFile(filepath.Join(name, "cmdline")) // empty if it has just ended
		if len(line) > 0 {
			found = append(found, process{pid, strings.TrimSpace(string(bytes.ReplaceAll(line, []byte{0}, []byte{' '})))})
		}
	}
	return found
}

func belongs(proc, mark string, dirs []string) bool {
	environ, _ := os.ReadFile(filepath.Join(proc, "environ")) // processes that ended or belong to other users are not ours
	if bytes.Contains(environ, []byte(mark)) {
		return true
	}
	for _, link := range []string{"cwd", "exe"} {
		target, _ := os.Readlink(filepath.Join(proc, link))
		for _, dir := range dirs {
			if strings.HasPrefix(target, dir) {
				return true
			}
		}
	}
	return false
}
