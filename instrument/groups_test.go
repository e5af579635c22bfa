package instrument

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"spell-lsp/instrument/pclntab"
	"spell-lsp/instrument/probe"
)

// grouped adds up the CPU time by go statement (its function and line, and the outermost component),
// and by labels.
func grouped(t *testing.T, b *bench, list []probe.Grouped) (statements, labels map[string]uint64) {
	t.Helper()
	f, err := os.Open(filepath.Join(b.probed, "groups.test"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	table, err := pclntab.Open(f)
	if err != nil {
		t.Fatal(err)
	}
	statements, labels = make(map[string]uint64), make(map[string]uint64)
	for _, g := range list {
		if g.Labels != nil {
			labels[fmt.Sprint(*g.Labels)] += g.NS
			continue
		}
		name := fmt.Sprint("at ", g.Statement)
		if frames := table.FramesBefore(nil, g.Statement); len(frames) > 0 {
			name = fmt.Sprintf("%s:%d", frames[0].Function, frames[0].Line)
			if !strings.HasPrefix(name, "example.com/groups.") {
				name = frames[0].Function
			}
		}
		if g.Outermost > 0 {
			name += " " + strings.TrimPrefix(b.Components[g.Outermost-1].ID, "example.com/groups.")
		}
		statements[name] += g.NS
	}
	return statements, labels
}

// See the archive: whose goroutine and under which labels the time was spent, and where most of it.
func TestSamplesTellGoroutinesAndLabels(t *testing.T) {
	b := prepare(t, Params{Dir: unpack(t, "testdata/groups.txtar")})
	if b.Fallback != "" {
		t.Fatal(b.Fallback)
	}
	plain, probed, log := b.run(t, b.Tests[0])
	if plain != probed {
		t.Errorf("without probes\n%v\nand with them\n%v", plain, probed)
	}
	at := func(function, file string) string {
		name := function[strings.LastIndexByte(function, '.')+1:]
		return fmt.Sprintf("%s:%d", function, lineOf(t, b, file, "// "+name))
	}
	much, little := at("example.com/groups.Much", "groups.go")+" Much", at("example.com/groups.Little", "groups.go")+" spins"
	const tests, none = "testing.(*T).Run", "{[] false}"
	for test, want := range map[string]struct{ statements, labels []string }{ // the dearest first where the order matters
		"TestGoroutines": {[]string{much, tests + " Spins", little}, []string{none}},
		"TestWaitGroup":  {[]string{"sync.(*WaitGroup).Go Waits"}, []string{none}},
		"TestOwn":        {[]string{at("example.com/groups.TestOwn", "groups_test.go") + " Spins"}, []string{none}},
		"TestLabels": {
			[]string{tests + " Labelled", tests + " TooLong", tests + " Spins"},
			[]string{"{[{client shop} {endpoint /buy}] false}", "{[] true}", none, "{[{client shop} {endpoint /list}] false}"},
		},
		"TestInherited": {[]string{much}, []string{"{[{job nightly}] false}"}},
	} {
		statements, labels := grouped(t, b, log.Groups[test])
		same := func(what string, got map[string]uint64, want []string) {
			whole := total(got)
			maps.DeleteFunc(got, func(name string, ns uint64) bool { // who starts a goroutine may be met, too: one sample is a part of a short test
				return ns < whole/50 || ns < whole/10 && !slices.Contains(want, name)
			})
			if names := slices.Sorted(maps.Keys(got)); !slices.Equal(names, slices.Sorted(slices.Values(want))) {
				t.Errorf("%s: the %s are\n%v\nwant\n%v", test, what, got, want)
			} else if first, last := want[0], want[len(want)-1]; got[first] < got[last] {
				t.Errorf("%s: of the %s, %s has less time than %s: %v", test, what, first, last, got)
			}
		}
		if a, b := total(statements), total(labels); a != b {
			t.Errorf("%s: goroutines have %d ns, labels %d ns: both are of all samples", test, a, b)
		}
		same("go statements", statements, want.statements)
		same("labels", labels, want.labels)
	}
	if _, labels := grouped(t, b, log.Groups["TestManyLabels"]); len(labels) < 2 || labels[none] > total(labels)/10 { // a sample may fall between two of them
		t.Errorf("40 sets of labels are %v", labels)
	}
}

// See the archive: the table of labels, into which several threads copy sets.
func TestTableOfLabels(t *testing.T) {
	runsAlone(t, "testdata/labelsets.txtar", "spell_lsp_stacks.go", "spell_lsp_groups.go")
}

func total(of map[string]uint64) (sum uint64) {
	for _, ns := range of {
		sum += ns
	}
	return sum
}
