package fitness

import (
	"time"

	"spell-lsp/runner/meter"
	"spell-lsp/spell/note"
)

// A Watch sees what happens to the machine while something is measured. It looks at the beginning
// and at the end, and not in between.
type Watch struct {
	options meter.Options
	begin   glance
}

// A glance is what is compared.
type glance struct {
	machine Machine
	stops   Stops
	at      time.Time
}

func glanceAt(o meter.Options) glance {
	g := glance{machine: Look(o), at: time.Now()}
	g.stops = g.machine.Quota.stops()
	return g
}

// Begin looks for the first time.
func Begin(o meter.Options) *Watch { return &Watch{o, glanceAt(o)} }

// Notes looks for the last time, and says what makes the figures of the time since Begin doubtful.
// Those of a counter of this machine's energy depend on its frequency, too.
func (w *Watch) Notes(counter bool) []note.Note {
	return compare(w.begin, glanceAt(w.options), counter)
}

// minStopped is a share of the time that a CPU quota has to stop a program for to be worth a note.
const minStopped = 0.01

func compare(a, b glance, counter bool) (notes []note.Note) {
	if n := b.machine.Throttled.since(a.machine.Throttled); n > 0 {
		notes = append(notes, note.Throttled(n, b.machine.CPUs))
	}
	times, ms := b.stops.Times-a.stops.Times, b.stops.MS-a.stops.MS
	if q := b.machine.Quota; q != nil && times > 0 && ms > minStopped*float64(b.at.Sub(a.at).Milliseconds()) {
		notes = append(notes, note.QuotaReached(q.CPUs, int(times), ms))
	}
	if how := a.machine.unsteady(); counter && len(how) > 0 {
		notes = append(notes, note.FrequencyNotHeld(how))
	}
	return notes
}

// unsteady says what changes the frequency; nothing of a virtual machine, whose host does.
func (m Machine) unsteady() (how []string) {
	if m.Virtual {
		return nil
	}
	if varying := m.share(Policy.varies); varying != "" {
		how = append(how, varying)
	}
	if m.Turbo != nil && m.Turbo.On {
		how = append(how, "turbo frequencies on")
	}
	return how
}
