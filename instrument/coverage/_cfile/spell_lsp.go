// What a program that is built with -cover tells of its counters while it runs. This file stands in
// package internal/coverage/cfile during the build that counts calls only. Package coverage of
// spell-lsp reads what is written here, and tells its form.

//go:build linux && (amd64 || arm64)

package cfile

import (
	"internal/coverage"
	"internal/coverage/decodemeta"
	"internal/coverage/rtcov"
	"internal/runtime/exithook"
	"os"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"unsafe"
)

// spellVariable is the process ID of whoever reads the counts, the descriptor by which it asks for
// them (0 for none), whether subtests have rows, and the file, with colons between.
const spellVariable = "SPELL_LSP_COUNTS"

// spell is what has been written so far. A program that nobody reads has no file.
var spell struct {
	sync.Mutex
	file     string
	subtests bool
	who      string // the first word of each entry
	known    map[[2]uint32]*spellFunction
	packages map[uint32]*decodemeta.CoverageMetaDataDecoder
}

// A spellFunction is one that was called.
type spellFunction struct {
	number int
	last   uint32 // calls that are written
}

func init() {
	value := strings.SplitN(os.Getenv(spellVariable), ":", 4)
	if len(value) != 4 {
		return
	}
	spell.file, spell.subtests, spell.who = value[3], value[2] == "true", "child"
	spell.known = make(map[[2]uint32]*spellFunction)
	spell.packages = make(map[uint32]*decodemeta.CoverageMetaDataDecoder)
	if strconv.Itoa(os.Getppid()) == value[0] {
		spell.who = "program"
		if fd, _ := strconv.Atoi(value[1]); fd > 0 {
			syscall.CloseOnExec(fd)
			go spellAnswer(fd)
		}
	}
	exithook.Add(exithook.Hook{F: func() { SpellWrite("exit\n") }, RunOnFailure: true})
}

// spellAnswer writes the counts whenever it is asked to.
func spellAnswer(fd int) {
	for b := make([]byte, 1); ; {
		n, err := syscall.Read(fd, b)
		switch {
		case err == syscall.EINTR:
			continue
		case n != 1:
			return
		}
		SpellWrite("moment\n")
		syscall.Write(fd, b)
	}
}

// SpellTests says whether the tests of this program are to be told apart, and their subtests. A
// child process that runs the program again belongs to the test that started it.
func SpellTests() (tests, subtests bool) { return spell.who == "program", spell.subtests }

// SpellWrite writes how often functions were called since it was called last, and then what happens
// now. An entry is written at once: entries of several processes follow each other.
func SpellWrite(then string) {
	if spell.file == "" {
		return
	}
	spell.Lock()
	defer spell.Unlock()
	entry := append([]byte(spell.who), ' ')
	entry = append(strconv.AppendInt(entry, int64(os.Getpid()), 10), '\n')
	s := &emitState{counterlist: getCovCounterList(), pkgmap: rtcov.Meta.PkgMap}
	s.VisitFuncs(func(pkg, function uint32, counters []uint32) error {
		entry = spellCounted(entry, pkg, function, counters[0])
		return nil
	})
	entry = append(entry, then...)
	fd, err := syscall.Open(spell.file, syscall.O_WRONLY|syscall.O_APPEND|syscall.O_CLOEXEC, 0)
	if err != nil {
		return // whoever reads it is gone
	}
	defer syscall.Close(fd)
	for len(entry) > 0 {
		n, err := syscall.Write(fd, entry)
		if err != nil && err != syscall.EINTR {
			return
		}
		entry = entry[max(0, n):]
	}
}

// spellCounted appends the calls of a function that are new. The first block of a function begins
// with it: its counter is that of calls.
func spellCounted(entry []byte, pkg, function, calls uint32) []byte {
	f := spell.known[[2]uint32{pkg, function}]
	if f == nil {
		f = &spellFunction{number: len(spell.known)}
		spell.known[[2]uint32{pkg, function}] = f
		entry = spellDefine(entry, f.number, pkg, function)
	}
	if calls == f.last {
		return entry
	}
	entry = append(strconv.AppendInt(append(entry, "calls "...), int64(f.number), 10), ' ')
	entry = append(strconv.AppendUint(entry, uint64(calls-f.last), 10), '\n')
	f.last = calls
	return entry
}

// spellDefine appends where the first block of a function begins.
func spellDefine(entry []byte, number int, pkg, function uint32) []byte {
	of := spell.packages[pkg]
	if of == nil && int(pkg) < len(rtcov.Meta.List) {
		blob := rtcov.Meta.List[pkg]
		of, _ = decodemeta.NewCoverageMetaDataDecoder(unsafe.Slice(blob.P, blob.Len), true)
		spell.packages[pkg] = of
	}
	var desc coverage.FuncDesc
	if of == nil || of.ReadFunc(function, &desc) != nil || len(desc.Units) == 0 {
		return entry // its calls are nobody's
	}
	entry = append(strconv.AppendInt(append(entry, "function "...), int64(number), 10), ' ')
	entry = append(strconv.AppendUint(entry, uint64(desc.Units[0].StLine), 10), ' ')
	entry = append(strconv.AppendUint(entry, uint64(desc.Units[0].StCol), 10), ' ')
	return append(strconv.AppendQuote(entry, desc.Srcfile), '\n')
}
