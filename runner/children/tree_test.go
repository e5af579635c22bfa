package children

import (
	"maps"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
)

const ms = 1_000_000

// An alive is a process that runs; times are in ms.
type alive struct {
	pid, parent int
	own, waited int64
	name        string // "" means sh
	start       uint64 // 0 means its pid
	group       int    // 0 means the root's
}

// A poll is the input of one update, and the total that the tree must have afterwards.
type poll struct {
	shown int64 // CPU time of the children that the root waited for, as the kernel shows it
	alive []alive
	want  int64
}

const root = 10

func (p poll) processes() []process {
	var list []process
	for _, a := range p.alive {
		next := process{pid: a.pid, parent: a.parent, group: a.group, name: a.name, start: a.start, ownNS: a.own * ms, waitedNS: a.waited * ms}
		if next.name == "" {
			next.name = "sh"
		}
		if next.start == 0 {
			next.start = uint64(a.pid)
		}
		if next.group == 0 {
			next.group = root
		}
		list = append(list, next)
	}
	return list
}

// The CPU time of all descendants is known at each poll. It grows while they run, does not
// jump when they are waited for, and never falls.
func TestTree(t *testing.T) {
	for _, test := range []struct {
		why   string
		polls []poll
	}{
		{"no descendants", []poll{{0, nil, 0}, {0, nil, 0}}},
		{"a child runs, and is waited for", []poll{
			{0, []alive{{pid: 11, parent: root, own: 5}}, 5},
			{0, []alive{{pid: 11, parent: root, own: 105}}, 105},
			{120, nil, 120}, // it ran on until it ended
			{120, nil, 120},
		}},
		{"the kernel rounds the sum over children down: the total does not step back", []poll{
			{0, []alive{{pid: 11, parent: root, own: 109}}, 109},
			{100, nil, 109},
			{100, []alive{{pid: 12, parent: root, own: 7}}, 116},
			{110, nil, 116},
		}},
		{"no poll saw the children: the kernel's sum counts them", []poll{{300, nil, 300}, {1000, nil, 1000}}},
		{"a grandchild is waited for by the child, then the child by the root", []poll{
			{0, []alive{{pid: 11, parent: root, own: 10}, {pid: 12, parent: 11, own: 50}}, 60},
			{0, []alive{{pid: 11, parent: root, own: 10, waited: 70}}, 80},
			{80, nil, 80},
		}},
		{"child and grandchild end between two polls", []poll{
			{0, []alive{{pid: 11, parent: root, own: 10}, {pid: 12, parent: 11, own: 50}}, 60},
			{70, nil, 70},
		}},
		{"an orphan runs on, and is followed although it left the process group", []poll{
			{0, []alive{{pid: 11, parent: root, own: 10}, {pid: 12, parent: 11, own: 50}}, 60},
			{10, []alive{{pid: 12, parent: 1, own: 90, group: 12}}, 100},
			{10, []alive{{pid: 12, parent: 1, own: 190, group: 12}}, 200},
			{10, nil, 200},
			{30, nil, 220}, // of another descendant that no poll saw
		}},
		{"an orphan whose parent no poll saw, in the process group", []poll{{0, []alive{{pid: 12, parent: 1, own: 40}}, 40}, {0, nil, 40}}},
		{"the root ignores SIGCHLD, so no child is waited for", []poll{
			{0, []alive{{pid: 11, parent: root, own: 200}}, 200},
			{0, nil, 200},
			{0, []alive{{pid: 12, parent: root, own: 300}}, 500},
			{0, nil, 500},
			{0, []alive{{pid: 13, parent: root, own: 3}}, 503},
			{0, nil, 503},
			{0, []alive{{pid: 14, parent: root, own: 4}}, 507},
			{0, nil, 507},
		}},
		{"one child was not waited for: children that are waited for later are added", []poll{
			{0, []alive{{pid: 11, parent: root, own: 200}}, 200},
			{0, nil, 200},
			{0, nil, 200},
			{500, nil, 680}, // 20 ms of the first may be in the sum
		}},
		{"the sum was read before the child was waited for, and grows at the next poll", []poll{
			{0, []alive{{pid: 11, parent: root, own: 200}}, 200},
			{0, nil, 200},
			{200, nil, 200},
			{200, nil, 200},
		}},
		{"a child reuses a PID", []poll{
			{0, []alive{{pid: 11, parent: root, own: 50}}, 50},
			{50, []alive{{pid: 11, parent: root, own: 5, start: 99}}, 55},
			{50, []alive{{pid: 11, parent: root, own: 8, start: 99}}, 58},
		}},
		{"an unrelated process reuses a PID", []poll{
			{0, []alive{{pid: 11, parent: root, own: 50}}, 50},
			{50, []alive{{pid: 11, parent: 1, own: 5000, start: 99, group: 7}}, 50},
		}},
		{"unrelated processes are not descendants", []poll{{0, []alive{{pid: 2, parent: 1, own: 900, group: 2}, {pid: 3, parent: 2, own: 900, group: 2}}, 0}}},
		{"the root is not its own descendant", []poll{{0, []alive{{pid: root, parent: 1, own: 900}}, 0}}},
		{"a child that comes before its parent in the list", []poll{{0, []alive{{pid: 12, parent: 11, own: 5, group: 3}, {pid: 11, parent: root, own: 1}}, 6}}},
		{"a CPU time that falls is ignored", []poll{{0, []alive{{pid: 11, parent: root, own: 50}}, 50}, {0, []alive{{pid: 11, parent: root, own: 20}}, 50}}},
		{"a sum that falls is ignored", []poll{{500, nil, 500}, {100, nil, 500}}},
	} {
		t.Run(test.why, func(t *testing.T) {
			tree := newTree(root)
			for i, p := range test.polls {
				tree.update(p.shown*ms, sumPrecisionNS, p.processes())
				if tree.totalNS != p.want*ms {
					t.Errorf("after poll %d the total is %v ms, want %d", i+1, float64(tree.totalNS)/ms, p.want)
				}
			}
		})
	}
}

