package children

import (
	"maps"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
)

const ms = 1_000_000

// An alive is a process of a test; times are in ms.
type alive struct {
	pid, parent int
	own, waited int64
	name        string // "" is sh
	start       uint64 // 0 is its pid
	group       int    // 0 is the root's
}

// A poll is the input of one update, and the sum that the tree must have afterwards.
// shown is the root's sum over what it waited for, as the kernel shows it.
type poll struct {
	shown int64
	alive []alive
	want  int64
}

const root = 10

func (l poll) processes() []process {
	var list []process
	for _, a := range l.alive {
		p := process{pid: a.pid, parent: a.parent, group: a.group, name: a.name, start: a.start, ownNS: a.own * ms, waitedNS: a.waited * ms}
		if p.name == "" {
			p.name = "sh"
		}
		if p.start == 0 {
			p.start = uint64(a.pid)
		}
		if p.group == 0 {
			p.group = root
		}
		list = append(list, p)
	}
	return list
}

// The CPU time of all descendants is known at each poll: it grows while they run, does
// not jump when they are waited for, and never falls.
func TestTree(t *testing.T) {
	for _, test := range []struct {
		why   string
		polls []poll
	}{
		{"there is none", []poll{{0, nil, 0}, {0, nil, 0}}},
		{"a child runs, and is waited for", []poll{
			{0, []alive{{pid: 11, parent: root, own: 5}}, 5},
			{0, []alive{{pid: 11, parent: root, own: 105}}, 105},
			{120, nil, 120}, // it ran on until it ended
			{120, nil, 120},
		}},
		{"what is waited for is shown rounded down: there is no step back", []poll{
			{0, []alive{{pid: 11, parent: root, own: 109}}, 109},
			{100, nil, 109},
			{100, []alive{{pid: 12, parent: root, own: 7}}, 116},
			{110, nil, 116},
		}},
		{"nobody saw them: the sum of those waited for tells it all", []poll{{300, nil, 300}, {1000, nil, 1000}}},
		{"a child of a child, waited for by it, which is waited for", []poll{
			{0, []alive{{pid: 11, parent: root, own: 10}, {pid: 12, parent: 11, own: 50}}, 60},
			{0, []alive{{pid: 11, parent: root, own: 10, waited: 70}}, 80},
			{80, nil, 80},
		}},
		{"both ended between two polls", []poll{
			{0, []alive{{pid: 11, parent: root, own: 10}, {pid: 12, parent: 11, own: 50}}, 60},
			{70, nil, 70},
		}},
		{"its parent ended: it goes on, and is followed although it left the group", []poll{
			{0, []alive{{pid: 11, parent: root, own: 10}, {pid: 12, parent: 11, own: 50}}, 60},
			{10, []alive{{pid: 12, parent: 1, own: 90, group: 12}}, 100},
			{10, []alive{{pid: 12, parent: 1, own: 190, group: 12}}, 200},
			{10, nil, 200},
			{30, nil, 220}, // of another descendant that nobody saw
		}},
		{"nobody saw its parent, but it is in the group", []poll{{0, []alive{{pid: 12, parent: 1, own: 40}}, 40}, {0, nil, 40}}},
		{"nobody waits for them, as SIGCHLD is ignored", []poll{
			{0, []alive{{pid: 11, parent: root, own: 200}}, 200},
			{0, nil, 200},
			{0, []alive{{pid: 12, parent: root, own: 300}}, 500},
			{0, nil, 500},
			{0, []alive{{pid: 13, parent: root, own: 3}}, 503},
			{0, nil, 503},
			{0, []alive{{pid: 14, parent: root, own: 4}}, 507},
			{0, nil, 507},
		}},
		{"one was not waited for: what is waited for later counts beside it", []poll{
			{0, []alive{{pid: 11, parent: root, own: 200}}, 200},
			{0, nil, 200},
			{0, nil, 200},
			{500, nil, 680}, // 20 ms of the first may be in the sum
		}},
		{"a sum that shows late, as it was read before the child was waited for", []poll{
			{0, []alive{{pid: 11, parent: root, own: 200}}, 200},
			{0, nil, 200},
			{200, nil, 200},
			{200, nil, 200},
		}},
		{"a number is used again, by a child", []poll{
			{0, []alive{{pid: 11, parent: root, own: 50}}, 50},
			{50, []alive{{pid: 11, parent: root, own: 5, start: 99}}, 55},
			{50, []alive{{pid: 11, parent: root, own: 8, start: 99}}, 58},
		}},
		{"a number is used again, by a stranger", []poll{
			{0, []alive{{pid: 11, parent: root, own: 50}}, 50},
			{50, []alive{{pid: 11, parent: 1, own: 5000, start: 99, group: 7}}, 50},
		}},
		{"strangers are none", []poll{{0, []alive{{pid: 2, parent: 1, own: 900, group: 2}, {pid: 3, parent: 2, own: 900, group: 2}}, 0}}},
		{"the root is none of its descendants", []poll{{0, []alive{{pid: root, parent: 1, own: 900}}, 0}}},
		{"a child that is seen before its parent in the list", []poll{{0, []alive{{pid: 12, parent: 11, own: 5, group: 3}, {pid: 11, parent: root, own: 1}}, 6}}},
		{"a clock that falls is not believed", []poll{{0, []alive{{pid: 11, parent: root, own: 50}}, 50}, {0, []alive{{pid: 11, parent: root, own: 20}}, 50}}},
		{"a sum that falls is not believed", []poll{{500, nil, 500}, {100, nil, 500}}},
	} {
		t.Run(test.why, func(t *testing.T) {
			tree := newTree(root)
			for i, l := range test.polls {
				tree.update(l.shown*ms, sumPrecisionNS, l.processes())
				if tree.totalNS != l.want*ms {
					t.Errorf("poll %d adds up to %v ms, want %d", i+1, float64(tree.totalNS)/ms, l.want)
				}
			}
		})
	}
}

