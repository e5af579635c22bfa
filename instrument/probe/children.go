package probe

import (
	"encoding/binary"
	"os"
	"strings"
)

// The first page of the file has, from familyAt on, what all processes have in common that count
// into it: the measured program, and those of its descendants that were built with probes. Words:
// the process number of the program; the number of the test in progress; a number that tells its
// executable from others; 1 if the clock of the counters is the time stamp counter; the
// descriptors of the table of names and of the readings, in the process that has the file. Then
// follow, for each slot that a descendant may have, 32 bits with its process number; a byte for each
// pair of shards, with 1 + the slot of the descendant that took it, 0 for the program itself; and
// a GoCommand, its three texts each with a 0 behind it.
//
// A descendant finds the file as that of a measured program among its ancestors, whose parent has
// the file open under one of a few known descriptors. It takes a slot by a lock that ends with it
// (fcntl(2)). The next descendant in the slot counts on in the same shards.
const (
	familyAt  = 1024
	slotCount = 120
	pairCount = maxShards / 2

	familyNames = 4
	familyTicks = 5
	familyWords = 6

	pidsAt   = familyAt + familyWords*wordSize
	ownersAt = pidsAt + slotCount*4
	textsAt  = ownersAt + 1032
	textSize = pageSize - textsAt
)

// The descriptors under which descendants look for the file.
const firstKnown, knownDescriptors = 777, 8

// A GoCommand is what processes that are measured run in the place of the go command, when it is
// to build, install or run a program: the file By in the place of Path, with Argument before the
// arguments. Its zero value replaces nothing.
type GoCommand struct{ Path, By, Argument string }

// publish gives the file one of the known descriptors, if one is free. Without it descendants are
// not measured, as without a file in memory. The result, which may be nil, is to be closed with
// the file.
func (f *File) publish() (known *os.File, err error) {
	family := make([]byte, familyWords*wordSize)
	set := func(word int, value uint64) { binary.NativeEndian.PutUint64(family[word*wordSize:], value) }
	set(familyNames, uint64(f.setup.Names.file.Fd()))
	if f.setup.Ticks != nil {
		set(familyTicks, uint64(f.setup.Ticks.Fd()))
	}
	if _, err := f.file.WriteAt(family, familyAt); err != nil {
		return nil, err
	}
	g := f.setup.Go
	if text := strings.Join([]string{g.Path, g.By, g.Argument, ""}, "\x00"); len(text) <= textSize {
		if _, err := f.file.WriteAt([]byte(text), textsAt); err != nil {
			return nil, err
		}
	}
	return wellKnown(f.file), nil
}

// owners are the slots of the descendants that took each pair of shards, counted from 1; 0 for
// the program itself.
func (t *table) owners() ([]byte, error) {
	owners := make([]byte, pairCount)
	_, err := t.file.ReadAt(owners, ownersAt)
	return owners, err
}

// family is how long goroutines of descendants ran so far, in ticks. None of them is a stray.
func (t *table) family() (ticks uint64, err error) {
	owners, err := t.owners()
	if err != nil {
		return 0, err
	}
	for shard := 0; shard < int(t.head[headUsed]); shard += 2 {
		if owners[shard/2] == 0 {
			continue
		}
		times, err := t.words(t.shard(shard)+pages(t.rows*wordSize), t.rows*rowWords)
		if err != nil {
			return 0, err
		}
		for row := range t.rows {
			ticks += times[row*rowWords]
		}
	}
	return ticks, nil
}

// Descendants lists the process numbers of the descendants that count into the file, or did. A
// program without a file, which is nil, has none.
func (f *File) Descendants() []int {
	if f == nil {
		return nil
	}
	numbers := make([]byte, slotCount*4)
	if _, err := f.file.ReadAt(numbers, pidsAt); err != nil {
		return nil // none is known
	}
	var pids []int
	for slot := range slotCount {
		if pid := binary.NativeEndian.Uint32(numbers[slot*4:]); pid != 0 {
			pids = append(pids, int(pid))
		}
	}
	return pids
}

// DescendantsNS is how long goroutines of these processes ran so far.
func (f *File) DescendantsNS() int64 {
	if f == nil {
		return 0
	}
	t, err := f.table()
	if err != nil {
		return 0 // Read will say so
	}
	ticks, err := t.family()
	if err != nil {
		return 0
	}
	return int64(min(mostCounted, float64(ticks)*t.scale()))
}
