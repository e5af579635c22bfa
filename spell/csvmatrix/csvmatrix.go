// Package csvmatrix reads and writes a SPELL matrix as comma-separated values
// (RFC 4180), one line for each cell:
//
//	test,component,file,line,cpu_J,dram_J,n,time_ms
//	t1,park.Sort,park.go,12,4.43,2.26,9,692
//
// The first line names the columns, which may come in any order. Required are
// test, component, n, time_<unit> and at least one <domain>_<unit>; file and
// line may be left out. The domains are those of [spell.Domains]. The unit of
// energy is J, mJ, uJ or kJ, that of time s, ms, us or ns. Numbers may have
// an exponent. A domain whose column is empty in every row is unknown, and left out
// of the matrix.
//
// Names and files that a spreadsheet would execute as a formula, such as =1 or -x,
// have a single quote before them, which Read removes: see package csvtext.
//
// Lines before the header that begin with # are comments. One of them may say where the
// energy comes from: "# energy: measured" or "# energy: estimated".
//
// Tests and components are in the order of their first cell. Those without cells are not
// in the file.
package csvmatrix
