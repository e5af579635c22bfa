package execution

import (
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"sync"
	"time"

	"spell-lsp/instrument/probe"
	"spell-lsp/runner/attribution"
	"spell-lsp/runner/stacks"
	"spell-lsp/runner/stacks/frames"
	"spell-lsp/runner/stacks/owner"
)

// Sampling says how programs without probes are sampled.
type Sampling struct {
	Index      probe.Index   // finds components by the names of their functions
	Components int           // that the build has, rows of Library included
	Library    *Library      // nil where time outside of the workspace is its caller's
	Period     time.Duration // CPU time of a thread between samples
	Profiled   bool          // programs sample themselves, as the kernel may not
	// Open opens the sampler of a process; nil is stacks.Open.
	Open func(pid int, o stacks.Options) (*stacks.Sampler, error)
}

// A sampling is the stack samples of one execution. They are the kernel's, read by the watch, or those of
// the program's own profiler, and are asked for by what leads a scenario.
type sampling struct {
	Sampling
	rule    *owner.Rule
	mu      sync.Mutex
	sampler *stacks.Sampler // nil before the program runs
	names   *frames.Names
	ids     map[string]int32 // of the places of the latest stacks, by their program counters
	known   map[string]int32 // of places, by what they are
	places  []place          // by ID
	over    bool             // the process has ended
	profile *ownProfile      // nil where the kernel samples the program
	spans   []span           // in the order of time; never none
	stats   stacks.Stats
}

// A span is what was seen between two instants at which a window may begin or end. What was seen
// is added up, so that the length of a run takes no memory.
type span struct {
	start int64         // ns of CLOCK_MONOTONIC; it ends where the next one starts
	seen  map[int32]sum // by place
}

// A sum is of samples.
type sum struct {
	ns      uint64
	samples uint64
}

// What bounds the memory: stacks whose places are remembered, and different places. Of places
// beyond these, who called them is forgotten.
const (
	mostStacks = 1 << 14
	mostPlaces = 1 << 16
)

// A place is what a stack stands for.
type place struct {
	row      int   // that has the time; -1 for none
	rows     []int // of the components on the stack, the innermost first; one that calls itself once
	cut      bool
	line     int
	callee   string // without a row, that the line called; "" for none
	assembly bool
}

// samplingOf is the sampling of a program that is to be started.
func samplingOf(p Program, s Sampling) (*sampling, error) {
	taken := newSampling(s)
	var err error
	if s.Profiled {
		taken.profile, err = newOwnProfile(p.file)
	}
	return taken, err
}

func newSampling(s Sampling) *sampling {
	rule := owner.NewRule(s.Index, nil)
	if s.Library != nil {
		rule.Outside = s.Library.row
	}
	return &sampling{Sampling: s, rule: rule, names: frames.New(), ids: make(map[string]int32), known: make(map[string]int32), spans: make([]span, 1)}
}

// start begins to sample a process that runs, and that was started just now unless it is joined.
func (s *sampling) start(pid int, joined bool) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.profile != nil {
		return nil
	}
	open, err := s.Open, error(nil)
	if open == nil {
		open = stacks.Open
	}
	s.sampler, err = open(pid, stacks.Options{Period: s.Period, Started: !joined})
	s.over = errors.Is(err, stacks.ErrEnded)
	if s.over {
		return nil
	}
	return err
}

// read takes the samples that there are, and hands over what ran, and who called the component that
// did.
func (s *sampling) read(ran func(attribution.Sample), called func(probe.CallerSeen)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.sampler == nil {
		return
	}
	alive := s.sampler.Read(func(one *stacks.Sample) {
		id := s.identify(one)
		s.add(id, one.Time, one.NS)
		p := &s.places[id]
		ran(attribution.Sample{Thread: uint64(one.TID), Row: p.row, AtNS: one.Time, RanNS: one.NS})
		if caller, known := p.caller(); known && s.isComponent(p.row) {
			called(probe.CallerSeen{Row: uint32(p.row), Caller: uint32(caller), Thread: uint64(one.TID), AtNS: one.Time})
		}
	})
	s.over = s.over || !alive
}

// caller is the row of the component that called the innermost one; 0 if none did.
func (p *place) caller() (row int, known bool) {
	if len(p.rows) > 1 {
		return p.rows[1], true
	}
	return 0, !p.cut
}

