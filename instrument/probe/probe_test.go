package probe

import (
	"encoding/binary"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// written makes a file as a program with two components leaves it behind.
func written(t testing.TB, log string, table ...[6]uint64) string {
	t.Helper()
	name := filepath.Join(t.TempDir(), "probe")
	if _, err := Create(name, 2, false); err != nil {
		t.Fatal(err)
	}
	f, err := os.OpenFile(name, os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for row, counters := range table {
		for i, v := range counters {
			var word [8]byte
			binary.NativeEndian.PutUint64(word[:], v)
			if _, err := f.WriteAt(word[:], int64(row*rowSize+8*i)); err != nil {
				t.Fatal(err)
			}
		}
	}
	if _, err := f.WriteAt([]byte(log), 5*rowSize); err != nil {
		t.Fatal(err)
	}
	return name
}

func TestRead(t *testing.T) {
	for _, test := range []struct {
		name, log string
		table     [][6]uint64
		want      Log
	}{
		{name: "a program that never came to its tests"},
		{
			name: "what ran before the first test belongs to none",
			log:  "cost 20 30\nstop 5\n1 7 70 70 70 0 0\ntest 6 \"TestA\"\nstop 9\n1 1 2 3 4 5 6\nend pass \"TestA\"\n",
			want: Log{InnerNS: 20, OuterNS: 30,
				Windows: []Window{{Test: "TestA", Start: 6, End: 9, Counts: map[int]Count{1: {1, 2, 3, 4, 5, 6}}}},
				Ends:    []End{{"TestA", "pass"}}},
		},
		{
			name: "a test that waits for its turn has two windows",
			log:  "stop 1\ntest 2 \"TestA\"\nstop 3\ntest 4 \"TestB\"\nstop 5\n2 1 1 1 1 0 0\ntest 6 \"TestA\"\nstop 7\n",
			want: Log{Windows: []Window{
				{Test: "TestA", Start: 2, End: 3, Counts: map[int]Count{}},
				{Test: "TestB", Start: 4, End: 5, Counts: map[int]Count{2: {1, 1, 1, 1, 0, 0}}},
				{Test: "TestA", Start: 6, End: 7, Counts: map[int]Count{}},
			}},
		},
		{
			name:  "after a kill the open test has what the table holds beyond the log",
			log:   "stop 1\n1 3 30 30 30 0 0\ntest 2 \"TestA\"\nstop 3\n1 1 10 10 10 0 1\ntest 4 \"TestB\"\n",
			table: [][6]uint64{{0, 5}, {9, 90, 91, 92, 1, 4}},
			want: Log{Open: true, Windows: []Window{
				{Test: "TestA", Start: 2, End: 3, Counts: map[int]Count{1: {1, 10, 10, 10, 0, 1}}},
				{Test: "TestB", Start: 4, End: 4, Counts: map[int]Count{0: {0, 5, 0, 0, 0, 0}, 1: {5, 50, 51, 52, 1, 3}}},
			}},
		},
		{
			name: "a line that was being written is left out",
			log:  "stop 1\ntest 2 \"TestA\"\nstop 3\nend pa",
			want: Log{Windows: []Window{{Test: "TestA", Start: 2, End: 3, Counts: map[int]Count{}}}},
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			got, err := Read(written(t, test.log, test.table...), 2)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(&test.want, got); diff != "" {
				t.Errorf("log differs (-want +got):\n%s", diff)
			}
		})
	}
}

func TestReadRefuses(t *testing.T) {
	for log, want := range map[string]string{
		"walk 1\n":                 "line 1",
		"stop 1\n1 2 3\n":          "line 2",
		"stop x\n":                 "invalid syntax",
		"1 1 1 1 1 1 1\n":          "before any stop",
		"stop 1\ntest 2 TestA\n":   "line 2",
		"stop 1\n1 -1 1 1 1 1 1\n": "invalid syntax",
		"stop 1\nend pass TestA\n": "invalid syntax",
	} {
		if _, err := Read(written(t, log), 2); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("log %q: error is %v, want one with %q", log, err, want)
		}
	}
	short := filepath.Join(t.TempDir(), "short")
	if err := os.WriteFile(short, make([]byte, 100), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := Read(short, 2); err == nil || !strings.Contains(err.Error(), "100 bytes") {
		t.Errorf("a cut file: error is %v, want one that tells its size", err)
	}
}

func TestCreateRefusesTooManyComponents(t *testing.T) {
	if _, err := Create(filepath.Join(t.TempDir(), "probe"), MaxComponents+1, false); err == nil {
		t.Error("more components than the probe's table can hold were accepted")
	}
}

// Whatever a crashed program leaves in the file, reading it ends with a log or
// an error.
func FuzzParse(f *testing.F) {
	f.Add([]byte("cost 20 30\nstop 5\n1 7 70 70 70 0 0\ntest 6 \"TestA\"\nstop 9\n1 1 2 3 4 5 6\nend pass \"TestA\"\n"))
	f.Add([]byte("test 1 \"a\"\ntest 2 \"b\"\nstop x\n"))
	f.Fuzz(func(t *testing.T, text []byte) {
		p := parser{logged: make(map[int]Count)}
		if p.parse(text) == nil && p.open {
			p.finish(make([]byte, 3*rowSize))
		}
		for _, w := range p.log.Windows {
			if w.Counts == nil {
				t.Errorf("window %+v has no counts", w)
			}
		}
	})
}
