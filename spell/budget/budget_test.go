package budget

import (
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"
)

func TestAmounts(t *testing.T) {
	for _, c := range []struct {
		comment, want string
		ok            bool
	}{
		{"//spell:budget 25mJ/call", "25mJ/call", true},
		{"//spell:budget\t 2ms/call , 3 calls/test  ", "2ms/call , 3 calls/test", true},
		{"//spell:budget 2ms/call // until the cache is back", "2ms/call", true},
		{"//spell:budget", "", true},
		{"//spell:budget // none", "", true},
		{"//spell:budgets 25mJ/call", "", false},
		{"// spell:budget 25mJ/call", "", false},
		{"/*spell:budget 25mJ/call*/", "", false},
	} {
		got, offset, ok := Amounts(c.comment)
		if got != c.want || ok != c.ok {
			t.Errorf("%q has the amounts %q %v, want %q %v", c.comment, got, ok, c.want, c.ok)
		}
		if ok && !strings.HasPrefix(c.comment[offset:], got) {
			t.Errorf("%q: the amounts are not at %d", c.comment, offset)
		}
	}
}

func TestParse(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"25mJ/call", "25 mJ per call: energy 0.025"},
		{" 25 mJ / call ", "25 mJ per call: energy 0.025"},
		{"1.5Wh/test", "1.5 Wh per test: energy 5400"},
		{"2 kJ/test", "2 kJ per test: energy 2000"},
		{"100 µJ/call", "100 µJ per call: energy 0.0001"}, // U+00B5
		{"100 μJ/call", "100 μJ per call: energy 0.0001"}, // U+03BC
		{"1uJ/call, 1nJ/call", "1 uJ per call: energy 1e-06; 1 nJ per call: energy 1e-09"},
		{"2ms/call,1.5s/test", "2 ms per call: time 2; 1.5 s per test: time 1500"},
		{"5us/call", "5 us per call: time 0.005"},
		{"5ns/call", "5 ns per call: time 5e-06"},
		{"1min/test", "1 min per test: time 60000"},
		{"1200 calls/test", "1200 calls per test: calls 1200"},
		{"1 call/test", "1 call per test: calls 1"},
		{"0 calls/test", "0 calls per test: calls 0"},
	} {
		list, err := Parse(c.text)
		if err != nil {
			t.Errorf("%q: %v", c.text, err)
			continue
		}
		var got []string
		for _, l := range list {
			got = append(got, fmt.Sprintf("%s: %s %.6g", l, l.Quantity, l.Max))
		}
		if got := strings.Join(got, "; "); got != c.want {
			t.Errorf("%q is %q, want %q", c.text, got, c.want)
		}
	}
}

func TestParseErrors(t *testing.T) {
	for _, c := range []struct {
		text   string
		column int
		what   string
	}{
		{"", 1, "an amount is wanted here"},
		{"25mJ/call,", 11, "an amount is wanted here"},
		{"mJ/call", 1, "a number is wanted here, of at least 0"},
		{"-1 mJ/call", 1, "a number is wanted"},
		{"1..2 mJ/call", 1, "a number is wanted"},
		{"25/call", 3, "a unit is wanted after the number, such as mJ, ms or calls"},
		{"25 mj/call", 4, `"mj" is no unit, write mJ`},
		{"25 MS/call", 4, `"MS" is no unit, write ms`},
		{"25 kg/call", 4, `"kg" is no unit: it is one of nJ,`},
		{"1mJ/call, 25 µW/call", 14, `"µW" is no unit`},
		{"µ", 1, "a number is wanted"},
		{"25mJ", 5, "/call or /test is wanted after the unit"},
		{"25mJ/round", 6, `call or test is wanted after /, not "round"`},
		{"25mJ/call 2ms/call", 6, `call or test is wanted after /, not "call 2ms/call"`},
		{"3 calls/call", 9, "calls are limited per test: write calls/test"},
		{strings.Repeat("mJ", 200), 1, "the amounts are longer than 300 bytes"},
		{"1e999 J/call", 2, `"e999 J" is no unit`},
		{"NaN J/call", 1, "a number is wanted"},
		{"1\x1b[31mJ/call", 2, `"\x1b[31mJ" is no unit`},
	} {
		_, err := Parse(c.text)
		var fault *SyntaxError
		ok := errors.As(err, &fault)
		if !ok || fault.Column != c.column || !strings.HasPrefix(fault.What, c.what) {
			t.Errorf("%q: the error is %v, want column %d: %s", c.text, err, c.column, c.what)
		}
		if ok && !strings.HasSuffix(err.Error(), "; amounts are like 25mJ/call, 2ms/call, 1200 calls/test") {
			t.Errorf("%q: the error gives no example: %v", c.text, err)
		}
	}
}

// Whatever a comment says, it is read or refused with a column inside of it, and what is read says
// the same when it is read again.
func FuzzParse(f *testing.F) {
	for _, s := range []string{"25mJ/call, 2ms/call", "1200 calls/test", "1µJ / test", "", ",", "1e9J/call", "\xff1J/call", strings.Repeat("9", 290) + "Wh/call", "0x1p-2 J/call"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		list, err := Parse(text)
		if err != nil {
			if fault := (*SyntaxError)(nil); !errors.As(err, &fault) || fault.Column < 1 || fault.Column > len([]rune(text))+1 {
				t.Errorf("%q: column %d", text, fault.Column)
			}
			return
		}
		for _, l := range list {
			if !(l.Max >= 0) || math.IsInf(l.Max, 0) {
				t.Errorf("%q has the limit %v", text, l.Max)
			}
			again, err := Parse(strings.Replace(l.String(), " per ", "/", 1))
			if err != nil || len(again) != 1 || again[0] != l {
				t.Errorf("%q: %q is read as %v, %v", text, l, again, err)
			}
		}
	})
}

func TestDecide(t *testing.T) {
	limit := Limit{Max: 10}
	for _, c := range []struct {
		why  string
		v    Value
		want Verdict
	}{
		{"exactly the limit", Exact(10), Kept},
		{"sums have rounding errors", Exact(10 + 1e-12), Kept},
		{"exact and beyond", Exact(10.1), Broken},
		{"the whole interval is within", Value{Mean: 8, Low: 7, High: 9}, Kept},
		{"the whole interval is beyond", Value{Mean: 12, Low: 11, High: 13}, Broken},
		{"the interval has the limit in it", Value{Mean: 12, Low: 9, High: 15}, Undecided},
		{"also where the mean is within", Value{Mean: 9, Low: 7, High: 11}, Undecided},
		{"below resolution nothing is broken", Value{Mean: 100, Low: 90, High: 110, Unresolved: true}, Undecided},
		{"below resolution, and near", Value{Mean: 2, Low: 2, High: 2, Unresolved: true}, Undecided},
		{"below resolution, and far below the limit", Value{Mean: 0.9, Low: 0.8, High: 1, Unresolved: true}, Kept},
	} {
		if got := limit.Decide(c.v); got != c.want {
			t.Errorf("%s: %s, want %s", c.why, got, c.want)
		}
	}
	if got := (Limit{}).Decide(Exact(0)); got != Kept {
		t.Errorf("no calls at all: %s", got)
	}
}