// cut begins another span, and returns its start: now, an instant, or that of the present one.
func (s *sampling) cut(now int64) int64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	last := s.spans[len(s.spans)-1].start
	if now > last {
		s.spans = append(s.spans, span{start: now})
	}
	return max(now, last)
}

// add books a sample of that time. It can be read when its span is over.
func (s *sampling) add(id int32, at, ns int64) { s.addSum(id, at, sum{uint64(ns), 1}) }

// addSum is add for several samples.
func (s *sampling) addSum(id int32, at int64, more sum) {
	i := len(s.spans) - 1
	for i > 0 && s.spans[i].start >= at {
		i--
	}
	if s.spans[i].seen == nil {
		s.spans[i].seen = make(map[int32]sum)
	}
	seen := s.spans[i].seen[id]
	s.spans[i].seen[id] = sum{seen.ns + more.ns, seen.samples + more.samples}
}

// ended says whether the process has ended.
func (s *sampling) ended() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.over
}

// pause is how long may pass until the next read.
func (s *sampling) pause() time.Duration {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.sampler == nil {
		return watchEvery
	}
	return s.sampler.Pause()
}

// stop ends the sampling.
func (s *sampling) stop() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.sampler == nil {
		return
	}
	s.stats = s.sampler.Stats()
	s.sampler.Close() //nolint:errcheck // it was only read
	s.sampler = nil
}

// identify finds or makes the ID of a stack.
func (s *sampling) identify(one *stacks.Sample) int32 {
	whole := s.names.Stack(one)
	key := make([]byte, 0, 8*(len(whole)+2))
	key = binary.NativeEndian.AppendUint64(key, uint64(one.Process.PID))
	if one.Kernel {
		key = append(key, 'k')
	}
	for _, pc := range whole {
		key = binary.NativeEndian.AppendUint64(key, pc)
	}
	id, known := s.ids[string(key)]
	if !known {
		if len(s.ids) >= mostStacks {
			clear(s.ids)
		}
		id = s.place(s.placeOf(s.names.Frames(nil, one), s.names.Main(one.Process), one.Cut))
		s.ids[string(key)] = id
	}
	return id
}

// place finds or makes the ID of a place.
func (s *sampling) place(p place) int32 {
	id, known := s.known[p.key()]
	if known {
		return id
	}
	if len(s.places) >= mostPlaces && len(p.rows) > 1 {
		p.rows, p.cut = p.rows[:1], true
		return s.place(p)
	}
	id = int32(len(s.places))
	s.known[p.key()] = id
	s.places = append(s.places, p)
	return id
}

// key is what tells a place from others.
func (p *place) key() string { return fmt.Sprint(p.row, p.rows, p.cut, p.line, p.assembly, p.callee) }

// placeOf finds the place of a stack, in a program with that import path of package main.
func (s *sampling) placeOf(found []frames.Frame, main string, cut bool) place {
	whose := s.rule.Of(frames.Functions(found), main)
	p := place{row: s.rowOf(whose), cut: cut}
	for _, row := range whose.Rows {
		if n := len(p.rows); row > 0 && (n == 0 || p.rows[n-1] != row) {
			p.rows = append(p.rows, row)
		}
	}
	if s.inWorkspace(p.row) {
		p.line = found[whose.Frame].Line
		if whose.Callee >= 0 {
			callee := found[whose.Callee]
			p.callee, p.assembly = probe.WithoutTypeArguments(callee.Function), callee.Assembly
		}
	}
	return p
}

// rowOf is the row that has the time of a stack.
func (s *sampling) rowOf(whose owner.Place) int {
	switch {
	case whose.Assists, whose.Kind == owner.Collector:
		return probe.RuntimeRow(s.Components)
	case whose.Kind == owner.Component:
		return whose.Rows[0]
	case whose.Kind == owner.Scheduler:
		return -1 // no row has it
	}
	return 0
}

// between are the spans from one instant to another.
func (s *sampling) between(from, to int64) []span {
	at := func(t int64) int {
		i, _ := slices.BinarySearchFunc(s.spans, t, func(one span, t int64) int { return cmp.Compare(one.start, t) })
		return i
	}
	return s.spans[at(from):max(at(from), at(to))]
}

