package main

import (
	"fmt"
	"time"
)

// bars of a row, in per cent; 0 = none.
type bars struct {
	median, worst float64 // error of functions that use a share or more of the energy
	waiting       float64 // of the energy, for all functions together that hardly run
	ofSimpler     float64 // median error, of that of the simpler model
}

// Bars of all rows, in per cent, in addition to a row's own.
const (
	counterBar   = 1.0  // the test's energy against the truth
	imbalanceBar = 0.5  // the sum of the test's parts against its energy
	notCovered   = 10.0 // of the functions: outside of their interval and not below resolution
)

// share is the smallest share of all functions' energy with which a function's error
// counts.
const share = 0.02

const (
	ms     = time.Millisecond
	second = time.Second
)

// workloads are the rows of the table.
func workloads() []workload {
	twenty, long := spread(20, 5, 25), bars{worst: 3}
	all := []workload{
		{name: "mixed", about: "20 functions of 5 to 25 W, calls of 0.05 to 10 ms, 2 goroutines, a neighbour that takes 0.4 of a processor",
			functions: twenty, goroutines: 2, shortest: ms / 20, longest: 10 * ms, each: 2 * time.Second, rounds: 5, neighbour: 0.4, bars: bars{median: 5, worst: 15}},
		{name: "one goroutine", about: "the same functions, alone",
			functions: twenty, goroutines: 1, shortest: ms / 20, longest: 10 * ms, each: 2 * time.Second, rounds: 5, period: "icelake", bars: bars{median: 5, worst: 15}},
		{name: "two goroutines", about: "the same functions, without a neighbour",
			functions: twenty, goroutines: 2, shortest: ms / 20, longest: 10 * ms, each: 2 * time.Second, rounds: 5, period: "zen2", bars: bars{median: 5, worst: 15}},
		{name: "same duration", about: "two functions of 2 ms a call, 8 and 24 W",
			functions: []function{{"Cool", 8, computes}, {"Hot", 24, computes}}, goroutines: 1, shortest: 2 * ms, longest: 2 * ms, each: time.Second, rounds: 5},
		{name: "eight goroutines", about: "on as many processors as there are, calls of 0.5 to 20 ms",
			functions: spread(6, 5, 25), goroutines: 8, shortest: ms / 2, longest: 20 * ms, each: 400 * ms, rounds: 4},
		{name: "blocked", about: "one function waits nine tenths of its time, one computes for a thousandth of it, two others compute; 2 goroutines",
			functions: []function{{"Waits", 14, waitsMostly}, {"Blocked", 14, waitsAlways}, {"Cool", 8, computes}, {"Hot", 24, computes}}, goroutines: 2,
			shortest: ms, longest: 3 * ms, each: 250 * ms, rounds: 4, bars: bars{waiting: 1}},
		{name: "sleeping", about: "a test that sleeps: all is idle",
			functions: []function{{"Sleeps", 0, sleeps}}, goroutines: 1, shortest: 100 * ms, longest: 100 * ms, each: 100 * ms, rounds: 3, bars: bars{waiting: 1}},
		{name: "garbage", about: "a function that allocates, and two that do not; the collector's time belongs to no function",
			functions: []function{{"Allocates", 14, allocates}, {"Cool", 6, computes}, {"Hot", 22, computes}}, goroutines: 1, shortest: ms, longest: 10 * ms, each: time.Second, rounds: 5},
		{name: "child", about: "three functions of 6, 14 and 22 W in random order, in a child process: the test program again; calls of 5 ms",
			functions: spread(3, 6, 22), goroutines: 1, shortest: 5 * ms, longest: 5 * ms, each: time.Second, rounds: 5, child: true, bars: long},
		{name: "built child", about: "the same in a program of the module that the test builds",
			functions: spread(3, 6, 22), goroutines: 1, shortest: 5 * ms, longest: 5 * ms, each: time.Second, rounds: 5, built: true, bars: long},
		{name: "server", about: "three functions of 6, 14 and 22 W, which a server calls for requests in random order (--exec, --ready, --load), two at a time; calls of 5 ms",
			functions: spread(3, 6, 22), goroutines: 2, shortest: 5 * ms, longest: 5 * ms, each: time.Second, rounds: 5, server: true, bars: long},
		{name: "noisy neighbour", about: "another process takes a whole processor; calls of 0.5 to 10 ms",
			functions: spread(3, 6, 22), goroutines: 1, shortest: ms / 2, longest: 10 * ms, each: time.Second, rounds: 5, neighbour: 1},
	}
	all = append(all, besideOthers(all)...)
	all = append(all, nonlinear(twenty)...)
	all = append(all, withCores(twenty)...)
	for _, length := range []time.Duration{ms / 10, ms, 5 * ms, 50 * ms} {
		w := workload{name: fmt.Sprintf("calls of %v", length), about: "three functions of 6, 14 and 22 W in random order, one goroutine",
			functions: spread(3, 6, 22), goroutines: 1, shortest: length, longest: length, each: time.Second, rounds: 5}
		if length >= 5*ms {
			w.bars = long
		}
		all = append(all, w)
	}
	return append(all, workload{name: "test of 20 ms", about: "three functions of 6, 14 and 22 W, calls of 1 ms, one goroutine",
		functions: spread(3, 6, 22), goroutines: 1, shortest: ms, longest: ms, each: 20 * ms, rounds: 20})
}

