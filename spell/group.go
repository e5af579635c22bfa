package spell

import (
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"strings"
)

// Granularities lists the kinds that a matrix of functions can be summed up
// to, from coarse to fine.
func Granularities() []Kind { return []Kind{KindPackage, KindFile, KindType, KindFunction} }

// Views lists the kinds that a measurement of functions can be shown by.
func Views() []Kind { return append(Granularities(), KindGoroutine, KindLabel) }

// Group puts components together by granularity: of[i] is the index in groups
// of the group of components[i], or -1 where that has no ID, which stands for
// an entry without use. The groups stand in the order of their first members.
//
//   - package: ID and Package are the import path; File, Line, Column and
//     EndLine are not set.
//   - file: ID and File are the path relative to the root, Line and Column are
//     1, EndLine is where its last member ends.
//   - type: the methods of T and of *T are pkg.T. File, Line and Column are
//     those of its first method, EndLine is where the last of its methods in
//     that file ends. A function without a receiver belongs to no type, and
//     stays a function.
//   - function: a block belongs to its function, everything else stays as it is.
//   - block, and any other value: everything stays as it is.
//
// A component that does not tell what it belongs to, or is coarser than g
// already, stays as it is. The hash of a package, file or type is made of those
// of its members: it tells of a change in any of them, or of one more or less,
// not of their order, names or places. It is "" where that of a member is.
//
// Energy, time and executions of a group are the sums of its members', but the
// executions of blocks are none of their function. Cumulative values have no
// such sum: a member may have called another.
func Group(components []Component, g Kind) (groups []Component, of []int) {
	of = make([]int, len(components))
	at := make(map[string]int)
	var hashes [][]string
	for i, c := range components {
		if c.ID == "" {
			of[i] = -1
			continue
		}
		head := c.within(g)
		j, seen := at[head.ID]
		if !seen {
			j = len(groups)
			at[head.ID] = j
			groups, hashes = append(groups, head), append(hashes, nil)
		}
		of[i] = j
		groups[j].join(c, head)
		if c.Kind != g && c.Kind != KindBlock { // its function's hash is of the block too
			hashes[j] = append(hashes[j], c.Hash)
		}
	}
	for j := range groups {
		if groups[j].Kind == g && len(hashes[j]) > 0 {
			groups[j].Hash = hashOf(hashes[j])
		}
	}
	return groups, of
}

// within describes the group of c by c alone.
func (c Component) within(g Kind) Component {
	switch {
	case c.Kind == g:
		return c
	case g == KindPackage && c.Package != "":
		return Component{ID: c.Package, Kind: g, Package: c.Package}
	case g == KindFile && c.File != "" && c.Kind != KindPackage:
		return Component{ID: c.File, Kind: g, Package: c.Package, File: c.File, Line: 1, Column: 1, EndLine: c.EndLine}
	case g == KindType && c.Receiver() != "":
		return Component{ID: c.Package + "." + c.Receiver(), Kind: g, Package: c.Package, File: c.File, Line: c.Line, Column: c.Column, EndLine: c.EndLine}
	case (g == KindType || g == KindFunction) && c.Kind == KindBlock:
		return Component{ID: c.function(), Kind: KindFunction, Package: c.Package, File: c.File}
	}
	return c
}

// join adds what the member c, which makes head of its group, tells of the
// group.
func (c *Component) join(member, head Component) {
	switch {
	case head.Kind == KindFunction && member.Kind == KindFunction:
		*c = member // before it, there were only blocks of it
	case c.Kind != member.Kind && c.File == member.File && c.Kind != KindFunction && c.EndLine > 0:
		c.EndLine = max(c.EndLine, member.EndLine)
	}
}

// function is the ID of the function of a function or block.
func (c Component) function() string {
	if function, _ := SplitBlock(c.ID); c.Kind == KindBlock && function != "" {
		return function
	}
	return c.ID
}

// SplitBlock divides the ID of a block into that of its function and the path of the block
// within it, as in F#for1.if2. The function is "" if there is no path.
func SplitBlock(id string) (function, path string) {
	i := strings.LastIndexByte(id, '#')
	if i < 0 {
		return "", ""
	}
	return id[:i], id[i+1:]
}

// Receiver is the name of the type that a method, or block of one, belongs to;
// "" for anything else. No type is called init: init.0 is a function.
func (c Component) Receiver() string {
	name, ok := strings.CutPrefix(c.function(), c.Package+".")
	if !ok || c.Package == "" || c.Kind != KindFunction && c.Kind != KindBlock {
		return ""
	}
	typ, _, ok := strings.Cut(name, ".")
	if !ok || typ == "init" {
		return ""
	}
	return strings.TrimSuffix(strings.TrimPrefix(typ, "(*"), ")")
}

func hashOf(members []string) string {
	if slices.Contains(members, "") {
		return ""
	}
	slices.Sort(members)
	sum := sha256.Sum256([]byte(strings.Join(members, "\n")))
	return hex.EncodeToString(sum[:8])
}