// At the end the kernel gives the sum over what was waited for to the microsecond:
// descendants that were seen and are not in this sum were not waited for.
func TestTreeAtTheEnd(t *testing.T) {
	tree := newTree(root)
	tree.update(0, sumPrecisionNS, poll{alive: []alive{{pid: 11, parent: root, own: 3}, {pid: 12, parent: root, own: 4}}}.processes())
	tree.update(0, sumPrecisionNS, nil) // 11 was waited for, 12 was not
	tree.update(3*ms+500_000, 0, nil)
	if want := int64(7 * ms); tree.totalNS < want || tree.totalNS > want+500_000 {
		t.Errorf("3.5 ms that were waited for and 4 that were not are %v ms", float64(tree.totalNS)/ms)
	}
}

// The CPU time that the root will not wait for is reported by itself: it enters none of
// the kernel's sums.
func TestApart(t *testing.T) {
	tree := newTree(root)
	tree.update(0, sumPrecisionNS, poll{alive: []alive{{pid: 11, parent: root, own: 1}, {pid: 12, parent: 11, own: 2}}}.processes())
	if got := tree.apartNS(); got != 0 {
		t.Errorf("of children of the root and theirs %v ms are apart", float64(got)/ms)
	}
	tree.update(0, sumPrecisionNS, poll{alive: []alive{
		{pid: 11, parent: root, own: 1}, {pid: 12, parent: 1, own: 40}, {pid: 13, parent: 12, own: 8}, {pid: 14, parent: 11, own: 16},
	}}.processes())
	if got := tree.apartNS(); got != 48*ms {
		t.Errorf("%v ms are apart, want those of an orphan and its child", float64(got)/ms)
	}
	tree.update(20*ms, sumPrecisionNS, nil)
	if got := tree.apartNS(); got != 48*ms {
		t.Errorf("%v ms are apart when all have ended, want those of an orphan and its child", float64(got)/ms)
	}
}

