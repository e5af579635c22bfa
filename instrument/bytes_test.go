package instrument

import (
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"spell-lsp/instrument/probe"
)

// moved is what each component moved in each test, by name; "" is test code, and "strays"
// are goroutines of tests that have ended.
func moved(b *Build, log *probe.Log) map[string]map[string]probe.Moved {
	all := make(map[string]map[string]probe.Moved)
	for _, w := range log.Windows {
		for row, c := range w.Counts {
			name := "runtime"
			switch {
			case row == 0:
				name = ""
			case row <= len(b.Components):
				name = strings.TrimPrefix(b.Components[row-1].ID, "example.com/bytes.")
			case row == probe.StraysRow(len(b.Components)):
				name = "strays"
			}
			if c.Moved == (probe.Moved{}) {
				continue
			}
			if all[w.Test] == nil {
				all[w.Test] = make(map[string]probe.Moved)
			}
			sum := probe.Count{Moved: all[w.Test][name]}.Plus(c)
			all[w.Test][name] = sum.Moved
		}
	}
	return all
}

// Why: the energy of disks and networks belongs to whoever moved the bytes, whichever way
// they take through the standard library and the kernel. Every byte counts once in each
// direction, at the innermost function of the module on the stack.
func TestBytesBelongToWhoMovedThem(t *testing.T) {
	b := prepare(t, Params{Dir: unpack(t, "testdata/bytes.txtar")})
	const size = 300_000
	want := map[string]map[string]probe.Moved{
		"TestSave":       {"write": {Written: 64 << 20}},
		"TestLoad":       {"Load": {Read: size}},
		"TestSeek":       {"Seek": {Read: 4 * 3000, Written: 100}},
		"TestBuffer":     {"Buffer": {Written: 16_000}},
		"TestCopyFile":   {"CopyFile": {Read: size, Written: size}},
		"TestSendFile":   {"SendFile": {Read: size, Sent: size}, "Drain": {Received: size}},
		"TestRelay":      {"Send": {Sent: size}, "Relay": {Received: size, Sent: size}, "Drain": {Received: size}},
		"TestVectors":    {"Vectors": {Sent: 32_010}, "Drain": {Received: 32_010}},
		"TestDatagrams":  {"Datagrams": {Sent: 1000}, "Receive": {Received: 1000}, "Messages": {Sent: 1200}, "ReceiveMessage": {Received: 300}, "ReceiveMany": {Received: 900}},
		"TestPuts":       {"Put": {Written: 80}, "Puts": {Written: 4}},
		"TestBackground": {"Background": {Written: 8000}},
		"TestRaw":        {"Raw": {Read: 77}},
		"TestGeneric":    {"Generic": {Written: 7}},
		"TestMethod":     {"file.Method": {Written: 11}},
		"TestRecursive":  {"Recursive": {Written: 4096}},
		"TestReuse":      {"Reuse": {Written: 45}},
		"TestPeek":       {"Send": {Sent: 10}, "Peek": {Received: 10}},
		"TestCode":       {"": {Written: 500}},
		"TestWaits":      {"strays": {Written: 900}},
	}
	plain, probed, log := b.run(t, b.Tests[0])
	check(t, "bytes", plain, probed)
	if diff := cmp.Diff(want, moved(b.Build, log)); diff != "" {
		t.Errorf("bytes moved (-want +got):\n%s", diff)
	}
}

// Why: a read that the page cache serves costs nothing, and no function must pay for what
// others had the disk do. The program asks the kernel before and after Save.
func TestStoredBytesAreWhatTheKernelSays(t *testing.T) {
	b := prepare(t, Params{Dir: unpack(t, "testdata/bytes.txtar")})
	t.Setenv("SAY_STORED", "1")
	probed, log := b.runProbed(t, b.Tests[0], probe.Setup{Storage: true, Defers: b.Defers}, "-test.run=^(TestSave|TestLoad|TestRecursive|TestVectors)$")
	m := regexp.MustCompile(`STORED (\d+)`).FindStringSubmatch(probed.Output)
	if m == nil {
		t.Fatalf("the program said:\n%s", probed.Output)
	}
	stored := must(strconv.ParseUint(m[1], 10, 64))
	all := moved(b.Build, log)
	// The file system's own blocks that opening and closing the file made dirty are nobody's.
	if got := all["TestSave"]["write"]; got.Stored > stored || got.Stored < stored-stored/100 || got.BelowStored != got.Stored || got.Written != 64<<20 {
		t.Errorf("write moved %+v, the kernel stored %d bytes meanwhile", got, stored)
	}
	if got := all["TestSave"]["Save"]; got != (probe.Moved{BelowStored: all["TestSave"]["write"].Stored}) {
		t.Errorf("Save has %+v, want only what its callee stored", got)
	}
	if got := all["TestRecursive"]["Recursive"]; got.BelowStored != got.Stored {
		t.Errorf("Recursive stored %d bytes, with callees %d: want the same", got.Stored, got.BelowStored)
	}
	if got := all["TestLoad"]["Load"]; got.Read != 300_000 || got.Fetched != 0 {
		t.Errorf("Load moved %+v of a file without blocks, want nothing fetched", got)
	}
	ignore := cmpopts.IgnoreFields(probe.Moved{}, "Sent", "Received")
	if diff := cmp.Diff(probe.Moved{}, all["TestVectors"]["Vectors"], ignore); diff != "" {
		t.Errorf("Vectors, over loopback (-want +got):\n%s", diff)
	}
}