// othersW is what a processor draws that runs other processes, in rows where these draw power.
const othersW = 10

// besideOthers are some of the rows again, on machines on which other processes draw power too.
func besideOthers(all []workload) (list []workload) {
	for _, w := range all {
		switch w.name {
		case "one goroutine", "built child", "server":
			w.about = "the row " + w.name + ", where other processes draw power too"
			w.name, w.othersW, w.bars = w.name+" beside others", othersW, bars{median: 5, worst: 15}
			list = append(list, w)
		}
	}
	return list
}

// nonlinear are the rows of machines whose power is not the sum of what functions draw alone. One
// goroutine runs all the time, and another half of it.
func nonlinear(functions []function) (all []workload) {
	for _, w := range []workload{
		{name: "siblings", physics: "siblings", about: "two threads of one core, each of which slows the other down by what it issues"},
		{name: "turbo", physics: "turbo", about: "one busy core runs at 3.8 GHz, two at 3.4 GHz, with a millisecond to change"},
		{name: "drift", physics: "warm", about: "everything draws up to a quarter more and less again, in six seconds"},
		{name: "late counter", late: 1. / 3, about: "a third of the energy is counted 2 ms late"},
		{name: "all of these", physics: "siblings,turbo,warm", late: 1. / 3, about: "siblings, turbo, drift and a late counter together"},
	} {
		w.functions, w.goroutines, w.pauses, w.othersW = functions, 2, true, othersW
		w.shortest, w.longest, w.each, w.rounds = ms/20, 10*ms, 2*time.Second, 5
		w.bars = bars{median: 5, worst: 15}
		all = append(all, w)
	}
	return all
}

// withCores are the rows of machines that have a counter for each core.
func withCores(functions []function) []workload {
	return []workload{
		{name: "counters of cores", about: "the same 20 functions on two goroutines, on a machine with a counter for each core",
			functions: functions, goroutines: 2, cores: true, shortest: ms / 20, longest: 10 * ms, each: 2 * time.Second, rounds: 5, bars: bars{median: 5, worst: 15}},
		{name: "always together", about: "two functions of 8 and 24 W, each all the time on a goroutine of its own, on a machine with a counter for each core",
			functions: []function{{"Cool", 8, computes}, {"Hot", 24, computes}}, goroutines: 2, apart: true, cores: true, shortest: 5 * ms, longest: 5 * ms, each: time.Second, rounds: 5, bars: bars{median: 5, worst: 15, ofSimpler: 50}},
	}
}

// spread returns n functions whose power rises from low to high in equal steps.
func spread(n int, low, high float64) []function {
	var all []function
	for i := range n {
		all = append(all, function{fmt.Sprintf("F%02d", i), low + (high-low)*float64(i)/float64(n-1), computes})
	}
	return all
}

// shortened returns two rows that take less than a minute, with wider bars because
// they have little data.
func shortened(all []workload) []workload {
	var few []workload
	for _, w := range all {
		if w.name == "calls of 5ms" || w.name == "blocked" {
			w.rounds = 3
			w.bars.worst *= 3
			few = append(few, w)
		}
	}
	return few
}
