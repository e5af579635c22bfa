// Package jsonmatrix reads and writes a SPELL matrix as JSON, for tools in any
// language. It is one object:
//
//	{
//	 "schema": "spell-lsp/matrix/v1",
//	 "energy": "measured",
//	 "domains": ["cpu", "dram"],
//	 "tests": ["t1", "t2"],
//	 "components": [
//	  "main",
//	  {"id": "park.Sort", "kind": "function", "package": "park", "file": "park.go", "line": 12, "column": 6, "end_line": 20, "hash": ""}
//	 ],
//	 "cells": [
//	  {"t": 0, "c": 1, "n": 9, "time_ms": 692, "energy_j": {"cpu": 4.43, "dram": 2.26}}
//	 ]
//	}
//
// Names and units are those of the run record: t and c are indices into tests
// and components, from 0; n is executions, time_ms the milliseconds that the
// component ran, and energy_j its joules by domain. The values are without
// what callees used, and from 0 to [spell.MaxValue].
//
//   - schema, and t and c of every cell, must be there. Everything else may be
//     left out or null, which is the same: a list is empty then, a text "", a
//     number 0. So a domain that a cell does not have has 0 J there.
//   - energy says where the joules come from: measured or estimated. A file
//     without it does not tell.
//   - domains are those of [spell.Domains]; a matrix of which no energy is known
//     has none.
//   - tests and components have unique names. A component is its name alone, or
//     an object of which only the id must be there; kind is package, file, type,
//     function or block. Those without cells are kept.
//   - A test and a component have at most one cell.
//   - Members come in any order. Cells that come before the domains need more
//     memory. A known member that stands in an object twice is an error, an
//     unknown one is passed over.
package jsonmatrix

// Schema names the version of the format.
const Schema = "spell-lsp/matrix/v1"
