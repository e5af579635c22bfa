// Package attribution divides the energy that a meter counted among the functions that ran
// meanwhile. Readings of the meter, occupancy records, counts and samples go in; watts,
// shares and the amounts that belong to no function come out.
//
// It has no clock, starts nothing and opens no file: the same input gives the same result,
// so recorded measurements can be replayed. It knows neither how a program is run nor how a
// run record is made.
//
// In the order in which data flow through it:
//
//   - A [Timeline] holds the readings of one execution of a test program, and its
//     [Occupancy] says what ran in each tick, the time between two readings.
//   - The [Model] of a measurement takes the ticks of all executions, and finds the
//     [Powers] of everything that runs.
//   - [Timeline.Interval] cuts out the time in which a test ran. Where the probes cannot ask
//     the scheduler, a [Profile] completes what was counted in it.
//   - [Totals] take the intervals of all tests; [Totals.Attribute] divides the energy of each.
//
// A row is what the probes count: 0 is code outside of components, i+1 is component i; the
// runtime and the rows below follow. Times are in ns, instants those of CLOCK_MONOTONIC,
// energy is in joules and power in watts.
package attribution

import (
	"maps"
	"slices"

	"spell-lsp/instrument/probe"
)

// Rows of the model behind those of the probes, the last three of which are for calibration: CPU time
// of the program in no goroutine, other processes, the sampler, and the program's child
// processes.
func schedulerRow(components int) int { return probe.RuntimeRow(components) + 6 }
func othersRow(components int) int    { return probe.RuntimeRow(components) + 7 }
func samplerRow(components int) int   { return probe.RuntimeRow(components) + 8 }
func childrenRow(components int) int  { return probe.RuntimeRow(components) + 9 }
func powerRows(components int) int    { return probe.RuntimeRow(components) + 10 }

// sortedRows lists rows in order: floating-point sums depend on it.
func sortedRows[V any](rows map[int]V) []int { return slices.Sorted(maps.Keys(rows)) }
