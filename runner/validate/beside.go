package validate

import (
	"cmp"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"

	"spell-lsp/runner/meter"
	"spell-lsp/runner/meters"
	"spell-lsp/runner/sampler"
	"spell-lsp/spell"
	"spell-lsp/spell/record"
	"spell-lsp/spell/validation"
)

// beside reads the counter and the other sources of this machine at the same moments, all slowly.
type beside struct {
	readers []*reader           // the counter itself first
	refused []validation.Source // sources that work, and could not be opened
	quit    chan struct{}
	done    sync.WaitGroup
}

type reader struct {
	name        string
	sampler     *sampler.Sampler
	at          int  // of the domain cpu
	whole       bool // it is of the whole machine
	first, last float64
	begun       bool
	failed      string // why its energy is not known, "" if it is
}

const besidePeriod = 200 * time.Millisecond

// openBeside opens all sources that measure the processor, if there are two at least. Sources of this
// machine say nothing of counters in another folder, or of another machine.
func (s *session) openBeside() *beside {
	b := &beside{quit: make(chan struct{})}
	if s.result.Unsought = s.Site != nil || s.Meters.PowercapRoot != ""; s.result.Unsought {
		return b
	}
	reports := sampler.Doctor(s.Meters)
	own := ofProcessor(s.result.Meter.Name, reports)
	names := []string{own}
	for _, r := range reports {
		if r.Works && r.Source == record.Measured && r.Name != own && slices.Contains(r.Domains, spell.CPU) {
			names = append(names, r.Name)
		}
	}
	if own == "" || len(names) < 2 {
		return b
	}
	for i, name := range names {
		one, err := sampler.Open(name, s.Meters)
		if err != nil && i == 0 {
			return b // nothing to compare with
		}
		if err != nil {
			b.refused = append(b.refused, validation.Source{Name: name, Failed: name + ": " + err.Error()})
			continue
		}
		one.Every(besidePeriod) //nolint:errcheck // it would only be read more often
		b.readers = append(b.readers, newReader(name, one))
	}
	b.done.Go(b.follow)
	return b
}

// ofProcessor is the part of a combined meter that measures the processor, "" if none does.
func ofProcessor(name string, reports []meters.Report) string {
	for part := range strings.SplitSeq(name, ",") {
		if slices.ContainsFunc(reports, func(r meters.Report) bool { return r.Name == part && slices.Contains(r.Domains, spell.CPU) }) {
			return part
		}
	}
	return ""
}

func newReader(name string, s *sampler.Sampler) *reader {
	return &reader{name: name, sampler: s, at: slices.Index(s.Info().Domains, spell.CPU), whole: coversAll(s.Info())}
}

// follow takes the readings until the end.
func (b *beside) follow() {
	for {
		for _, r := range b.readers {
			r.take()
		}
		select {
		case <-b.quit:
			return
		case <-time.After(besidePeriod):
		}
	}
}

// take keeps the latest reading.
func (r *reader) take() {
	r.add(r.sampler.Take())
	if r.sampler.Ended() {
		r.fail("the process that reads it ended")
	}
}

// add adds readings. The first one begins, so that what it misses is of no account.
func (r *reader) add(list []sampler.Reading, err error) {
	if err != nil {
		r.fail(err.Error())
	}
	for i := range list {
		one := &list[i]
		if one.Faulty && r.begun {
			r.fail("a reading failed")
		}
		if r.last = one.Joules[r.at]; !r.begun {
			r.first, r.begun = r.last, true
		}
	}
}

// fail keeps the first cause.
func (r *reader) fail(why string) { r.failed = cmp.Or(r.failed, why) }

// stop ends the readings.
func (b *beside) stop() {
	select {
	case <-b.quit:
	default:
		close(b.quit)
	}
	b.done.Wait()
}

func (b *beside) close() {
	b.stop()
	for _, r := range b.readers {
		r.sampler.Close() //nolint:errcheck // it only reads
	}
}

// sources are what the others gained since they were opened, and what happened to those that cannot say it.
func (b *beside) sources() (list []validation.Source) {
	b.stop()
	list = b.refused
	if len(b.readers) < 2 {
		return list
	}
	counter := b.readers[0]
	for _, r := range b.readers[1:] {
		whole, can := compared(counter, r)
		if !can {
			continue
		}
		one := validation.Source{Name: r.name, Whole: whole, Failed: cmp.Or(r.fault(), counter.fault())}
		if one.Failed == "" {
			one.SourceJ, one.CounterJ = r.last-r.first, counter.last-counter.first
		}
		list = append(list, one)
	}
	return list
}

// fault is why the energy of a reader is not known, "" if it is.
func (r *reader) fault() string {
	if r.failed == "" && !r.begun {
		return r.name + " was never read"
	}
	if r.failed != "" {
		return r.name + ": " + r.failed
	}
	return ""
}

// compared says whether a source of the whole machine is compared with a counter of a part of it, and whether
// the two can be compared: of others, as of a sensor of the processor beside RAPL, nobody knows which must
// gain more.
func compared(counter, source *reader) (whole, can bool) {
	whole = source.whole && !counter.whole
	return whole, whole || readsRAPL(source.name) && readsRAPL(counter.name)
}

// readsRAPL says whether a meter reads the processor's own counter: two that do must agree.
func readsRAPL(name string) bool {
	return slices.Contains([]string{"rapl", "perf"}, name)
}

// coversAll says whether a meter is of the whole machine.
func coversAll(info meter.Info) bool { return len(info.Includes) == len(spell.Domains()) }

// severalPackages are the separate counters of machines with several packages, where psys is of one of them.
var severalPackages = regexp.MustCompile(`^(psys|package)-[0-9]+$`)

// platform compares the counter of the whole machine, which is read with the counter, with that, over the
// tests whose energy both know.
func platform(m validation.Measurements) []validation.Source {
	if slices.ContainsFunc(m.Start.Meter.Separate, severalPackages.MatchString) {
		return nil
	}
	s := validation.Source{Name: "psys", Whole: true}
	for i := range m.Start.Tests {
		t := &m.Start.Tests[i]
		if joules, has := t.SeparateJ[s.Name]; has {
			s.SourceJ, s.CounterJ = s.SourceJ+joules, s.CounterJ+t.EnergyJ[spell.CPU]
		}
	}
	if s.SourceJ == 0 {
		return nil
	}
	return []validation.Source{s}
}
