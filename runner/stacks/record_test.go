package stacks

import (
	"encoding/binary"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// words are numbers as the kernel writes them.
func words(list ...uint64) []byte {
	var b []byte
	for _, w := range list {
		b = binary.NativeEndian.AppendUint64(b, w)
	}
	return b
}

// pair is two numbers of 32 bits in a word.
func pair(a, b uint32) uint64 {
	return binary.NativeEndian.Uint64(binary.NativeEndian.AppendUint32(binary.NativeEndian.AppendUint32(nil, a), b))
}

const markUser = 1<<64 - 512 // PERF_CONTEXT_USER

func TestParseSample(t *testing.T) {
	user := header{kind: recordSample, misc: 2}
	begins := []uint64{pair(7, 8), 1000, pair(3, 0), 5000}
	sample := func(rest ...uint64) []byte { return words(append(append([]uint64(nil), begins...), rest...)...) }
	is := func(k taken) taken {
		k.pid, k.tid, k.cpu, k.time, k.count = 7, 8, 3, 1000, 5000
		return k
	}
	for name, tt := range map[string]struct {
		h       header
		content []byte
		link    bool
		want    taken
	}{
		"marks are left out":                 {user, sample(3, markUser, 0x40, 0x50, 16, 1, 2, 16), false, is(taken{stack: []uint64{0x40, 0x50}, ret: []uint64{1, 2}})},
		"in the kernel":                      {header{kind: recordSample, misc: 1 | 1<<14}, sample(2, markUser, 0x40, 16, 1, 2, 16), false, is(taken{kernel: true, stack: []uint64{0x40}, ret: []uint64{1, 2}})},
		"a thread without memory of its own": {user, sample(0, 0), false, is(taken{stack: []uint64{}})},
		"the stack ends there":               {user, sample(1, 0x40, 16, 1, 2, 8), false, is(taken{stack: []uint64{0x40}})},
		"the link register":                  {user, sample(1, 0x40, 2, 9, 16, 1, 2, 16), true, is(taken{stack: []uint64{0x40}, ret: []uint64{9, 1}})},
		"no registers":                       {user, sample(1, 0x40, 0, 0), true, is(taken{stack: []uint64{0x40}})},
	} {
		got, ok := parseSample(tt.h, tt.content, tt.link)
		if diff := cmp.Diff(tt.want, got, cmp.AllowUnexported(taken{})); diff != "" || !ok {
			t.Errorf("%s: %t (-want +got):\n%s", name, ok, diff)
		}
	}
	whole := sample(1, 0x40, 16, 1, 2, 16)
	for size := range len(whole) - 7 { // but for the last word, which is there only with the stack
		if _, ok := parseSample(user, whole[:size], false); ok {
			t.Errorf("%d bytes of a sample of %d are taken for one", size, len(whole))
		}
	}
	if _, ok := parseSample(user, sample(1<<61, 0x40), false); ok {
		t.Error("a stack that is longer than its record is taken")
	}
}

func TestParseOthers(t *testing.T) {
	if got, parent, ok := parseTask(words(pair(7, 6), pair(8, 5), 1000)); !ok || got != (task{7, 8}) || parent != 6 {
		t.Errorf("a thread that starts: %v, %d, %t", got, parent, ok)
	}
	if got, ok := parseComm(append(words(pair(7, 8)), "name\x00\x00\x00\x00"...)); !ok || got != (task{7, 8}) {
		t.Errorf("a program that begins: %v, %t", got, ok)
	}
	if _, _, ok := parseTask(words(1)); ok {
		t.Error("half a record is taken")
	}
	if _, ok := parseComm(nil); ok {
		t.Error("an empty record is taken")
	}
	if n := parseLost(header{kind: recordLost}, words(42, 3)); n != 3 {
		t.Errorf("%d records were lost", n)
	}
	if n := parseLost(header{kind: recordLostSamples}, words(4)); n != 4 {
		t.Errorf("%d samples were lost", n)
	}
}

// The kernel writes what is read here, but the buffer is in memory that is shared with it.
func FuzzRecords(f *testing.F) {
	f.Add(words(pair(7, 8), 1000, pair(3, 0), 5000, 3, markUser, 0x40, 0x50, 16, 1, 2, 16), uint16(2), true)
	f.Add(words(1), uint16(1), false)
	f.Fuzz(func(t *testing.T, content []byte, misc uint16, link bool) {
		k, _ := parseSample(header{misc: misc}, content, link)
		if len(k.stack) > len(content)/8 || len(k.ret) > 2 {
			t.Errorf("%d entries in %d bytes, %d words", len(k.stack), len(content), len(k.ret))
		}
		parseTask(content)
		parseComm(content)
		parseLost(header{kind: recordLost}, content)
	})
}

func TestParseMaps(t *testing.T) {
	const text = `00400000-00562000 r-xp 00001000 fe:00 131 /tmp/a program (deleted)
00562000-00699000 r--p 00162000 fe:00 131 /tmp/a program (deleted)
7fe4f5a00000-7fe4f5a02000 r-xp 00000000 00:00 0
7fe4f5bd2000-7fe4f5bd4000 r-xp 00000000 00:00 0                          [vdso]
ffffffffff600000-ffffffffff601000 --xp 00000000 00:00 0                  [vsyscall]
`
	got, err := parseMaps(text)
	want := []Mapping{
		{0x400000, 0x562000, 0x1000, "/tmp/a program (deleted)"},
		{0x7fe4f5a00000, 0x7fe4f5a02000, 0, ""},
		{0x7fe4f5bd2000, 0x7fe4f5bd4000, 0, "[vdso]"},
		{0xffffffffff600000, 0xffffffffff601000, 0, "[vsyscall]"},
	}
	if diff := cmp.Diff(want, got); err != nil || diff != "" {
		t.Errorf("%v (-want +got):\n%s", err, diff)
	}
	for _, bad := range []string{"no line\n", "20-10 r-xp 0 fe:00 1 /a\n"} {
		if _, err := parseMaps(bad); err == nil {
			t.Errorf("%q is taken", bad)
		}
	}
	p := &Process{Mappings: want}
	if m, ok := p.At(0x561fff); !ok || m.Start != 0x400000 {
		t.Errorf("the last byte of the program is in %v, %t", m, ok)
	}
	if m, ok := p.At(0x562000); ok {
		t.Errorf("data are in %v", m)
	}
	if r := (&Process{}).Executable(); r != nil {
		t.Errorf("a process without a known file has %v", r)
	}
}