// At the end the kernel gives the CPU time of the children that were waited for to the
// microsecond. Descendants that were seen and are missing in it are added.
func TestTreeAtTheEnd(t *testing.T) {
	tree := newTree(root)
	tree.update(0, sumPrecisionNS, poll{alive: []alive{{pid: 11, parent: root, own: 3}, {pid: 12, parent: root, own: 4}}}.processes())
	tree.update(0, sumPrecisionNS, nil) // 11 was waited for, 12 was not
	tree.update(3*ms+500_000, 0, nil)
	if want := int64(7 * ms); tree.totalNS < want || tree.totalNS > want+500_000 {
		t.Errorf("the total is %v ms, want 7 to 7.5: 3.5 ms were waited for, 4 ms were not", float64(tree.totalNS)/ms)
	}
}

// The CPU time of processes that the root will not wait for is also reported separately,
// because it enters none of the kernel's sums.
func TestApart(t *testing.T) {
	tree := newTree(root)
	tree.update(0, sumPrecisionNS, poll{alive: []alive{{pid: 11, parent: root, own: 1}, {pid: 12, parent: 11, own: 2}}}.processes())
	if got := tree.apartNS(); got != 0 {
		t.Errorf("%v ms are apart, want 0: the root waits for its child, and the child for the grandchild", float64(got)/ms)
	}
	tree.update(0, sumPrecisionNS, poll{alive: []alive{
		{pid: 11, parent: root, own: 1}, {pid: 12, parent: 1, own: 40}, {pid: 13, parent: 12, own: 8}, {pid: 14, parent: 11, own: 16},
	}}.processes())
	if got := tree.apartNS(); got != 48*ms {
		t.Errorf("%v ms are apart, want the 48 ms of an orphan and its child", float64(got)/ms)
	}
	tree.update(20*ms, sumPrecisionNS, nil)
	if got := tree.apartNS(); got != 48*ms {
		t.Errorf("%v ms are apart after all have ended, want the 48 ms of an orphan and its child", float64(got)/ms)
	}
}

// A thousand short children that no poll sees are counted as well as a long one: the
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

// CPU time counts under the name that a process has when it uses the time: before a shell
// executes another program, its time is the shell's. Descendants that no poll saw have no
// name.
func TestPrograms(t *testing.T) {
	tree := newTree(root)
	tree.update(0, sumPrecisionNS, poll{alive: []alive{{pid: 11, parent: root, own: 2}, {pid: 12, parent: 11, own: 30, name: "cc1"}}}.processes())
	tree.update(0, sumPrecisionNS, poll{alive: []alive{{pid: 11, parent: root, own: 7, waited: 40, name: "make"}, {pid: 13, parent: 11, own: 1, name: "cc1"}}}.processes())
	tree.update(100*ms, sumPrecisionNS, nil)
	want := []Program{{"cc1", 31 * ms}, {"make", 5 * ms}, {"sh", 2 * ms}, {"", 62 * ms}}
	if diff := cmp.Diff(want, tree.programs(0)); diff != "" {
		t.Errorf("programs (-want +got):\n%s", diff)
	}
	if names := slices.Sorted(maps.Keys(tree.ofNS)); len(names) != 3 {
		t.Errorf("names %q", names)
	}
}

// A descendant that is measured in another way has no part in the programs. Where polls saw less of
// it than it is known to have used, the difference is not taken for that of others.
func TestProgramsThatAreMeasuredElsewhere(t *testing.T) {
	tree := newTree(root)
	tree.elsewhere = []int{12}
	tree.update(0, sumPrecisionNS, poll{alive: []alive{{pid: 11, parent: root, own: 2}, {pid: 12, parent: 11, own: 30, name: "tool"}}}.processes())
	tree.update(100*ms, sumPrecisionNS, nil)
	for elsewhere, want := range map[int64][]Program{0: {{"sh", 2 * ms}, {"", 68 * ms}}, 70 * ms: {{"sh", 2 * ms}, {"", 28 * ms}}, 98 * ms: {{"sh", 2 * ms}}} {
		if diff := cmp.Diff(want, tree.programs(elsewhere)); diff != "" {
			t.Errorf("programs beside %d ns (-want +got):\n%s", elsewhere, diff)
		}
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
		{"a parent that is not a number", "77 (a.test) S twelve 70 70" + tail + " 17 1 0 0\n", process{}, false},
		{"an empty file", "", process{}, false},
		{"brackets in the wrong order", ") (", process{}, false},
	} {
		got, ok := parse([]byte(test.text))
		if ok != test.ok {
			t.Errorf("%s: parsed is %t, want %t", test.why, ok, test.ok)
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
