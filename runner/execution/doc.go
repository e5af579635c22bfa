// Package execution is where a measurement touches the machine: it builds test programs, runs
// one at a time while the meter is read, and returns what was printed, counted and read.
//
// It does not decide which tests run, in which order and how often, and it does not interpret
// the data: package attribution divides the energy.
package execution
