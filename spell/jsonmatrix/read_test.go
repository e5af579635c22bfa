package jsonmatrix_test

import (
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/google/go-cmp/cmp"

	"spell-lsp/spell"
	"spell-lsp/spell/jsonmatrix"
	"spell-lsp/spell/record"
)

// small has everything that a matrix can have: a test and a component without cells, a
// component with every optional field, and one with none.
func small() *spell.Matrix {
	m := &spell.Matrix{
		Domains: []spell.Domain{spell.DRAM, spell.CPU},
		Tests:   []string{"t1", "say \"hi\"\t\\ ü", "none"},
		Components: []spell.Component{
			{ID: "c1"},
			{ID: "pkg.F", Kind: spell.KindFunction, Package: "pkg", File: "a b.go", Line: 3, Column: 6, EndLine: 9, Hash: "0a"},
			{ID: "none", File: "ü.py"},
		},
	}
	m.Add(spell.Cell{Test: 1, Component: 1, N: 1, TimeMS: 2.5}, 0, 0.1)
	m.Add(spell.Cell{Test: 0, Component: 1, N: 1e7, TimeMS: 0}, 1e-9, 7)
	m.Add(spell.Cell{Test: 0, Component: 0, N: 0.5, TimeMS: 3}, 2, 3)
	return m
}

const (
	schema     = `"schema":"spell-lsp/matrix/v1"`
	domains    = `"domains":["dram","cpu"]`
	tests      = `"tests":["t1","say \"hi\"\t\\ \u00fc","none"]`
	components = `"components":["c1",{"id":"pkg.F","kind":"function","package":"pkg","file":"a b.go","line":3,"column":6,"end_line":9,"hash":"0a"},{"id":"none","file":"ü.py"}]`
	cells      = `"cells":[{"t":1,"c":1,"n":1,"time_ms":2.5,"energy_j":{"cpu":0.1}},{"t":0,"c":1,"n":1e7,"time_ms":0,"energy_j":{"cpu":7,"dram":1E-9}},{"t":0,"c":0,"n":5e-1,"time_ms":3.0,"energy_j":{"dram":2,"cpu":3}}]`
)

// One matrix can be written in many ways.
func TestRead(t *testing.T) {
	object := func(members ...string) string { return "{" + strings.Join(members, ",") + "}" }
	for _, test := range []struct{ name, text string }{
		{"on one line", object(schema, domains, tests, components, cells)},
		{"cells first", object(cells, tests, schema, components, domains)},
		{"domains between", object(tests, domains, cells, components, schema)},
		{"blanks and a byte order mark", "\ufeff\r\n" + strings.NewReplacer(",\"", " ,\r\n\t\"", "{", "{\n ", ":", " :\n", "]", " ]").Replace(object(schema, domains, tests, components, cells)) + "\n\n"},
		{"members that are not known", object(`"made by":{"tool":[1,-2.5e3,true,false,null,"\ud83d\ude00\b\f\r\n\"",{},[]]}`, schema, domains, tests, `"x":[[[[]]]]`, strings.Replace(components, `"kind"`, `"psi":[0.5],"kind"`, 1),
			strings.ReplaceAll(cells, `"n"`, `"cum_energy_j":{"cpu":-1,"x":1},"N":1,"n"`))},
		{"null is nothing", object(`"x":null`, schema, domains, tests, `"energy":null`,
			strings.NewReplacer(`"c1"`, `{"id":"c1","kind":null,"package":null,"file":null,"hash":null,"line":null,"column":null,"end_line":null}`).Replace(components),
			strings.NewReplacer(`"cpu":0.1`, `"dram":null,"cpu":0.1`, `"time_ms":0`, `"time_ms":null`).Replace(cells))},
		{"nothing is said of 0", object(schema, domains, tests,
			strings.Replace(components, `"c1"`, `{"id":"c1","kind":"","package":"","line":0}`, 1), strings.Replace(cells, `,"time_ms":0`, "", 1))},
		{"escapes", object(strings.Replace(schema, "/", `\/`, 1), domains, strings.ReplaceAll(tests, `\t`, `\u0009`), strings.Replace(components, `"id"`, `"\u0069\u0064"`, 1), cells)},
	} {
		t.Run(test.name, func(t *testing.T) {
			for _, r := range []io.Reader{strings.NewReader(test.text), iotest.OneByteReader(strings.NewReader(test.text))} {
				got, origin, err := jsonmatrix.Read(r, "m.json")
				if err != nil {
					t.Fatal(err)
				}
				if diff := cmp.Diff(small(), got); diff != "" || origin != "" {
					t.Errorf("origin %q, matrix (-want +got):\n%s", origin, diff)
				}
			}
		})
	}
}