// own is the CPU time of components since an instant.
func (s *sampling) own(from int64) map[int]float64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	times := make(map[int]float64)
	for _, span := range s.between(from, math.MaxInt64) {
		for id, seen := range span.seen {
			if row := s.places[id].row; s.isComponent(row) {
				times[row-1] += float64(seen.ns)
			}
		}
	}
	return times
}

func (s *sampling) isComponent(row int) bool { return row > 0 && row <= s.Components }

// inWorkspace says of a row whether it is a component whose source is in the workspace.
func (s *sampling) inWorkspace(row int) bool {
	return s.isComponent(row) && (s.Library == nil || row < s.Library.First)
}

// fill fills in what samples saw in the windows of an execution. main is the import path of package main.
func (s *sampling) fill(e *Execution, main string) (err error) {
	if s.profile != nil {
		err = s.profile.take(s, main, e.Status != "")
	}
	e.Parts, e.Sampled = s.count(e.Log), s.stats
	if s.profile != nil {
		checkProfile(e)
	}
	return err
}

// count fills in what samples saw in the windows of a log, and returns the parts of the
// components' own time, by test. How often functions were called is not known.
func (s *sampling) count(log *probe.Log) map[string][]Part {
	s.mu.Lock()
	defer s.mu.Unlock()
	log.Calls = make(map[string][]probe.Call)
	parts, forests := make(map[string]map[Part]uint64), make(map[string]*forest)
	for i := range log.Windows {
		w := &log.Windows[i]
		w.Counts = make(map[int]probe.Count)
		if parts[w.Test] == nil {
			parts[w.Test], forests[w.Test] = make(map[Part]uint64), newForest()
		}
		for _, span := range s.between(w.Start, w.End) {
			for _, id := range slices.Sorted(maps.Keys(span.seen)) {
				p, seen := &s.places[id], span.seen[id]
				if p.row < 0 {
					w.SchedulerNS += seen.ns
					continue
				}
				p.add(w.Counts, seen)
				if s.isComponent(p.row) {
					forests[w.Test].add(p, seen.ns)
				}
				if s.inWorkspace(p.row) {
					parts[w.Test][Part{Row: p.row, Line: p.line, Function: p.callee, Assembly: p.assembly}] += seen.ns
				}
			}
		}
	}
	for test, f := range forests {
		log.Calls[test] = f.calls
	}
	return listed(parts)
}

// add books CPU time.
func (p *place) add(counts map[int]probe.Count, seen sum) {
	c, ns := counts[p.row], seen.ns
	c.SelfNS, c.KeptNS, c.Samples = c.SelfNS+ns, c.KeptNS+ns, c.Samples+seen.samples
	counts[p.row] = c
	for i, row := range p.rows {
		if slices.Contains(p.rows[:i], row) {
			continue // recursion counts once
		}
		c := counts[row]
		c.CumNS, c.WallNS, c.BelowNS = c.CumNS+ns, c.WallNS+ns, c.BelowNS+ns
		counts[row] = c
	}
}

// listed lists the parts of each test, in a fixed order.
func listed(parts map[string]map[Part]uint64) map[string][]Part {
	all := make(map[string][]Part, len(parts))
	for test, of := range parts {
		for p, ns := range of {
			p.NS = ns
			all[test] = append(all[test], p)
		}
		slices.SortFunc(all[test], func(a, b Part) int {
			return cmp.Or(cmp.Compare(a.Row, b.Row), cmp.Compare(a.Line, b.Line), cmp.Compare(a.Function, b.Function))
		})
	}
	return all
}

// A forest is who called whom.
type forest struct {
	calls []probe.Call
	at    map[[2]int]int // by caller, plus 1, and row
}

func newForest() *forest { return &forest{at: make(map[[2]int]int)} }

// add books CPU time to a stack.
func (f *forest) add(p *place, ns uint64) {
	at := -1
	for i := len(p.rows) - 1; i >= 0; i-- {
		key := [2]int{at + 1, p.rows[i]}
		next, known := f.at[key]
		if !known {
			next = len(f.calls)
			f.at[key] = next
			f.calls = append(f.calls, probe.Call{Caller: at, Row: p.rows[i], Cut: p.cut && at < 0})
		}
		at = next
	}
	if at >= 0 {
		f.calls[at].NS += ns
	}
}
