package runfile

import (
	"encoding/json"
	"errors"
	"fmt"

	"spell-lsp/spell"
	"spell-lsp/spell/record"
	"spell-lsp/spell/record/validity"
	"spell-lsp/spell/sectionfile"
)

// headSection is the name of the section with the run without its tables.
const headSection = "run"

// components are the columns of record.Component; the first is the key.
var components = []column[record.Component]{
	columnOf("component.id", func(c *record.Component) *string { return &c.ID }, texts[string]()),
	columnOf("component.kind", func(c *record.Component) *spell.Kind { return &c.Kind }, words[spell.Kind]()),
	columnOf("component.package", func(c *record.Component) *string { return &c.Package }, words[string]()),
	columnOf("component.file", func(c *record.Component) *string { return &c.File }, words[string]()),
	columnOf("component.line", func(c *record.Component) *int { return &c.Line }, integers[int]()),
	columnOf("component.column", func(c *record.Component) *int { return &c.Column }, integers[int]()),
	columnOf("component.end_line", func(c *record.Component) *int { return &c.EndLine }, integers[int]()),
	columnOf("component.hash", func(c *record.Component) *string { return &c.Hash }, texts[string]()),
	columnOf("component.n", func(c *record.Component) *float64 { return &c.N }, floats()),
	columnOf("component.time_ms", func(c *record.Component) *float64 { return &c.TimeMS }, floats()),
	columnOf("component.wall_ms", func(c *record.Component) *float64 { return &c.WallMS }, floats()),
	columnOf("component.energy_j", func(c *record.Component) *record.Energy { return &c.EnergyJ }, tables[record.Energy](floats())),
	columnOf("component.energy_ci_j", func(c *record.Component) *map[spell.Domain][2]float64 { return &c.EnergyCI }, tables[map[spell.Domain][2]float64](pairs(floats()))),
	columnOf("component.cum_time_ms", func(c *record.Component) *float64 { return &c.CumTimeMS }, floats()),
	columnOf("component.cum_energy_j", func(c *record.Component) *record.Energy { return &c.CumEnergyJ }, tables[record.Energy](floats())),
	columnOf("component.epi_j", func(c *record.Component) *float64 { return &c.EPIJ }, floats()),
	columnOf("component.phi", func(c *record.Component) *map[string]float64 { return &c.Phi }, tables[map[string]float64](floats())),
	columnOf("component.psi", func(c *record.Component) *float64 { return &c.Psi }, floats()),
	columnOf("component.psi_ci", func(c *record.Component) *[2]float64 { return &c.PsiCI }, pairs(floats())),
	columnOf("component.rank", func(c *record.Component) *int { return &c.Rank }, integers[int]()),
	columnOf("component.rank_ci", func(c *record.Component) *[2]int { return &c.RankCI }, pairs(integers[int]())),
	columnOf("component.zone", func(c *record.Component) *spell.Zone { return &c.Zone }, words[spell.Zone]()),
	columnOf("component.zone_by_rule", func(c *record.Component) *spell.Zone { return &c.ZoneByRule }, words[spell.Zone]()),
	columnOf("component.kept_zone", func(c *record.Component) *spell.Zone { return &c.KeptZone }, words[spell.Zone]()),
	columnOf("component.kept_energy_j", func(c *record.Component) *float64 { return &c.KeptEnergyJ }, floats()),
	columnOf("component.kept_time_ms", func(c *record.Component) *float64 { return &c.KeptTimeMS }, floats()),
	columnOf("component.kept_n", func(c *record.Component) *float64 { return &c.KeptN }, floats()),
	columnOf("component.tied", func(c *record.Component) *bool { return &c.Tied }, flags()),
	columnOf("component.below_resolution", func(c *record.Component) *bool { return &c.BelowResolution }, flags()),
	columnOf("component.unmeasured_callees", func(c *record.Component) *[]record.Callee { return &c.Callees }, lists(callees())),
	columnOf("component.lines", func(c *record.Component) *[]record.Line { return &c.Lines }, lists(lines())),
	columnOf("component.lines_hash", func(c *record.Component) *string { return &c.LinesHash }, texts[string]()),
	columnOf("component.group_time", func(c *record.Component) *[]record.GroupTime { return &c.GroupTime }, lists(groupTime())),
	columnOf("component.functions", func(c *record.Component) *[]record.FunctionTime { return &c.Functions }, lists(functionTime())),
	columnOf("component.sized_calls", func(c *record.Component) *[]record.SizedCalls { return &c.SizedCalls }, lists(sizedCalls())),
	columnOf("component.budgets", func(c *record.Component) *[]record.Budget { return &c.Budgets }, lists(budgets())),
	columnOf("component.explanation", func(c *record.Component) *string { return &c.Explanation }, words[string]()),
	columnOf("component.round_energy_j", func(c *record.Component) *map[spell.Domain][]float64 { return &c.RoundEnergyJ }, tables[map[spell.Domain][]float64](lists(floats()))),
	columnOf("component.round_time_ms", func(c *record.Component) *[]float64 { return &c.RoundTimeMS }, lists(floats())),
	columnOf("component.read_bytes", func(c *record.Component) *float64 { return &c.ReadBytes }, floats()),
	columnOf("component.written_bytes", func(c *record.Component) *float64 { return &c.WrittenBytes }, floats()),
	columnOf("component.received_bytes", func(c *record.Component) *float64 { return &c.ReceivedBytes }, floats()),
	columnOf("component.sent_bytes", func(c *record.Component) *float64 { return &c.SentBytes }, floats()),
	columnOf("component.alloc_bytes", func(c *record.Component) *float64 { return &c.AllocBytes }, floats()),
	columnOf("component.alloc_objects", func(c *record.Component) *float64 { return &c.AllocObjects }, floats()),
	columnOf("component.caused_j", func(c *record.Component) *record.Energy { return &c.CausedJ }, tables[record.Energy](floats())),
	columnOf("component.caused_ms", func(c *record.Component) *float64 { return &c.CausedMS }, floats()),
	columnOf("component.complexity", func(c *record.Component) *int { return &c.Complexity }, integers[int]()),
	columnOf("component.lines_of_code", func(c *record.Component) *int { return &c.LinesOfCode }, integers[int]()),
	columnOf("component.fan_in", func(c *record.Component) *int { return &c.FanIn }, integers[int]()),
	columnOf("component.fan_out", func(c *record.Component) *int { return &c.FanOut }, integers[int]()),
}

