// Package gzoltar reads program spectra as GZoltar has them: which
// test ran which line of code, and which tests failed. GZoltar
// (https://gzoltar.com) 1.7 writes three files of text:
//
//   - matrix.txt has a line for each test: 1 for each component that it ran and 0
//     for each other one, with blanks between them, and at the end + for a test
//     that passed or - for one that failed.
//   - spectra.csv names the components, one in each line, in the order of the
//     matrix: org.pkg$Class#method(int,int):12. Its first line is "name".
//   - tests.csv has a line for each test of the matrix:
//     org.pkg.ClassTest#method,FAIL,4536873,java.lang.AssertionError: ... These
//     are its name, PASS or FAIL, its nanoseconds and the stack trace; nothing
//     is quoted. The first line is "name,outcome,runtime,stacktrace".
//
// Older versions wrote matrix and spectra without these first lines, and
// components as org.pkg.Class#12; the data sets that were published with Pearson
// et al., "Evaluating and Improving Fault Localization", ICSE 2017, are such.
package gzoltar

import (
	"fmt"

	"spell-lsp/spell"
)

// A Spectrum is what the files tell. Its matrix has no domains; N is 1 where a
// test ran a component, and no time is known. Components have a package and a
// line if their name has them. Files are unknown.
type Spectrum struct {
	Matrix *spell.Matrix
	Failed []bool // by test
}

// A position is a place in a file, from 1; columns in bytes.
type position struct{ line, column int }

func errorAt(name string, at position, what, do string) error {
	return fmt.Errorf("%s:%d:%d: %s; %s", name, at.line, at.column, what, do)
}
