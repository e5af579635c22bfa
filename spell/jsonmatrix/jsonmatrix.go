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
//   - schema, and t and c of every cell, are required. Everything else may be left
//     out or null, and is then an empty list, "" or 0. A domain that is missing in a
//     cell has 0 J there.
//   - energy says where the joules come from: measured or estimated; without it that
//     is unknown.
//   - domains are some of [spell.Domains]; a matrix without energy has none.
//   - tests and components have unique names. A component is a name, or an object of
//     which only the id is required; kind is package, file, type, function or block.
//     Tests and components without cells are kept.
//   - A test and a component have at most one cell.
//   - Members come in any order. Cells before the domains need more memory. A known
//     member that is in an object twice is an error; unknown members are ignored.
package jsonmatrix

// Schema names the version of the format.
const Schema = "spell-lsp/matrix/v1"
