package runner

import (
	"math"
	"slices"
	"time"

	"spell-lsp/instrument/probe"
	"spell-lsp/runner/meter"
	"spell-lsp/runner/power"
	"spell-lsp/spell"
)

// Rows of the power model beside those of the probes, of which three are for
// calibration: what the program used that no goroutine ran in, other processes, the
// sampler, and the program's child processes.
func schedulerRow(components int) int { return probe.RuntimeRow(components) + 5 }
func othersRow(components int) int    { return probe.RuntimeRow(components) + 6 }
func samplerRow(components int) int   { return probe.RuntimeRow(components) + 7 }
func childrenRow(components int) int  { return probe.RuntimeRow(components) + 8 }
func powerRows(components int) int    { return probe.RuntimeRow(components) + 9 }

// fineResolution is how often a counter has to be updated for it to tell what ran
// in a tick. Energy of a slower domain is shared by CPU time.
const fineResolution = 10 * time.Millisecond

// startModel makes a model of the domains whose counters are fine enough, if there
// are any and it is known what runs in a tick.
func (m *measurement) startModel() {
	if !m.info.Counter || m.build.Fallback != "" {
		return
	}
	m.inModel = make([]int, len(m.info.Domains))
	fine := 0
	for d := range m.inModel {
		m.inModel[d] = -1
		if updates(m.info, d) <= fineResolution {
			m.inModel[d] = fine
			fine++
		}
	}
	if fine > 0 {
		m.model = power.New(fine, powerRows(len(m.build.Components)))
	}
}

// updates is how often the counter of a domain is updated.
func updates(info meter.Info, domain int) time.Duration {
	if domain < len(info.Resolutions) {
		return info.Resolutions[domain]
	}
	return info.Resolution
}

// powers are the watts of everything that runs. Without a fit all draw the same,
// so that energy is shared by CPU time.
type powers struct {
	domains int
	idle    []float64 // watts by domain
	fit     *power.Fit
	inModel []int // by domain: which of the model's it is, -1 for none
	// testOnly says by domain that its energy is not shared among what ran; nil stands
	// for none.
	testOnly []bool
	// idleSD is by how much all rows' watts are off together, by domain, because the
	// idle machine's are.
	idleSD []float64
}

// testOnly marks the domains whose energy is known by test only. It comes from bytes
// moved, which are counted for the program as a whole: CPU time does not tell which
// function moved them.
func testOnly(domains []spell.Domain) []bool {
	list := make([]bool, len(domains))
	for d, domain := range domains {
		list[d] = domain.OfBytes()
	}
	return list
}

// leastLoad bounds what an error of the idle machine's power makes of a program that
// hardly runs.
const leastLoad = 0.05

// leastWatts is the least power of what runs, as a part of the program's mean:
// nothing that runs draws nothing.
const leastWatts = 0.02

// watts is the power of a row in a domain; only how rows compare matters.
func (w *powers) watts(row, domain int) float64 {
	if w.fit == nil || w.inModel[domain] < 0 {
		return 1
	}
	d := w.inModel[domain]
	return max(w.fit.Watts(uint32(row), d).Watts, leastWatts*w.fit.Mean(d))
}

// spread is the standard deviation of a row's power, as a part of it; 0 where the
// power is no estimate.
func (w *powers) spread(row, domain int) float64 {
	if w.fit == nil || w.inModel[domain] < 0 {
		return 0
	}
	watts := w.watts(row, domain)
	if watts <= 0 {
		return 1
	}
	// Without a tick it is infinite.
	sd := math.Hypot(w.fit.Watts(uint32(row), w.inModel[domain]).SD, w.idleSD[domain])
	return min(mostSpread, sd/watts)
}

// mostSpread bounds what is said of powers that are next to nothing.
const mostSpread = 10

// powers are those that all rounds so far tell.
func (m *measurement) powers() *powers {
	w := &powers{domains: len(m.info.Domains), idle: m.idle, inModel: m.inModel, testOnly: testOnly(m.info.Domains)}
	if m.model == nil {
		return w
	}
	w.fit = m.fit()
	w.idle, w.idleSD = slices.Clone(m.idle), make([]float64, w.domains)
	ticks, _ := w.fit.Ticks()
	for d, i := range m.inModel {
		if i >= 0 && ticks > 0 {
			w.idle[d] = max(0, w.fit.Idle(i).Watts-m.ticked.load(m.ticked.own)*w.fit.Mean(i))
			w.idleSD[d] = m.idleSD[i] / max(leastLoad, m.ticked.load(m.ticked.program))
		}
	}
	return w
}

// addTick gives the model what ran between a reading and the one before it, and
// what the counters gained. What the program used beyond its goroutines' time is
// its scheduler's. What the sampler draws is in the idle machine's power, see fit.
// Goroutines cannot have run for longer than the program had
// processors, though interruptions of less than a tenth of a millisecond are not
// seen.
func (m *measurement) addTick(k *timeline, tick int, entries []power.Entry, others float64) {
	if m.model == nil || k.faulty[tick] {
		return
	}
	var ran float64
	for _, e := range entries {
		ran += e.Seconds
	}
	m.ticked.seconds += float64(k.published[tick]-k.published[tick-1]) / 1e9
	m.ticked.own += float64(k.own[tick]-k.own[tick-1]) / 1e9
	m.ticked.program += k.tickCPU(tick)
	rest := k.tickCPU(tick) - ran
	if rest < 0 {
		for i := range entries {
			entries[i].Seconds *= k.tickCPU(tick) / ran
		}
	}
	n := len(m.build.Components)
	for _, more := range []power.Entry{
		{Row: uint32(schedulerRow(n)), Seconds: rest},
		{Row: uint32(othersRow(n)), Seconds: others},
		{Row: uint32(childrenRow(n)), Seconds: min(k.childrenS(tick-1, tick), k.room(tick, m.cores))},
	} {
		if more.Seconds > 0 {
			entries = append(entries, more)
		}
	}
	// What ran is known between the moments of publication, energy between those of
	// updates, a few hundredths of a millisecond before. Both are put to one length: else
	// a program that never waits would seem to pause, and the idle machine to
	// draw what it does.
	seconds := float64(k.published[tick]-k.published[tick-1]) / 1e9
	length := float64(k.updated[tick]-k.updated[tick-1]) / 1e9
	if length < seconds/2 || length > 2*seconds {
		return
	}
	var joules []float64
	for d, i := range m.inModel {
		if i >= 0 {
			joules = append(joules, (k.joules[tick*k.domains+d]-k.joules[(tick-1)*k.domains+d])*seconds/length)
		}
	}
	m.model.Add(power.Tick{Seconds: seconds, Joules: joules, Entries: entries})
}
