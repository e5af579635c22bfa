package runner

import (
	"cmp"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"spell-lsp/instrument/probe"
	"spell-lsp/runner/execution"
	"spell-lsp/spell"
	"spell-lsp/spell/gosource"
	"spell-lsp/spell/record"
)

// addGroups adds to r the goroutines and labels in which its components ran: for each test the mean of
// one execution, by samples.
func (m *measurement) addGroups(r *record.Run) {
	if m.sampling != nil || m.build.Fallback != "" {
		return // the edited runtime tells
	}
	g := groupSums{
		at:   make(map[groupKey]int),
		time: make([]map[record.GroupTime]float64, len(r.Components)), // keys have no time
	}
	for _, kind := range []spell.Kind{spell.KindGoroutine, spell.KindLabel} {
		g.group(record.Group{Kind: kind, ID: record.NotSampled}, 0)
	}
	tests := make(map[string]int, len(r.Tests))
	for i := range r.Tests {
		tests[r.Tests[i].Name] = i
	}
	of := m.placesIn(r)
	m.eachObservation(func(row, o *observation, weight float64) {
		test, ok := tests[row.pkg+"."+row.name]
		for _, s := range o.groups {
			if i := of[s.Row-1]; ok && i >= 0 {
				ms := float64(s.NS) / 1e6 * weight
				g.add(i, test, g.group(m.groupOf(row.pkg, s), ms), ms)
			}
		}
	})
	g.fill(r)
}

// placesIn is the component of r for each component of the build, -1 for none.
func (m *measurement) placesIn(r *record.Run) []int {
	at := make(map[string]int, len(r.Components))
	for i := range r.Components {
		at[r.Components[i].ID] = i
	}
	of := make([]int, len(m.unitOf))
	for i, unit := range m.unitOf {
		of[i] = -1
		if unit < 0 {
			continue
		}
		if place, ran := at[m.units[unit].ID]; ran {
			of[i] = place
		}
	}
	return of
}

// groupSums are groups and the times in them.
type groupSums struct {
	groups []record.Group
	at     map[groupKey]int // index in groups
	places []map[placeOf]float64
	time   []map[record.GroupTime]float64 // by component
}

type groupKey struct {
	kind spell.Kind
	id   string
}

// A placeOf is where a go statement is.
type placeOf struct {
	file string
	line int
}

// group is the index of a group, in which so much time was spent.
func (s *groupSums) group(g record.Group, ms float64) int {
	key := groupKey{g.Kind, g.ID}
	i, known := s.at[key]
	if !known {
		i = len(s.groups)
		s.at[key] = i
		s.groups, s.places = append(s.groups, g), append(s.places, make(map[placeOf]float64))
	}
	s.places[i][placeOf{g.File, g.Line}] += ms
	return i
}

func (s *groupSums) add(component, test, group int, ms float64) {
	if s.time[component] == nil {
		s.time[component] = make(map[record.GroupTime]float64)
	}
	s.time[component][record.GroupTime{Test: test, Group: group}] += ms
}

// fill puts the groups into the run, sorted by kind and ID. Of several go statements in a function the
// place is that of the one whose goroutines ran longest.
func (s *groupSums) fill(r *record.Run) {
	order := make([]int, len(s.groups))
	for i := range s.groups {
		order[i] = i
		for _, p := range sortedPlaces(s.places[i]) {
			s.groups[i].File, s.groups[i].Line = p.file, p.line
			break
		}
	}
	slices.SortFunc(order, func(i, j int) int {
		a, b := s.groups[i], s.groups[j]
		return cmp.Or(cmp.Compare(a.Kind, b.Kind), cmp.Compare(a.ID, b.ID))
	})
	place := make([]int, len(order))
	for to, from := range order {
		place[from] = to
		r.Groups = append(r.Groups, s.groups[from])
	}
	for i := range r.Components {
		var list []record.GroupTime
		for t, ms := range s.time[i] {
			list = append(list, record.GroupTime{Test: t.Test, Group: place[t.Group], TimeMS: ms})
		}
		slices.SortFunc(list, func(a, b record.GroupTime) int {
			return cmp.Or(cmp.Compare(a.Test, b.Test), cmp.Compare(a.Group, b.Group))
		})
		r.Components[i].GroupTime = list
	}
}

// sortedPlaces are the places with the most time first.
func sortedPlaces(of map[placeOf]float64) []placeOf {
	list := make([]placeOf, 0, len(of))
	for p := range of {
		list = append(list, p)
	}
	slices.SortFunc(list, func(a, b placeOf) int {
		return cmp.Or(cmp.Compare(of[b], of[a]), cmp.Compare(a.file, b.file), cmp.Compare(a.line, b.line))
	})
	return list
}

// groupOf is the group that a program of the package was in.
func (m *measurement) groupOf(pkg string, g execution.Grouped) record.Group {
	if g.Labels != nil {
		return record.Group{Kind: spell.KindLabel, ID: labelsID(*g.Labels)}
	}
	group := record.Group{Kind: spell.KindGoroutine}
	name := probe.EnclosingFunction(g.Started.Function)
	if rest, ok := strings.CutPrefix(name, "main."); ok { // of a program that go build made
		name = gosource.RuntimeName(pkg, pkg+"."+rest)
	}
	slash := strings.LastIndexByte(name, '/') + 1
	last, rest, _ := strings.Cut(name[slash:], ".")
	starts := unescaped(name[:slash] + last)
	id := starts + "." + rest
	switch {
	case name == "":
		group.ID = record.OtherGoroutines
	case m.index.Measured(name):
		group.ID, group.Package, group.File = id, starts, m.ownFile(starts, g.Started.File)
		if group.File != "" {
			group.Line = g.Started.Line
		}
	case name == "runtime.newproc", name == "runtime.rt0_go": // the runtime's assembly starts it, through a wrapper or not
		group.ID = record.MainGoroutine
	case starts == "testing":
		group.ID = record.TestGoroutine
	case g.Outermost > 0 && m.unitOf[g.Outermost-1] >= 0:
		c := m.build.Components[g.Outermost-1]
		group.ID, group.Package, group.File, group.Line = c.ID+" via "+id, c.Package, c.File, c.Line
	default:
		group.ID = id
	}
	return group
}

// ownFile is a source file of a package that is measured, relative to the workspace; "" for one that is not
// there, as it was generated. With -trimpath programs name a file by its package's import path in place of the folder.
func (m *measurement) ownFile(pkg, file string) string {
	if file = m.here(file); filepath.IsAbs(file) {
		if rest, err := filepath.Rel(m.build.Root, file); err == nil && filepath.IsLocal(rest) {
			return filepath.ToSlash(rest)
		}
		return ""
	}
	pkg = strings.TrimSuffix(pkg, "_test")
	for _, c := range m.build.Components {
		if c.Package == pkg {
			return path.Join(path.Dir(c.File), path.Base(file))
		}
	}
	return ""
}

// labelsID names a set of labels.
func labelsID(l probe.Labels) string {
	switch {
	case l.Other:
		return record.OtherLabels
	case len(l.List) == 0:
		return record.NoLabel
	}
	var list []string
	for _, label := range l.List {
		list = append(list, quotedLabel(label.Key)+"="+quotedLabel(label.Value))
	}
	return strings.Join(list, ", ")
}

// quotedLabel is a key or value, quoted if it is empty or could be taken for something else.
func quotedLabel(text string) string {
	if quoted := strconv.Quote(text); quoted != `"`+text+`"` || text == "" || strings.ContainsAny(text, `=,`) || strings.TrimSpace(text) != text {
		return quoted
	}
	return text
}
