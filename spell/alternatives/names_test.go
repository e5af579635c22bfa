package alternatives_test

import (
	"errors"
	"strings"
	"testing"

	"spell-lsp/spell/alternatives"
	"spell-lsp/spell/record"
)

// named is a run of rows of these names.
func named(names ...string) *record.Run {
	m, rows := newMachine(1, 10), make(map[string][]float64)
	for i, name := range names {
		rows[name] = m.rounds(float64(i + 1))
	}
	return newRun(10, rows)
}

// Names say what is compared with what.
func TestNames(t *testing.T) {
	for _, c := range []struct {
		what  string
		names []string
		o     alternatives.Options
		want  string // groups, with their sizes and alternatives
	}{
		{"sizes", []string{"BenchmarkF/impl=a/n=9", "BenchmarkF/impl=b/n=9", "BenchmarkF/n=10/impl=a", "BenchmarkF/n=10/impl=b"}, alternatives.Options{}, "BenchmarkF n 9:a,b 10:a,b"},
		{"tests", []string{"TestF/impl=a", "TestF/impl=b"}, alternatives.Options{}, "TestF :a,b"},
		{"another number divides", []string{"BenchmarkF/impl=a/procs=2/n=9", "BenchmarkF/impl=b/procs=2/n=9", "BenchmarkF/impl=a/procs=4/n=9", "BenchmarkF/impl=b/procs=4/n=9"}, alternatives.Options{}, "BenchmarkF/procs=2 n 9:a,b; BenchmarkF/procs=4 n 9:a,b"},
		{"or is the size", []string{"BenchmarkF/impl=a/procs=2", "BenchmarkF/impl=b/procs=2"}, alternatives.Options{Size: "procs"}, "BenchmarkF procs 2:a,b"},
		{"a text divides", []string{"BenchmarkF/x/impl=a", "BenchmarkF/x/impl=b", "BenchmarkF/y/impl=a", "BenchmarkF/y/impl=b"}, alternatives.Options{}, "BenchmarkF/x :a,b; BenchmarkF/y :a,b"},
		{"a key divides", []string{"BenchmarkF/op=x/impl=a", "BenchmarkF/op=x/impl=b", "BenchmarkF/op=y/impl=a", "BenchmarkF/op=y/impl=b"}, alternatives.Options{Key: "impl"}, "BenchmarkF/op=x :a,b; BenchmarkF/op=y :a,b"},
		{"one value is no choice", []string{"BenchmarkF/op=x/impl=a", "BenchmarkF/op=x/impl=b"}, alternatives.Options{}, "BenchmarkF/op=x :a,b"},
		{"numbers by name", []string{"BenchmarkF/w=1", "BenchmarkF/w=2"}, alternatives.Options{Key: "w"}, "BenchmarkF :1,2"},
		{"benchmarks without", []string{"BenchmarkE/n=1", "BenchmarkF/impl=a", "BenchmarkF/impl=b", "TestG"}, alternatives.Options{}, "BenchmarkF :a,b"},
		{"a benchmark of the user that is named as those that are generated", []string{"BenchmarkChoose_F/impl=a", "BenchmarkChoose_F/impl=b"}, alternatives.Options{}, "BenchmarkChoose_F :a,b"},
		{"rows that contain rows", []string{"BenchmarkF", "BenchmarkF/impl=a", "BenchmarkF/impl=a/n=1", "BenchmarkF/impl=b/n=1"}, alternatives.Options{}, "BenchmarkF n 1:a,b"},
		{"a size with one is left out", []string{"BenchmarkF/impl=a/n=1", "BenchmarkF/impl=b/n=1", "BenchmarkF/impl=a/n=2"}, alternatives.Options{}, "BenchmarkF n 1:a,b"},
	} {
		t.Run(c.what, func(t *testing.T) {
			var groups []string
			for _, g := range compare(t, named(c.names...), c.o).Groups {
				text := g.Name + " " + g.SizeKey
				for _, s := range g.Sizes {
					var names []string
					for _, a := range s.Alternatives {
						names = append(names, a.Name)
					}
					text = strings.TrimRight(text, " ") + " " + s.Text + ":" + strings.Join(names, ",")
				}
				groups = append(groups, text)
			}
			if got := strings.Join(groups, "; "); got != c.want {
				t.Errorf("compared are\n%s\nwant\n%s", got, c.want)
			}
		})
	}
}