// callees, lines, group times, functions, sized calls and budgets are written field by field.
func callees() codec[record.Callee] {
	return structs(
		fieldOf(func(c *record.Callee) *string { return &c.Name }, words[string]()),
		fieldOf(func(c *record.Callee) *string { return &c.Package }, words[string]()),
		fieldOf(func(c *record.Callee) *spell.CalleeKind { return &c.Kind }, words[spell.CalleeKind]()),
		fieldOf(func(c *record.Callee) *float64 { return &c.TimeMS }, floats()),
		fieldOf(func(c *record.Callee) *record.Energy { return &c.EnergyJ }, tables[record.Energy](floats())),
	)
}

func lines() codec[record.Line] {
	return structs(
		fieldOf(func(l *record.Line) *int { return &l.Line }, integers[int]()),
		fieldOf(func(l *record.Line) *float64 { return &l.TimeMS }, floats()),
		fieldOf(func(l *record.Line) *record.Energy { return &l.EnergyJ }, tables[record.Energy](floats())),
		fieldOf(func(l *record.Line) *[]record.Callee { return &l.Callees }, lists(callees())),
	)
}

func groupTime() codec[record.GroupTime] {
	return structs(
		fieldOf(func(g *record.GroupTime) *int { return &g.Test }, integers[int]()),
		fieldOf(func(g *record.GroupTime) *int { return &g.Group }, integers[int]()),
		fieldOf(func(g *record.GroupTime) *float64 { return &g.TimeMS }, floats()),
	)
}

func functionTime() codec[record.FunctionTime] {
	return structs(
		fieldOf(func(f *record.FunctionTime) *string { return &f.ID }, words[string]()),
		fieldOf(func(f *record.FunctionTime) *float64 { return &f.TimeMS }, floats()),
	)
}

func sizedCalls() codec[record.SizedCalls] {
	bucket := structs(
		fieldOf(func(b *record.SizeBucket) *uint64 { return &b.Low }, integers[uint64]()),
		fieldOf(func(b *record.SizeBucket) *uint64 { return &b.High }, integers[uint64]()),
		fieldOf(func(b *record.SizeBucket) *float64 { return &b.Mean }, floats()),
		fieldOf(func(b *record.SizeBucket) *float64 { return &b.N }, floats()),
		fieldOf(func(b *record.SizeBucket) *float64 { return &b.TimeMS }, floats()),
		fieldOf(func(b *record.SizeBucket) *float64 { return &b.CumTimeMS }, floats()),
		fieldOf(func(b *record.SizeBucket) *record.Energy { return &b.EnergyJ }, tables[record.Energy](floats())),
		fieldOf(func(b *record.SizeBucket) *record.Energy { return &b.CumEnergyJ }, tables[record.Energy](floats())),
	)
	return structs(
		fieldOf(func(s *record.SizedCalls) *string { return &s.Size }, words[string]()),
		fieldOf(func(s *record.SizedCalls) *[]record.SizeBucket { return &s.Buckets }, lists(bucket)),
	)
}

func budgets() codec[record.Budget] {
	return structs(
		fieldOf(func(b *record.Budget) *string { return &b.Text }, words[string]()),
		fieldOf(func(b *record.Budget) *int { return &b.Line }, integers[int]()),
	)
}

