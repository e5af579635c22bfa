// Package architecture has tests only. They hold the rules of ARCHITECTURE.md that a
// compiler does not: which packages import which, what opens, writes and removes
// files, what starts programs, and which tests run under the race detector.
package architecture
