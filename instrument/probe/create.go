package probe

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"strings"
)

// Setup says what a program is to count.
type Setup struct {
	Components int
	Subtests   bool  // they are told apart from the tests that they belong to
	Program    bool  // all of the program counts, and not only its tests
	Hot        []Hot // by component: known from before; may be shorter
	// Defers says by component whether the runtime runs deferred calls of its code without a
	// probe too; may be shorter, true then. In all others that is the probe's doing.
	Defers []bool
	// Sized are the components that note the sizes of their calls, at most MostSized.
	Sized []int
	Names *Names
	// Ticks, if not nil, begins with a 64-bit word that counts the readings of the
	// meter: what ran in between is then written down, see Occupancy. It starts
	// above 0.
	Ticks *os.File
	// OnCPU says that it is to be written down on which CPU what ran, see Occupied.
	OnCPU bool
	// Storage says that the program is to count which bytes the storage layer moved for it,
	// see Moved.
	Storage bool
	Go      GoCommand
	// The blocks of one function are components too: it, the first and the last of
	// them. There are none where LastBlock is 0.
	Owner, FirstBlock, LastBlock int
	BlockLines                   [][2]int // of each block: where it begins and ends
}

// A File is what one program counts into. It has no name: nothing is left of it
// once it is closed.
type File struct {
	setup Setup
	file  *os.File
	known *os.File // the same, under a descriptor by which descendants of the program find it; nil for none
	token uint64   // by which the program knows it
	// taken is how many records were taken from the ring of each shard, and damage
	// the first error in reading them. The program may write everywhere in its file:
	// nothing that is read again is kept there.
	taken  []uint64
	damage error
	// The same of the samples with callers, see Callers: how many were taken, and 1 + the
	// number of the one that was not whole the last time, 0 for none.
	callersTaken, callerAwaited uint64
}

// Create makes a file for a program.
func Create(s Setup) (*File, error) {
	if s.Components > MaxComponents {
		return nil, fmt.Errorf("%d components are more than the %d that can be measured at once: measure fewer packages", s.Components, MaxComponents)
	}
	file, err := nameless()
	if err != nil {
		return nil, fmt.Errorf("creating the probe's file: %w", err)
	}
	f := &File{setup: s, file: file, token: 1 + rand.Uint64N(math.MaxInt64)}
	if err := f.fill(); err != nil {
		return nil, errors.Join(fmt.Errorf("writing the probe's file: %w", err), file.Close())
	}
	seal(file, false)
	if f.known, err = f.publish(); err != nil {
		return nil, errors.Join(fmt.Errorf("writing the probe's file: %w", err), file.Close())
	}
	return f, nil
}

// Close frees the file.
func (f *File) Close() error {
	if f.known != nil {
		return errors.Join(f.known.Close(), f.file.Close())
	}
	return f.file.Close()
}

// ForProgram returns the environment variable and the inherited files with which the
// program must be started. The first of the files must become descriptor first.
func (f *File) ForProgram(first int) (variable string, files []*os.File) {
	files = []*os.File{f.file, f.setup.Names.file}
	if f.setup.Ticks != nil {
		files = append(files, f.setup.Ticks)
	}
	return fmt.Sprintf("%s=%s:%d:%d", Variable, f.flags(), first, f.token), files
}

func (f *File) fill() error {
	l := layout{rows: f.setup.Components + specials}
	if err := f.file.Truncate(int64(l.shard(maxShards))); err != nil {
		return fmt.Errorf("%w (it has %d MB, most of it empty: does ulimit -f allow that?)", err, l.shard(maxShards)>>20)
	}
	head := make([]byte, headWords*wordSize)
	set := func(word int, value uint64) { binary.NativeEndian.PutUint64(head[word*wordSize:], value) }
	set(headRows, uint64(l.rows))
	set(headShards, maxShards)
	set(headNames, uint64(f.setup.Names.slots))
	set(headToken, f.token)
	set(headOwner, math.MaxUint64)
	set(headBlock, math.MaxUint64)
	if f.setup.OnCPU {
		set(headCPUs, 1)
	}
	if f.setup.LastBlock > 0 {
		set(headOwner, uint64(f.setup.Owner+1))
		set(headBlock, uint64(f.setup.FirstBlock+1))
		set(headLastBlock, uint64(f.setup.LastBlock+1))
	}
	modes := make([]byte, l.rows)
	for i, hot := range f.setup.Hot {
		modes[i+1] = byte(hot)
	}
	for i, defers := range f.setup.Defers {
		if !defers {
			modes[i+1] |= probeDefers
		}
	}
	for i, component := range f.setup.Sized {
		modes[component+1] |= notesSizes
		number := binary.NativeEndian.AppendUint64(nil, uint64(i+1))
		if _, err := f.file.WriteAt(number, int64(l.samples()+(component+1)*sampleRow+sizedWord*wordSize)); err != nil {
			return err
		}
	}
	modes[l.rows-1] = byte(HotCalls)
	if _, err := f.file.WriteAt(head, 0); err != nil {
		return err
	}
	for i, lines := range f.setup.BlockLines {
		place := binary.NativeEndian.AppendUint64(nil, uint64(lines[0]))
		place = binary.NativeEndian.AppendUint64(place, uint64(lines[1]))
		at := l.samples() + (f.setup.FirstBlock+1+i)*sampleRow + sampled*wordSize
		if _, err := f.file.WriteAt(place, int64(at)); err != nil {
			return err
		}
	}
	_, err := f.file.WriteAt(modes, int64(l.modes()))
	return err
}

func (f *File) flags() string {
	var flags string
	if f.setup.Subtests {
		flags += "s"
	}
	if f.setup.Program {
		flags += "p"
	}
	if invariantTSC() {
		flags += "c"
	}
	if f.setup.Ticks != nil {
		flags += "t"
	}
	if f.setup.Storage {
		flags += "d"
	}
	return flags
}

// invariantTSC says that the processors' time stamp counters run at one constant
// rate and together: the kernel says the first in /proc/cpuinfo (constant_tsc,
// nonstop_tsc) and uses them for its own clock if it has found the second.
func invariantTSC() bool {
	info, err := os.ReadFile("/proc/cpuinfo")
	if err != nil {
		return false
	}
	source, err := os.ReadFile("/sys/devices/system/clocksource/clocksource0/current_clocksource")
	if err != nil {
		return false
	}
	switch strings.TrimSpace(string(source)) {
	case "tsc", "kvm-clock":
		return strings.Contains(string(info), " constant_tsc ") && strings.Contains(string(info), " nonstop_tsc ")
	}
	return false
}
