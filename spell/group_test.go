package spell_test

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"spell-lsp/spell"
)

func function(id, file string, line, end int, hash string) spell.Component {
	return spell.Component{ID: "example.com/park." + id, Kind: spell.KindFunction, Package: "example.com/park",
		File: file, Line: line, Column: 6, EndLine: end, Hash: hash}
}

func block(id, file string, line, end int) spell.Component {
	c := function(id, file, line, end, "b")
	c.Kind = spell.KindBlock
	return c
}

var (
	add     = function("(*Park).Add", "park.go", 10, 20, "1")
	sortIt  = function("sortIt", "park.go", 30, 40, "2")
	start   = function("init.0", "park.go", 50, 60, "3")
	size    = function("Park.Size", "size.go", 5, 7, "4")
	clearIt = function("(*Park).Clear", "park.go", 70, 90, "5")
	loop    = block("(*Park).Add#for1.if1", "park.go", 12, 15)
	paid    = spell.Component{ID: "example.com/pay.Pay", Kind: spell.KindFunction, Package: "example.com/pay", File: "pay/pay.go", Line: 3, Column: 6, EndLine: 4, Hash: "6"}
	all     = []spell.Component{add, sortIt, {}, start, size, clearIt, loop, paid}
)

// What a reader of a coarse ranking goes by: which group a function is in,
// what the group is called, and where it stands.
func TestGroup(t *testing.T) {
	const pkg = "example.com/park"
	for _, test := range []struct {
		g    spell.Kind
		want []spell.Component
		of   []int
	}{
		{spell.KindPackage, []spell.Component{
			{ID: pkg, Kind: spell.KindPackage, Package: pkg},
			{ID: "example.com/pay", Kind: spell.KindPackage, Package: "example.com/pay"},
		}, []int{0, 0, -1, 0, 0, 0, 0, 1}},
		{spell.KindFile, []spell.Component{
			{ID: "park.go", Kind: spell.KindFile, Package: pkg, File: "park.go", Line: 1, Column: 1, EndLine: 90},
			{ID: "size.go", Kind: spell.KindFile, Package: pkg, File: "size.go", Line: 1, Column: 1, EndLine: 7},
			{ID: "pay/pay.go", Kind: spell.KindFile, Package: "example.com/pay", File: "pay/pay.go", Line: 1, Column: 1, EndLine: 4},
		}, []int{0, 0, -1, 0, 1, 0, 0, 2}},
		{spell.KindType, []spell.Component{
			{ID: pkg + ".Park", Kind: spell.KindType, Package: pkg, File: "park.go", Line: 10, Column: 6, EndLine: 90},
			sortIt, start, paid,
		}, []int{0, 1, -1, 2, 0, 0, 0, 3}},
		{spell.KindFunction, []spell.Component{add, sortIt, start, size, clearIt, paid}, []int{0, 1, -1, 2, 3, 4, 0, 5}},
		{spell.KindBlock, []spell.Component{add, sortIt, start, size, clearIt, loop, paid}, []int{0, 1, -1, 2, 3, 4, 5, 6}},
	} {
		t.Run(string(test.g), func(t *testing.T) {
			groups, of := spell.Group(all, test.g)
			for i := range groups {
				if groups[i].Kind == test.g && test.g != spell.KindFunction && test.g != spell.KindBlock {
					if len(groups[i].Hash) != 16 {
						t.Errorf("%s has the hash %q", groups[i].ID, groups[i].Hash)
					}
					groups[i].Hash = ""
				}
			}
			if diff := cmp.Diff(test.want, groups); diff != "" {
				t.Errorf("groups (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(test.of, of); diff != "" {
				t.Errorf("group of each component (-want +got):\n%s", diff)
			}
		})
	}
}

// A block may stand before its function, or without it: a group is the
// function all the same.
func TestGroupOfBlocks(t *testing.T) {
	groups, of := spell.Group([]spell.Component{loop, add}, spell.KindFunction)
	if diff := cmp.Diff([]spell.Component{add}, groups); diff != "" || !slices.Equal(of, []int{0, 0}) {
		t.Errorf("in groups %v (-want +got):\n%s", of, diff)
	}
	groups, _ = spell.Group([]spell.Component{loop}, spell.KindFunction)
	want := spell.Component{ID: add.ID, Kind: spell.KindFunction, Package: add.Package, File: add.File}
	if diff := cmp.Diff([]spell.Component{want}, groups); diff != "" {
		t.Errorf("without the function (-want +got):\n%s", diff)
	}
}

// Components that tell neither package nor file, as those of other tools, can
// be in no group and must not be lost, or be put together as if they were one.
func TestGroupLeavesWhatTellsNothing(t *testing.T) {
	bare := []spell.Component{{ID: "c1"}, {ID: "c2", Kind: spell.KindFunction}, {ID: "p", Kind: spell.KindPackage, Package: "p", Hash: "h"}}
	for _, g := range append(spell.Granularities(), spell.KindBlock, "") {
		groups, of := spell.Group(bare, g)
		if diff := cmp.Diff(bare, groups); diff != "" || !slices.Equal(of, []int{0, 1, 2}) {
			t.Errorf("%q: in groups %v (-want +got):\n%s", g, of, diff)
		}
	}
}

// A group's hash says whether what was measured is what stands there now.
func TestGroupHash(t *testing.T) {
	hash := func(components ...spell.Component) string {
		groups, _ := spell.Group(components, spell.KindFile)
		return groups[0].Hash
	}
	moved := sortIt
	moved.Line, moved.ID = 300, "example.com/park.sorted"
	changed, unknown := sortIt, sortIt
	changed.Hash, unknown.Hash = "other", ""
	whole := hash(add, sortIt)
	for _, test := range []struct {
		why  string
		got  string
		same bool
	}{
		{"the order does not matter", hash(sortIt, add), true},
		{"nor do names and places", hash(add, moved), true},
		{"a function's blocks are in its hash already", hash(add, loop, sortIt), true},
		{"a changed body does", hash(add, changed), false},
		{"one function less does", hash(add), false},
	} {
		if (test.got == whole) != test.same {
			t.Errorf("%s: %q, before %q", test.why, test.got, whole)
		}
	}
	if got := hash(add, unknown); got != "" {
		t.Errorf("with a function whose hash is not known: %q", got)
	}
}