// Who gets it wrong is told how names must look, or which keys there are.
func TestErrors(t *testing.T) {
	for _, c := range []struct {
		what  string
		names []string
		o     alternatives.Options
		want  any
		text  string
	}{
		{"no keys", []string{"BenchmarkF", "TestG/x"}, alternatives.Options{}, new(*alternatives.NoneError), `no alternatives were found: .*b.Run("impl=map/n=100"`},
		{"numbers", []string{"BenchmarkF/w=1", "BenchmarkF/w=2"}, alternatives.Options{}, new(*alternatives.NoneError), "all keys (w) have numbers as values"},
		{"no such key", []string{"BenchmarkF/impl=a", "BenchmarkF/impl=b"}, alternatives.Options{Key: "imp"}, new(*alternatives.NoneError), "no name has the key imp; there are impl"},
		{"one alternative", []string{"BenchmarkF/impl=a/n=1", "BenchmarkF/impl=a/n=2"}, alternatives.Options{}, new(*alternatives.OneError), "m.BenchmarkF/impl=a/n=1 is the only alternative by the key impl"},
		{"several keys", []string{"BenchmarkF/impl=a/op=x", "BenchmarkF/impl=b/op=y"}, alternatives.Options{}, new(*alternatives.KeysError), "m.BenchmarkF has several keys whose values may be the alternatives: impl, op. Choose one with --key impl"},
		{"no such size", []string{"BenchmarkF/impl=a/n=1", "BenchmarkF/impl=b/n=1"}, alternatives.Options{Size: "m"}, new(*alternatives.SizeError), "no name with alternatives has the key m for the size; there are impl, n"},
		{"a size of words", []string{"BenchmarkF/impl=a/of=x", "BenchmarkF/impl=b/of=x"}, alternatives.Options{Size: "of"}, new(*alternatives.SizeError), "of cannot be the size: m.BenchmarkF has of=x, which is no number"},
		{"both", []string{"BenchmarkF/impl=1", "BenchmarkF/impl=2"}, alternatives.Options{Key: "impl", Size: "impl"}, new(*alternatives.SizeError), "impl cannot be both the alternatives and the size"},
	} {
		t.Run(c.what, func(t *testing.T) {
			_, err := alternatives.Of(named(c.names...), c.o)
			before, after, _ := strings.Cut(c.text, ".*")
			if err == nil || !errors.As(err, c.want) || !strings.Contains(err.Error(), before) || !strings.Contains(err.Error(), after) {
				t.Errorf("the error is %v (%T), want %q", err, err, c.text)
			}
		})
	}
}

// Why: what failed did other work. It is not compared, and it is said.
func TestFailedIsLeftOut(t *testing.T) {
	r := named("BenchmarkF/impl=a", "BenchmarkF/impl=b", "BenchmarkF/impl=c")
	r.Tests[0].Outcome = record.Fail
	result := compare(t, r, alternatives.Options{})
	if len(result.LeftOut) != 1 || result.LeftOut[0] != (alternatives.LeftOut{Test: "m.BenchmarkF/impl=a", Outcome: record.Fail}) || len(result.Groups[0].Sizes[0].Alternatives) != 2 {
		t.Errorf("left out are %v of %+v, want the one that failed", result.LeftOut, result.Groups)
	}
	r.Tests[1].Outcome = record.Skip
	_, err := alternatives.Of(r, alternatives.Options{})
	if err == nil || !strings.Contains(err.Error(), "m.BenchmarkF/impl=c is the only alternative by the key impl; left out because they did not pass: m.BenchmarkF/impl=a (fail), m.BenchmarkF/impl=b (skip)") {
		t.Errorf("the error is %v", err)
	}
	r.Tests[2].Outcome = record.Crash
	if _, err := alternatives.Of(r, alternatives.Options{}); err == nil || !strings.Contains(err.Error(), "no alternative passed; left out") {
		t.Errorf("the error is %v", err)
	}
}
