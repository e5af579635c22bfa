package smm

import (
	"slices"
	"strconv"

	"spell-lsp/spell"
	"spell-lsp/spell/record"
)

// A measure is a number that components have.
type measure struct {
	id, kind    string // kind is the metaclass; the metaclass of its measurements appends "ment"
	unit, trait string
	text, how   string
	source      string
	domain      spell.Domain // "" if it is not an energy
	value       func(*record.Component) float64
	structure   bool // of functions whose structure is known alone
}

// The metaclasses of measures.
const (
	direct = "smm:DirectMeasure"
	named  = "smm:NamedMeasure"
)

// measures lists the measures of the run.
func (m *model) measures() []measure {
	how := [3]string{
		"The counter's energy in the windows of the tests, divided by the running time of components times their powers. Here it is " + m.energySource() + ".",
		"The time from entry to exit without callees and without the time in which the goroutine did not run.",
		"A count at the entry of the component.",
	}
	if m.r.Meter.OfMatrix() {
		how = [3]string{"Energy is " + m.energySource() + ".", "As a file gives it.", "As a file gives it."}
	}
	var list []measure
	for _, d := range m.domains() {
		list = append(list, measure{
			id: "energy." + string(d), kind: direct, unit: "joule", trait: "energy", domain: d,
			text: "Energy of the domain " + string(d) + " that the component itself used.", how: how[0],
			value: func(c *record.Component) float64 { return c.EnergyJ[d] },
		})
	}
	list = append(list,
		measure{
			id: "time", kind: direct, unit: "millisecond", trait: "running.time", text: "Running time of the component itself, without waiting.",
			how: how[1], value: func(c *record.Component) float64 { return c.TimeMS },
		},
		measure{
			id: "executions", kind: direct, unit: "execution", trait: "execution", text: "How often the component was executed.",
			how: how[2], value: func(c *record.Component) float64 { return c.N },
		},
		measure{
			id: "psi", kind: named, unit: "one", trait: "waste", text: "SPELL's global similarity, from 0 to 1: how much the component stands out by energy, executions and time together.",
			source: "Pereira, Carção, Couto, Cunha, Fernandes, Saraiva: SPELLing Out Energy Leaks. Journal of Systems and Software, 2020.",
			value:  func(c *record.Component) float64 { return c.Psi },
		})
	if m.knowsStructure() {
		list = append(list, structures...)
	}
	return list
}

func (m *model) knowsStructure() bool {
	return slices.ContainsFunc(m.r.Components, func(c record.Component) bool { return c.Known() })
}

// structures are the measures of the source.
var structures = []measure{
	{
		id: "complexity", kind: direct, unit: "path", trait: "structure", text: "Cyclomatic complexity of the function, with that of the literals that it declares.",
		how:    "1 and the number of if, for, case and communication clauses, && and ||.",
		source: "McCabe: A Complexity Measure. IEEE Transactions on Software Engineering, 1976.",
		value:  func(c *record.Component) float64 { return float64(c.Complexity) }, structure: true,
	},
	{
		id: "lines.of.code", kind: direct, unit: "line", trait: "structure", text: "Lines of the function that have more than blanks and comments.",
		how:   "A count from the function's name to its closing brace.",
		value: func(c *record.Component) float64 { return float64(c.LinesOfCode) }, structure: true,
	},
	{
		id: "fan.in", kind: direct, unit: "function", trait: "structure", text: "Other functions of the measured packages that call the function.",
		how:   "A count of callers in the source. Calls of interface methods and of functions in variables are not counted.",
		value: func(c *record.Component) float64 { return float64(c.FanIn) }, structure: true,
	},
	{
		id: "fan.out", kind: direct, unit: "function", trait: "structure", text: "Other functions of the measured packages that the function calls.",
		how:   "A count of callees in the source. Calls of interface methods and of functions in variables are not counted.",
		value: func(c *record.Component) float64 { return float64(c.FanOut) }, structure: true,
	},
}

// library writes the definitions of the measures.
func (m *model) library() {
	m.x.open("libraries", "xmi:id", library, "name", "SPELL", "shortDescription", "The categories of SPELL.",
		"description", "Energy, executions and running time of components, and what SPELL makes of them.")
	units := [][3]string{{"joule", "J", "Unit of energy of the SI."}, {"millisecond", "ms", "A thousandth of the second of the SI."},
		{"execution", "executions", "One execution. A mean of rounds may have a fraction."}, {"one", "1", "A ratio without a unit."}}
	traits := [][2]string{{"energy", "What the hardware used while the component ran."}, {"running.time", "For how long the component ran."},
		{"execution", "Executions of the component."}, {"waste", "How much the component stands out."}}
	if m.knowsStructure() {
		units = append(units, [3]string{"path", "paths", "One linearly independent path."}, [3]string{"line", "lines", "One line of source."}, [3]string{"function", "functions", "One function."})
		traits = append(traits, [2]string{"structure", "Size and coupling of the component in the source."})
	}
	for _, u := range units {
		m.element("smm:UnitOfMeasure", u[0], u[1], u[2])
	}
	for _, c := range traits {
		m.element("smm:Characteristic", "trait."+c[0], c[0], c[1])
	}
	m.element("smm:Scope", scope, "components", "The components that were ranked: packages, files, types, functions or blocks of the program.")
	list := m.measures()
	for _, of := range list {
		if of.how != "" {
			m.element("smm:Operation", "operation."+of.id, of.id, "How the values of "+of.id+" come about.", "language", "English", "body", of.how)
		}
	}
	for _, of := range list {
		more := []string{"unit", of.unit, "trait", "trait." + of.trait, "scope", scope}
		if of.how != "" {
			more = append(more, "operation", "operation."+of.id)
		}
		if of.source != "" {
			more = append(more, "source", of.source)
		}
		m.element(of.kind, of.id, of.id, of.text, more...)
	}
	m.x.close()
}

// element writes one element of the library.
func (m *model) element(kind, id, name, description string, more ...string) {
	m.x.leaf("measureElements", append([]string{"xmi:type", kind, "xmi:id", id, "name", name, "shortDescription", name, "description", description}, more...)...)
}

func number(v float64) string { return strconv.FormatFloat(v, 'g', -1, 64) }
