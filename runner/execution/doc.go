// Package execution does what a measurement does to the machine: it builds the test
// programs, runs one of them at a time while the meter is read, and returns plain data: what
// was printed, counted and read.
//
// It does not say which tests are run, in which order and how often, and does not know what
// comes of the data: energy is shared by package attribution.
package execution
