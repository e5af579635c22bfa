package powercapsim

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"sync"
	"time"

	"spell-lsp/internal/powercapsim/burn"
)

// A Sim is a simulated machine. Its methods may be called from several
// goroutines.
type Sim struct {
	params Params
	random *rand.Rand // of the updating goroutine
	policy string     // scheduling policy of the updating goroutine; set before the first update

	mu      sync.Mutex // guards what follows and the tree
	zones   []*simZone
	stopped bool
	err     error // the first error of an update
	ledger  *ledger
	late    histogram

	cancel context.CancelFunc
	done   chan struct{}
}

type simZone struct {
	Zone
	folder string
	file   *os.File // the original energy_uj; a fault may replace it in the tree
	energy *history
	frozen bool
	backUJ uint64          // how far faults have set the counter back
	text   [imageSize]byte // file content of the current update
}

// New makes the tree, with the counters at their start values. Energy counts from
// here on.
func New(p Params) (*Sim, error) {
	if len(p.Zones) == 0 {
		p.Zones = DefaultZones()
	}
	if p.Clock == nil {
		p.Clock = Now
	}
	if err := p.check(); err != nil {
		return nil, fmt.Errorf("simulating powercap: %w", err)
	}
	folders, err := build(p.Dir, p.Zones)
	if err != nil {
		return nil, fmt.Errorf("simulating powercap: %w", err)
	}
	s := &Sim{params: p, random: rand.New(rand.NewPCG(p.Seed, 0))}
	if p.Accounts != "" {
		if s.ledger, err = newLedger(p.Accounts, delay{share: p.Late, by: p.LateBy, last: p.Clock()}, p.OthersWatts); err != nil {
			return nil, fmt.Errorf("simulating powercap: %w", err)
		}
		s.ledger.accounts.Physics.Store(uint64(p.Physics))
		if p.ByCPU {
			s.ledger.accounts.ByCPU.Store(1)
		}
	}
	now := s.params.Clock()
	for _, z := range p.Zones {
		if err := s.add(z, folders[z.ID()], now); err != nil {
			return nil, errors.Join(err, s.Stop())
		}
	}
	return s, nil
}

func (s *Sim) add(z Zone, folder string, now int64) error {
	f, err := os.OpenFile(filepath.Join(folder, "energy_uj"), os.O_WRONLY, 0)
	if err != nil {
		return fmt.Errorf("simulating zone %s: %w", z.ID(), err)
	}
	sz := &simZone{Zone: z, folder: folder, file: f, energy: newHistory(z, now, s.ledger)}
	if z.Mirror != "" {
		of := s.zone(z.Mirror)
		sz.energy, sz.StartUJ, sz.RangeUJ = of.energy, of.StartUJ, of.RangeUJ
	}
	s.zones = append(s.zones, sz)
	return nil
}

// Root is the folder that a reader takes for /sys/class/powercap.
func (s *Sim) Root() string { return Root(s.params.Dir) }

// Start updates the counters until ctx is done or Stop is called. It is called
// once.
func (s *Sim) Start(ctx context.Context) {
	ctx, s.cancel = context.WithCancel(ctx)
	s.done = make(chan struct{})
	begun := make(chan struct{})
	go func() {
		defer close(s.done)
		runtime.LockOSThread() // for good: the thread ends with the goroutine
		s.policy = punctual(s.params.RealTime)
		close(begun)
		s.loop(ctx)
	}()
	<-begun
}

// loop updates at times that are drawn beforehand, so a late update does not delay
// the next ones unless their times have passed too.
func (s *Sim) loop(ctx context.Context) {
	for due := Now(); ctx.Err() == nil; {
		planned := due + s.params.Period.draw(s.random).Nanoseconds()
		due = max(planned, Now())
		sleepUntil(due)
		late := Now() - planned
		s.Update()
		s.mu.Lock()
		s.late.add(time.Duration(late))
		s.mu.Unlock()
	}
}

// Stop ends the updates and closes the files; the tree and the truth stay. It
// returns the first error of an update.
func (s *Sim) Stop() error {
	if s.cancel != nil {
		s.cancel()
		<-s.done
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.stopped {
		return nil
	}
	s.stopped = true
	errs := []error{s.err}
	for _, z := range s.zones {
		errs = append(errs, z.file.Close())
	}
	return errors.Join(errs...)
}

// Update makes every counter show the energy used until now.
func (s *Sim) Update() {
	s.update()
	if s.params.Observe != nil {
		s.params.Observe()
	}
}

func (s *Sim) update() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.ledger.read(s.params.Clock())
	now := s.params.Clock()
	for _, z := range s.zones {
		if z.frozen || s.stopped {
			continue
		}
		shown := counterUJ(z.energy.until(now), z.StartUJ, z.rangeUJ())
		shown = (shown + z.rangeUJ() - z.backUJ%z.rangeUJ()) % z.rangeUJ()
		putImage(&z.text, shown)
		if _, err := z.file.WriteAt(z.text[:], 0); err != nil && s.err == nil {
			s.err = fmt.Errorf("updating zone %s: %w", z.ID(), err)
		}
	}
}

// SetWatts changes the power of a zone from now on. It has no effect on a zone
// with Joules.
func (s *Sim) SetWatts(id string, watts float64) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	z := s.zone(id)
	if z == nil {
		return fmt.Errorf("setting the power of zone %q: there is none", id)
	}
	if !isPower(watts) {
		return fmt.Errorf("setting the power of zone %q: %v W is no power", id, watts)
	}
	z.energy.setWatts(watts, s.params.Clock())
	return nil
}

// Truth is the energy in joules that each zone used until time t of the clock, by
// ID. The accounts' energy in it is that of now, not of t. Mirrors are left out:
// they use none.
func (s *Sim) Truth(t int64) map[string]float64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.ledger.read(s.params.Clock())
	truth := make(map[string]float64, len(s.zones))
	for _, z := range s.zones {
		if z.Mirror == "" {
			truth[z.ID()] = z.energy.until(t)
		}
	}
	return truth
}

// Lateness reports how late the updates were so far, and how the updating
// goroutine is scheduled. Call it after Start.
func (s *Sim) Lateness() Lateness {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.late.lateness(s.policy)
}

// Accounts returns the content of Params.Accounts; nil without one.
func (s *Sim) Accounts() *burn.Accounts {
	if s.ledger == nil {
		return nil
	}
	return s.ledger.accounts
}

func (s *Sim) zone(id string) *simZone {
	for _, z := range s.zones {
		if z.ID() == id {
			return z
		}
	}
	return nil
}
