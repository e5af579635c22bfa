package probe

import (
	"encoding/binary"
	"fmt"
	"math"
	"os"
	"slices"
	"strings"
	"testing"
)

// ofChildren makes a file with a test in progress, two processors of the program, and the first two
// of a child: pairs of shards 0, 1 and 2, of which the third is the child's. The log has 30 ticks
// of the child.
func ofChildren(t *testing.T, log string) *File {
	t.Helper()
	f := written(t, left{
		scale: 2, log: log,
		times: map[int][][]uint64{2: {{}, {10}}, 4: {{7}, {30, 0, 0, 0, 0, 0, 0, 0, 0, 0, 5, 20, 2}}},
	})
	write(t, f, ownersAt+2, []byte{1})
	write(t, f, pidsAt, binary.NativeEndian.AppendUint32(nil, 4711))
	return f
}

// How long goroutines of child processes ran is known for each test: from the log, and for the test
// in which the program ended from the shards of children.
func TestReadsTimeOfChildren(t *testing.T) {
	f := ofChildren(t, "stop 1 0\ntest 2 0 \"TestA\"\nstop 3 0\nchildren 30\ntest 4 0 \"TestB\"\n")
	log, err := f.Read()
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []float64{60, 14} {
		if got := log.Windows[i].ChildrenNS; got != want {
			t.Errorf("children ran for %v ns in %s, want %v", got, log.Windows[i].Test, want)
		}
	}
	if got := log.Windows[1].Counts[1].SelfNS; got != 80 {
		t.Errorf("the function ran for %v ns, want 80, with the 60 in the child", got)
	}
	if got := f.DescendantsNS(); got != 74 {
		t.Errorf("children ran for %v ns in all, want 74", got)
	}
	if got := f.Descendants(); !slices.Equal(got, []int{4711}) {
		t.Errorf("children are %v, want one", got)
	}
}

// Records tell whether they are of a child.
func TestRecordsOfChildren(t *testing.T) {
	f := ofChildren(t, "")
	at := f.ringOf(t, 2)
	write(t, f, at+ringWritten*wordSize, binary.NativeEndian.AppendUint64(nil, 1))
	write(t, f, at+pageSize, binary.NativeEndian.AppendUint64(binary.NativeEndian.AppendUint64(binary.NativeEndian.AppendUint64(binary.NativeEndian.AppendUint64(nil, 1), 0), 0), 9))
	write(t, f, f.ringOf(t, 4)+ringTouched*wordSize, binary.NativeEndian.AppendUint64(nil, 2))
	got := make(map[float64]bool)
	f.Occupancy(true, func(o Occupied) { got[o.RanNS] = o.OfChild })
	if own, of := got[18], got[20]; len(got) != 2 || own || !of {
		t.Errorf("records are %v, want 18 ns of the program and 20 ns of the child", got)
	}
}

func (f *File) ringOf(t *testing.T, shard int) int {
	t.Helper()
	table, err := f.table()
	if err != nil {
		t.Fatal(err)
	}
	return table.shard(shard) + table.inShard()
}

func TestReadRefusesTimeOfChildren(t *testing.T) {
	for log, want := range map[string]string{
		"children 1\n":                                       "before any stop",
		"stop 1 0\nchildren -1\n":                            "invalid syntax",
		"stop 1 0\nchildren 1 2\n":                           "invalid syntax",
		fmt.Sprintf("stop 1 0\nchildren %d\n", 1<<62):        "child processes ran for",
		"stop 1 0\nchildren 38\ntest 2 0 \"TestA\"\n":        "child processes ran for", // more than there is in the shards
		fmt.Sprint("stop 1 0\nchildren ", math.MaxInt, "\n"): "child processes ran for",
	} {
		if _, err := ofChildren(t, log).Read(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("log %q: error is %v, want one with %q", log, err, want)
		}
	}
}

// The files of eight programs can be found by their children at a time; more programs are measured
// without their children. A file that is closed makes room.
func TestFilesUnderKnownDescriptors(t *testing.T) {
	names, err := NewNames(Index{})
	if err != nil {
		t.Fatal(err)
	}
	defer names.Close()
	var files []*File
	create := func() *File {
		f, err := Create(Setup{Names: names})
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, f)
		return f
	}
	for range knownDescriptors {
		create()
	}
	if f := create(); f.known != nil {
		t.Errorf("the ninth file has descriptor %d", f.known.Fd())
	}
	if err := files[3].Close(); err != nil {
		t.Fatal(err)
	}
	f := create()
	if f.known == nil || f.known.Fd() != firstKnown+3 {
		t.Error("a file does not get the descriptor of one that was closed")
	}
	link := fmt.Sprintf("/proc/self/fd/%d", f.known.Fd())
	if target, err := os.Readlink(link); err != nil || target != "/memfd:spell-lsp (deleted)" {
		t.Errorf("%s is %q, %v; children know it by another name", link, target, err)
	}
	for _, f := range files {
		f.Close()
	}
}