// A thousand short children that nobody sees are known as well as a long one: the
// kernel keeps their sum exactly, and rounds it down only once.
func TestShortChildren(t *testing.T) {
	tree := newTree(root)
	for n := range int64(1000) {
		tree.update((n+1)*ms/tickNS*tickNS, sumPrecisionNS, nil)
	}
	if tree.totalNS < 980*ms || tree.totalNS > 1000*ms {
		t.Errorf("1000 children of 1 ms used %v ms", float64(tree.totalNS)/ms)
	}
}

// CPU time is booked under the name that a process has when it uses the time: a shell
// that executes another program was a shell before. Descendants that nobody saw have no
// name.
func TestPrograms(t *testing.T) {
	tree := newTree(root)
	tree.update(0, sumPrecisionNS, poll{alive: []alive{{pid: 11, parent: root, own: 2}, {pid: 12, parent: 11, own: 30, name: "cc1"}}}.processes())
	tree.update(0, sumPrecisionNS, poll{alive: []alive{{pid: 11, parent: root, own: 7, waited: 40, name: "make"}, {pid: 13, parent: 11, own: 1, name: "cc1"}}}.processes())
	tree.update(100*ms, sumPrecisionNS, nil)
	want := []Program{{"cc1", 31 * ms}, {"make", 5 * ms}, {"sh", 2 * ms}, {"", 62 * ms}}
	if diff := cmp.Diff(want, tree.programs()); diff != "" {
		t.Errorf("programs (-want +got):\n%s", diff)
	}
	if names := slices.Sorted(maps.Keys(tree.ofNS)); len(names) != 3 {
		t.Errorf("names %q", names)
	}
}

func TestParse(t *testing.T) {
	const tail = " 0 -1 4194304 98 0 0 0 250 50 1000 30 20 0 1 0 156409 3133440 392 18446744073709551615 1 1 0 0 0 0 0 0 0 0 0 0"
	for _, test := range []struct {
		why, text string
		want      process
		ok        bool
	}{
		{"a process", "77 (a.test) S 12 70 70" + tail + " 17 1 0 0\n",
			process{pid: 77, start: 156409, parent: 12, group: 70, name: "a.test", ownNS: 3000 * ms, waitedNS: 10_300 * ms}, true},
		{"a name that looks like fields", "77 (a) R 1 (2) S 12 70 70" + tail + " 17 1 0 0\n",
			process{pid: 77, start: 156409, parent: 12, group: 70, name: "a) R 1 (2", ownNS: 3000 * ms, waitedNS: 10_300 * ms}, true},
		{"a thread", "78 (a.test) S 12 70 70" + tail + " -1 1 0 0\n", process{}, false},
		{"a file that is cut off", "77 (a.test) S 12 70 70 0 -1", process{}, false},
		{"no number", "77 (a.test) S twelve 70 70" + tail + " 17 1 0 0\n", process{}, false},
		{"nothing", "", process{}, false},
		{"brackets in the wrong order", ") (", process{}, false},
	} {
		got, ok := parse([]byte(test.text))
		if ok != test.ok {
			t.Errorf("%s: %t", test.why, ok)
		}
		if diff := cmp.Diff(test.want, got, cmp.AllowUnexported(process{})); ok && diff != "" {
			t.Errorf("%s (-want +got):\n%s", test.why, diff)
		}
	}
}

func TestLastCreated(t *testing.T) {
	for text, want := range map[string]int{"0.00 0.01 0.05 2/345 8765\n": 8765, "0.00 0.01 0.05 2/345\n": 0, "": 0, "0 0 0 1/2 x": 0, "0 0 0 1/2 0": 0} {
		if got, ok := lastCreated([]byte(text)); got != want && ok || ok != (want > 0) {
			t.Errorf("%q: %d, %t", text, got, ok)
		}
	}
}