// Every error says where it is, what is there and what must be.
func TestReadErrors(t *testing.T) {
	const (
		head  = "{\"schema\":\"spell-lsp/matrix/v1\",\n"
		lists = head + `"domains":["cpu"],"tests":["t1","t2"],"components":["c1"],` + "\n"
		cut   = "the matrix ends too early, it was cut off: copy or write it again"
		value = "must be a number from 0 to 1e+60"
		one   = lists + "\"cells\":[\n"
	)
	for _, test := range []struct{ name, text, want string }{
		{"empty", "", `1:1: the file is empty, must be a matrix with the schema "spell-lsp/matrix/v1"`},
		{"blank", "\ufeff \n ", `2:2: the file is empty`},
		{"list", " []", `1:2: this is a list, must be an object with the schema "spell-lsp/matrix/v1"`},
		{"no JSON", "test,component\n", `1:2: this is not JSON: invalid character 'e' in literal true (expecting 'r')`},
		{"no JSON either", "<html>", `1:1: this is not JSON: invalid character '<' at start of value`},
		{"no schema", "{\"tests\":[]}", `1:1: schema is missing, must be "spell-lsp/matrix/v1"`},
		{"other schema", "{\n\"schema\": \"spell-lsp/run/v1\"}", `2:11: schema is "spell-lsp/run/v1", must be "spell-lsp/matrix/v1"`},
		{"schema of another type", `{"schema":1}`, `1:11: schema is a number, must be "spell-lsp/matrix/v1"`},
		{"unknown origin", head + `"energy":"guessed"}`, `2:10: energy is "guessed", must be "measured" or "estimated"`},
		{"origin of none", head + `"energy":"none"}`, `2:10: energy is "none", must be "measured" or "estimated"`},
		{"origin of another type", head + `"energy":true}`, `2:10: energy is true, must be "measured" or "estimated"`},
		{"member twice", head + `"tests":[],"tests":[]}`, `2:12: "tests" is here a second time, must be there only once`},

		{"domains no list", head + `"domains":"cpu"}`, `2:11: domains is a string, must be a list`},
		{"unknown domain", head + `"domains":["cpu","ram"]}`, `2:18: domains[1] is "ram", must be "cpu", "dram", "gpu", "disk", "fans" or "net"`},
		{"domain of another type", head + `"domains":[["cpu"]]}`, `2:12: domains[0] is a list, must be "cpu", "dram"`},
		{"domain twice", head + `"domains":["cpu","gpu","cpu"]}`, `2:24: domains[2] is "cpu" like domains[0], must be listed once`},

		{"tests no list", head + `"tests":{}}`, `2:9: tests is an object, must be a list`},
		{"test of another type", head + `"tests":["a",{"name":"b"}]}`, `2:14: tests[1] is an object, must be the name of a test`},
		{"test without name", head + `"tests":["a",null]}`, `2:14: tests[1] is null, must be the name of a test`},
		{"test with empty name", head + `"tests":["a", ""]}`, `2:15: tests[1] is "", must be the name of a test`},
		{"test twice", head + "\"tests\":[\n\"a\",\n  \"b\",\"a\"]}", `4:7: tests[2] is "a" like tests[0], must be unique`},

		{"components no list", head + `"components":7}`, `2:14: components is a number, must be a list`},
		{"component of another type", head + `"components":[7]}`, `2:15: components[0] is a number, must be an object, or the name of a component`},
		{"component with empty name", head + `"components":[""]}`, `2:15: components[0] is "", must be the unique name of a component`},
		{"component without id", head + `"components":[{"kind":"type"}]}`, `2:15: components[0].id is missing, must be the unique name of a component`},
		{"component with empty id", head + `"components":[{"id":""}]}`, `2:21: components[0].id is "", must be the unique name of a component`},
		{"id of another type", head + `"components":[{"id":1}]}`, `2:21: components[0].id is a number, must be the unique name of a component`},
		{"unknown kind", head + `"components":[{"id":"c","kind":"method"}]}`, `2:32: components[0].kind is "method", must be "", "package", "file", "type", "function", "block", "goroutine" or "label"`},
		{"file of another type", head + `"components":[{"id":"c","file":1}]}`, `2:32: components[0].file is a number, must be a string`},
		{"package of another type", head + `"components":[{"id":"c","package":1}]}`, `2:35: components[0].package is a number, must be a string`},
		{"hash of another type", head + `"components":[{"id":"c","hash":1}]}`, `2:32: components[0].hash is a number, must be a string`},
		{"negative line", head + `"components":[{"id":"c","line":-1}]}`, `2:32: components[0].line is -1, must be a whole number from 1, or 0 if it is not known`},
		{"half a column", head + `"components":[{"id":"c","column":1.5}]}`, `2:34: components[0].column is 1.5, must be a whole number from 1`},
		{"large line", head + `"components":[{"id":"c","end_line":2147483648}]}`, `2:36: components[0].end_line is 2147483648, must be a whole number from 1`},
		{"field twice", head + `"components":[{"id":"c","line":1,"line":1}]}`, `2:34: "line" is here a second time`},
		{"component twice", head + "\"components\":[\"c\",\n{\"id\":\"c\"}]}", `3:1: components[1] is "c" like components[0], must be unique`},

		{"cells no list", lists + `"cells":{}}`, `3:9: cells is an object, must be a list`},
		{"cell no object", one + ` [0,0,1,2.5]]}`, `4:2: cells[0] is a list, must be an object, such as {"t": 0, "c": 0, "n": 1, "time_ms": 2.5, "energy_j": {"cpu": 0.1}}`},
		{"no test", one + ` {"c":0}]}`, `4:2: cells[0].t is missing, must be the index of one of the tests, from 0`},
		{"no component", one + ` {"t":0,"energy_j":{"cpu":1}}]}`, `4:2: cells[0].c is missing, must be the index of one of the components, from 0`},
		{"test by name", one + `{"t":"t1","c":0}]}`, `4:6: cells[0].t is a string, must be the index of one of the tests, from 0`},
		{"negative test", one + `{"t":-1,"c":0}]}`, `4:6: cells[0].t is -1, must be the index of one of the tests, from 0`},
		{"half a component", one + `{"t":0,"c":0.5}]}`, `4:12: cells[0].c is 0.5, must be the index of one of the components, from 0`},
		{"test out of range", one + "{\"t\":1,\"c\":0},\n{\"t\":2,\"c\":0}]}", `5:1: cells[1].t is 2, must be the index of one of the 2 tests, from 0`},
		{"component out of range", one + "{\"t\":1,\"c\":0},  {\"t\":0,\"c\":1}]}", `4:17: cells[1].c is 1, must be the index of one of the 1 components, from 0`},
		{"negative n", one + `{"t":0,"c":0,"n":-1}]}`, `4:18: cells[0].n is -1, ` + value},
		{"NaN", one + `{"t":0,"c":0,"n":NaN}]}`, `4:18: this is not JSON: invalid character 'N' at start of value`},
		{"negative time", one + `{"t":0,"c":0,"time_ms":-1e-9}]}`, `4:24: cells[0].time_ms is -1e-9, ` + value},
		{"large time", one + `{"t":0,"c":0,"time_ms":1e61}]}`, `4:24: cells[0].time_ms is 1e61, ` + value},
		{"energy in quotes", one + `{"t":0,"c":0,"energy_j":{"cpu":"1"}}]}`, `4:32: cells[0].energy_j.cpu is a string, ` + value},
		{"energy too large for a float", one + `{"t":0,"c":0,"energy_j":{"cpu":1e999}}]}`, `4:32: cells[0].energy_j.cpu is 1e999, ` + value},
		{"energy without domain", one + `{"t":0,"c":0,"energy_j":1}]}`, `4:25: cells[0].energy_j is a number, must be an object of joules by domain`},
		{"energy of an unknown domain", one + `{"t":0,"c":0,"energy_j":{"ram":1}}]}`, `4:32: cells[0].energy_j.ram is no domain, must be one that domains lists: "cpu", "dram"`},
		{"energy of a domain not listed", one + `{"t":0,"c":0,"energy_j":{"gpu":1}}]}`, `4:32: there is energy of gpu, which domains does not list`},
		{"energy before the domains", head + `"cells":[{"t":0,"c":0},{"t":0,"c":0,"energy_j":{"gpu":1}}],"domains":["cpu"]}`, `2:55: there is energy of gpu, which domains does not list`},
		{"energy without domains", head + `"cells":[{"t":0,"c":0,"energy_j":{"cpu":1}}]}`, `2:41: there is energy of cpu, which domains does not list`},
		{"domain twice in a cell", one + `{"t":0,"c":0,"energy_j":{"cpu":1,"cpu":2}}]}`, `4:34: "cpu" is here a second time`},
		{"cell twice", one + "{\"t\":0,\"c\":0},\n{\"t\":1,\"c\":0},\n\n {\"c\":0,\"t\":0}]}", `7:2: cells[2] is for test "t1" and component "c1" like cells[0], must be one cell: keep one, or add them up`},

		{"cut off in a list", head + `"tests":["a"`, `2:13: ` + cut},
		{"cut off in a string", head + `"tests":["a`, `2:12: ` + cut},
		{"cut off in an escape", head + `"tests":["a\u00`, `2:16: ` + cut},
		{"cut off behind a backslash", head + `"tests":["a\`, `2:13: ` + cut},
		{"cut off in a pair", head + `"tests":["\ud83d`, `2:17: ` + cut},
		{"cut off before the second half", head + `"tests":["\ud83d\u`, `2:19: ` + cut},
		{"cut off behind a name", head + `"tests"`, `2:8: ` + cut},
		{"cut off before a value", head + `"tests":`, `2:9: ` + cut},
		{"cut off in something unknown", head + `"x":[{"y":`, `2:11: ` + cut},
		{"cut off behind a comma", head, `2:1: ` + cut},
		{"cut off in an item", lists + `"cells":[{"t":0`, `3:16: ` + cut},
		{"cut off in a component", head + `"components":[`, `2:15: ` + cut},
		{"two matrices", head + "\"tests\":[]}\n{}", `3:1: there is more after the end of the matrix, must be in a file of its own`},

		{"no comma", head + `"tests":["a" "b"]}`, `2:14: this is not JSON: invalid character '"' after array element (expecting ',' or ']')`},
		{"no comma in an object", head + `"tests":[] "cells":[]}`, `2:12: this is not JSON: invalid character '"' after object value (expecting ',' or '}')`},
		{"comma at the end", head + `"tests":["a",]}`, `2:13: this is not JSON: invalid character ',' at start of value`},
		{"no colon", head + `"tests" []}`, `2:9: this is not JSON: invalid character '[' after object name (expecting ':')`},
		{"name without quotes", head + `tests:[]}`, `2:2: this is not JSON: invalid character 'e' in literal true (expecting 'r')`},
		{"text without quotes", head + `"tests":[],"x":yes}`, `2:16: this is not JSON: invalid character 'y' at start of value`},
		{"text that begins like null", head + `"tests":nothing}`, `2:10: this is not JSON: invalid character 'o' in literal null (expecting 'u')`},
		{"no value", head + `"tests":,}`, `2:9: this is not JSON: invalid character ',' at start of value`},
		{"plus", lists + `"cells":[{"t":0,"c":0,"n":+1}]}`, `3:27: this is not JSON: invalid character '+' at start of value`},
		{"leading zero", lists + `"cells":[{"t":0,"c":0,"n":01}]}`, `3:28: this is not JSON: invalid character '1' after object value (expecting ',' or '}')`},
		{"point at the end", lists + `"cells":[{"t":0,"c":0,"n":1.}]}`, `3:29: this is not JSON: invalid character '}' in number (expecting digit)`},
		{"exponent without digits", lists + `"cells":[{"t":0,"c":0,"n":1e+}]}`, `3:30: this is not JSON: invalid character '}' in number (expecting digit)`},
		{"two numbers in one", lists + `"cells":[{"t":0-1,"c":0,"n":1}]}`, `3:16: this is not JSON: invalid character '-' after object value (expecting ',' or '}')`},
		{"bad number in something unknown", head + `"x":-}`, `2:6: this is not JSON: invalid character '}' in number (expecting digit)`},
		{"long number", head + `"x":` + strings.Repeat("1-", 100) + `}`, `2:6: this is not JSON: invalid character '-' after object value`},
		{"line break in a string", head + "\"tests\":[\"a\nb\"]}", `2:12: this is not JSON: invalid character '\n' in string (expecting non-control character)`},
		{"unknown escape", head + `"tests":["a\x"]}`, "2:12: this is not JSON: invalid escape sequence `\\x` in string"},
		{"escape that is not hexadecimal", head + `"tests":["a\u00g0"]}`, "2:12: this is not JSON: invalid escape sequence `\\u00g"},
		{"second half that is not hexadecimal", head + `"tests":["\ud83d\u---"]}`, "2:11: this is not JSON: invalid surrogate pair `\\ud83d\\u-"},
		{"half a pair", head + `"tests":["a\ud83d"]}`, "2:12: this is not JSON: invalid surrogate pair `\\ud83d"},
		{"pair with a wrong half", head + `"tests":["a\ud83d\u0041"]}`, "2:12: this is not JSON: invalid surrogate pair `\\ud83d\\u0"},
		{"not UTF-8", head + "\"tests\":[\"a\xff\"]}", `2:12: this is not JSON: invalid UTF-8`},
		{"far into a line", one + strings.Repeat(" ", 200_000) + "\n" + strings.Repeat(" ", 100_000) + `{"t":0,"c":1}]}`, `5:100001: cells[0].c is 1, must be the index`},
		{"deep", head + `"x":` + strings.Repeat("[", 20_000), `2:10004: this is not JSON: exceeded max depth`},
		{"deep objects", head + `"x":` + strings.Repeat(`{"":`, 20_000), `2:40001: this is not JSON: exceeded max depth`},
	} {
		t.Run(test.name, func(t *testing.T) {
			for _, r := range []io.Reader{strings.NewReader(test.text), iotest.OneByteReader(strings.NewReader(test.text))} {
				m, _, err := jsonmatrix.Read(r, "m.json")
				if err == nil {
					t.Fatalf("no error, and the matrix %+v", m)
				}
				if got := err.Error(); !strings.HasPrefix(got, "m.json:"+test.want) {
					t.Errorf("got  %s\nwant m.json:%s", got, test.want)
				}
			}
		})
	}
}

// An input that breaks off is an error of the input, wherever it does.
func TestReadReportsTheInputsError(t *testing.T) {
	broken := errors.New("the disk is gone")
	text := "{" + strings.Join([]string{schema, `"x":-1.5`, domains, tests, components, cells}, ",") + "} "
	for length := range len(text) + 1 {
		r := io.MultiReader(strings.NewReader(text[:length]), iotest.ErrReader(broken))
		_, _, err := jsonmatrix.Read(r, "m.json")
		if !errors.Is(err, broken) || !strings.HasPrefix(err.Error(), "reading m.json: ") {
			t.Errorf("after %q: error %v, want %v", text[:length], err, broken)
		}
	}
}

// Where the energy comes from survives the file; where it is not said it is not
// made up.
func TestReadOrigin(t *testing.T) {
	for text, want := range map[string]record.Source{
		`{"energy":"measured",` + schema + `}`:                        record.Measured,
		`{` + schema + `,"domains":["cpu"],"energy":"estimated"}`:     record.Estimated,
		`{` + schema + `,"domains":["cpu"]}`:                          "",
		`{` + schema + `,"domains":["cpu"],"energy":null,"tests":[]}`: "",
	} {
		_, got, err := jsonmatrix.Read(strings.NewReader(text), "m.json")
		if err != nil || got != want {
			t.Errorf("%s: origin %q, error %v; want %q", text, got, err, want)
		}
	}
}

// A file that says nothing but what it is has an empty matrix.
func TestReadNothing(t *testing.T) {
	for _, text := range []string{`{` + schema + `}`, `{"cells":[],"components":[],` + schema + `,"domains":[],"tests":null}`} {
		got, _, err := jsonmatrix.Read(strings.NewReader(text), "m.json")
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(&spell.Matrix{}, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", text, diff)
		}
	}
}