// callTree are the columns of record.CallNode.
var callTree = []column[record.CallNode]{
	columnOf("call_tree.p", func(n *record.CallNode) *int { return &n.Parent }, integers[int]()),
	columnOf("call_tree.c", func(n *record.CallNode) *int { return &n.Component }, integers[int]()),
	columnOf("call_tree.time_ms", func(n *record.CallNode) *float64 { return &n.TimeMS }, floats()),
	columnOf("call_tree.cut", func(n *record.CallNode) *bool { return &n.Cut }, flags()),
	columnOf("call_tree.power", func(n *record.CallNode) *float64 { return &n.Power }, floats()),
	columnOf("call_tree.power_ci", func(n *record.CallNode) *[2]float64 { return &n.PowerCI }, pairs(floats())),
	columnOf("call_tree.by_time", func(n *record.CallNode) *record.ByTime { return &n.ByTime }, words[record.ByTime]()),
}

// cells are the columns of the matrix that stand in spell.Cell.
var cells = []column[spell.Cell]{
	columnOf("matrix.t", func(c *spell.Cell) *int32 { return &c.Test }, integers[int32]()),
	columnOf("matrix.c", func(c *spell.Cell) *int32 { return &c.Component }, integers[int32]()),
	columnOf("matrix.n", func(c *spell.Cell) *float64 { return &c.N }, floats()),
	columnOf("matrix.time_ms", func(c *spell.Cell) *float64 { return &c.TimeMS }, floats()),
}

// A vector is numbers that stand in the matrix beside its cells: so many for each.
// It has a section if it is not nil.
type vector struct {
	name   string
	values func(m *record.Matrix) *[]float64
}

var vectors = []vector{
	{"matrix.energy_j", func(m *record.Matrix) *[]float64 { return &m.EnergyJ }},
	{"matrix.cum_time_ms", func(m *record.Matrix) *[]float64 { return &m.CumTimeMS }},
	{"matrix.cum_energy_j", func(m *record.Matrix) *[]float64 { return &m.CumEnergyJ }},
}

// sectionsOf converts a run into sections.
func sectionsOf(r *record.Run) ([]sectionfile.Section, error) {
	head := *r
	head.Schema, head.Components, head.CallTree = record.Schema, nil, nil
	text, err := json.Marshal(&head)
	if err != nil {
		return nil, err
	}
	work := []func() (sectionfile.Section, error){func() (sectionfile.Section, error) { return sectionfile.Pack(headSection, 1, text) }}
	work = append(work, putTable(components, r.Components)...)
	work = append(work, putTable(callTree, r.CallTree)...)
	work = append(work, putTable(cells, r.Matrix.Cells)...)
	for _, v := range vectors {
		if values := *v.values(&r.Matrix); values != nil {
			work = append(work, func() (sectionfile.Section, error) {
				return sectionfile.Pack(v.name, len(values), putFloats(nil, values))
			})
		}
	}
	sections := make([]sectionfile.Section, len(work))
	tasks := make([]func() error, len(work))
	for i, section := range work {
		tasks[i] = func() (err error) {
			sections[i], err = section()
			return err
		}
	}
	return sections, parallel(tasks)
}

// runOf converts sections into a run, and checks it.
func runOf(f *sectionfile.File) (*record.Run, error) {
	var r record.Run
	if err := head(f, &r); err != nil {
		return nil, err
	}
	if err := makeRows(f, &r); err != nil {
		return nil, err
	}
	work := getTable(f, components, r.Components)
	work = append(work, getTable(f, callTree, r.CallTree)...)
	work = append(work, getTable(f, cells, r.Matrix.Cells)...)
	for _, v := range vectors {
		if s := f.Section(v.name); s != nil {
			work = append(work, func() error {
				return read(s, int(s.Rows), func(in *input) { *v.values(&r.Matrix) = getFloats(in, int(s.Rows)) })
			})
		}
	}
	if err := parallel(work); err != nil {
		return nil, err
	}
	r.SetDomains()
	return validity.Checked(&r)
}

func head(f *sectionfile.File, r *record.Run) error {
	s := f.Section(headSection)
	if s == nil {
		return errors.New("it has no section \"run\"")
	}
	text, err := s.Contents()
	if err != nil {
		return err
	}
	if err := json.Unmarshal(text, r); err != nil {
		return fmt.Errorf("section %q: %w", headSection, err)
	}
	r.Components, r.CallTree = nil, nil
	return nil
}

// makeRows allocates the rows of all tables. A component takes hundreds of bytes in memory,
// and its id may take none in a malicious file, so ids are checked to be different first.
func makeRows(f *sectionfile.File, r *record.Run) error {
	ids := make(map[string]bool)
	if s := f.Section(components[0].name); s != nil {
		count, err := rowsOf(f, s.Name)
		if err != nil {
			return err
		}
		err = read(s, count, func(in *input) {
			for _, id := range texts[string]().get(in, count) {
				ids[id] = true
			}
		})
		if err != nil {
			return err
		}
		if len(ids) < count {
			return errors.New("two components have the same id")
		}
	}
	nodes, err := rowsOf(f, callTree[0].name)
	if err != nil {
		return err
	}
	size, err := rowsOf(f, cells[0].name)
	if err != nil {
		return err
	}
	r.Components = make([]record.Component, len(ids))
	r.CallTree, r.Matrix.Cells = make([]record.CallNode, nodes), make([]spell.Cell, size)
	return nil
}
