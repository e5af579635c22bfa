// Package smm writes a run as a model that other tools read: measurements of the
// Structured Metrics Metamodel of the OMG (SMM 1.2, formal/18-05-01), attached to a
// model of the source in the Knowledge Discovery Metamodel (KDM 1.4), as XMI. The idea is
// from Béziers la Fosse, Mottu, Tisi, Rocheteau and Sunyé, "Characterizing a Source Code
// Model with Energy Measurements" (2018).
//
// The KDM part has a CodeModel; Package; ClassUnit for any type, as KDM has no element for
// Go's types; CompilationUnit for a file; MethodUnit, CallableUnit and BlockUnit; SourceRef
// and SourceRegion; and Calls, from sampled stacks.
//
// The SMM part has an SmmModel; one MeasureLibrary with UnitOfMeasure, Characteristic,
// Scope, Operation, DirectMeasure and, for psi, NamedMeasure; one Observation with its
// ObservationScope and an ObservedMeasure for each measure, which holds a
// DirectMeasurement or NamedMeasurement of each component: value is per round,
// measurand the component. Those of complexity, lines and fans are of functions whose
// structure is known. Attributes and Annotations hold what SMM has no feature for: the
// interval of a measurement and whether it is below resolution; the meter of the
// observation, whether energy was measured or estimated, the warnings, and unattributed
// energy.
//
// Only metaclasses and features that SMM 1.1 and 1.2 share are used. The namespace is that
// of the metamodel file of 1.1, the last from which tools are known to be generated.
//
// A model is streamed: besides the run, memory holds a few bytes for each component and
// call.
package smm

import (
	"fmt"
	"io"

	"spell-lsp/spell"
	"spell-lsp/spell/record"
	"spell-lsp/spell/record/ranking"
	"spell-lsp/spell/units"
	"spell-lsp/spell/wording"
)

// Options say how a model is written. The zero value is the default.
type Options struct {
	Version string // of spell-lsp; "" = left out
}

// The namespaces.
const (
	nsXMI    = "http://www.omg.org/spec/XMI/20110701"
	nsSMM    = "http://www.omg.org/spec/SMM/20150201/SMM.cmof"
	nsKDM    = "http://www.omg.org/spec/KDM/20160201/kdm"
	nsCode   = "http://www.omg.org/spec/KDM/20160201/code"
	nsAction = "http://www.omg.org/spec/KDM/20160201/action"
)

// The ids of elements that occur once. The id of a component is "c" and its index in the
// run.
const (
	codeModel = "code"
	library   = "library"
	scope     = "scope"
)

// Write writes the model of a run that was analysed. Values are of the tests that the
// analysis counts.
func Write(w io.Writer, r *record.Run, o Options) error {
	r = ranking.Counted(r)
	x := newWriter(w)
	m := &model{x, r, o}
	x.open("xmi:XMI", "xmlns:xmi", nsXMI, "xmlns:smm", nsSMM, "xmlns:kdm", nsKDM, "xmlns:code", nsCode, "xmlns:action", nsAction)
	m.source()
	x.open("smm:SmmModel", "xmi:id", "smm", "name", "spell-lsp "+r.ID, "shortDescription", "Energy of the components of a program.",
		"description", "What the components of a program used of energy, executions and running time while its own tests ran, by SPELL.")
	m.library()
	m.observation()
	x.close()
	x.close()
	if err := x.flush(); err != nil {
		return fmt.Errorf("writing the model: %w", err)
	}
	return nil
}

// A model writes a run as XMI.
type model struct {
	x *writer
	r *record.Run
	o Options
}

// domains lists the domains whose energy is known by component.
func (m *model) domains() []spell.Domain {
	if m.r.Meter.Source == record.NoEnergy {
		return nil
	}
	return m.r.Matrix.Domains
}

// energySource says whether energy was measured or estimated.
func (m *model) energySource() string {
	switch origin := m.r.Meter.Origin(); origin {
	case record.Measured:
		return "measured by " + m.r.Meter.Name + wording.CounterRoot(m.r.Meter.Root)
	case record.Estimated:
		return "ESTIMATED by " + m.r.Meter.Name + ", not measured"
	case record.NoEnergy:
		return "not known"
	default:
		return "as a file gives it, which does not say whether it was measured or estimated"
	}
}

// observation writes time, scope and tool of the observation, and the measurements.
func (m *model) observation() {
	r := m.r
	attributes := []string{"xmi:id", "observation", "name", r.ID, "shortDescription", "A run of spell-lsp.",
		"description", "Values are per round, the mean of " + units.Plural(r.Rounds, "round") + ". Those of a component are without what it calls.",
		"tool", join("spell-lsp", m.o.Version)}
	if !r.Started.IsZero() {
		attributes = append(attributes, "whenObserved", r.Started.UTC().Format("2006-01-02T15:04:05Z"))
	}
	m.x.open("observations", attributes...)
	m.facts()
	for _, w := range wording.Texts(r.AllNotes()) {
		m.x.leaf("annotations", "text", w)
	}
	m.x.leaf("scopes", "xmi:id", "observed", "name", join("source of", r.Workspace.Module), "shortDescription", "The source that was measured.",
		"description", "The model of the source in this file.", "scopeUri", "#"+codeModel)
	for _, measure := range m.measures() {
		m.observed(measure)
	}
	m.x.close()
}

// facts are the annotations that qualify the values.
func (m *model) facts() {
	r := m.r
	for _, fact := range [][2]string{
		{"energy", m.energySource()}, {"meter", r.Meter.Name}, {"module", r.Workspace.Module}, {"revision", r.Workspace.Revision},
		{"processor", r.Host.CPU}, {"go", r.Host.Go}, {"partial", fmt.Sprint(r.Partial)}, {"converged", fmt.Sprint(r.Converged)},
	} {
		if fact[1] != "" {
			m.x.leaf("attributes", "tag", fact[0], "value", fact[1])
		}
	}
	left := r.UnattributedJ()
	for _, d := range r.Meter.Domains {
		m.x.leaf("attributes", "tag", fmt.Sprintf("energy.%s that belongs to no component, joules", d), "value", number(left[d]))
	}
}

// observed writes the measurements of one measure, one for each component that has it.
func (m *model) observed(of measure) {
	m.x.open("observedMeasures", "xmi:id", "observed."+of.id, "name", of.id, "measure", of.id)
	for i := range m.r.Components {
		c := &m.r.Components[i]
		if of.structure && !c.Known() {
			continue
		}
		m.x.open("measurements", "xmi:type", of.kind+"ment", "name", of.id, "value", number(of.value(c)), "measurand", componentID(i))
		if of.domain != "" {
			if ci, known := c.EnergyCI[of.domain]; known {
				m.x.leaf("attributes", "tag", "95 % interval", "value", number(ci[0])+" "+number(ci[1]))
			}
			if c.BelowResolution {
				m.x.leaf("attributes", "tag", "below resolution", "value", "true")
			}
		}
		m.x.close()
	}
	m.x.close()
}

func join(a, b string) string {
	if b == "" {
		return a
	}
	return a + " " + b
}
