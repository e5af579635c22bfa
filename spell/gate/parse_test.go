package gate_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"spell-lsp/spell/gate"
)

func TestParse(t *testing.T) {
	for text, want := range map[string]gate.Rule{
		"energy>+5%":            {Quantity: gate.Energy, Relative: true, Limit: 0.05},
		" energy > + 5 % ":      {Text: "energy > + 5 %", Quantity: gate.Energy, Relative: true, Limit: 0.05},
		"time>+10%":             {Quantity: gate.Time, Relative: true, Limit: 0.1},
		"n>+0%":                 {Quantity: gate.N, Relative: true},
		"energy(pkg.F)>+5%":     {Quantity: gate.Energy, Component: "pkg.F", Relative: true, Limit: 0.05},
		"psi(pkg.F)>0.3":        {Quantity: gate.Psi, Component: "pkg.F", Limit: 0.3},
		"psi((*Park).Add)>.3":   {Quantity: gate.Psi, Component: "(*Park).Add", Limit: 0.3},
		"n(m/a.(*T).M)>1000":    {Quantity: gate.N, Component: "m/a.(*T).M", Limit: 1000},
		"energy>10J":            {Quantity: gate.Energy, Limit: 10},
		"energy(pkg.F)>2mJ":     {Quantity: gate.Energy, Component: "pkg.F", Limit: 0.002},
		"energy > 3 µJ":         {Quantity: gate.Energy, Limit: 3e-6},
		"time>500ms":            {Quantity: gate.Time, Limit: 500},
		"time>1.5min":           {Quantity: gate.Time, Limit: 90000},
		"growth(List.Sort)>1.2": {Quantity: gate.Growth, Component: "List.Sort", Limit: 1.2},
		"growth(*)>+0.3":        {Quantity: gate.Growth, Component: gate.Each, Relative: true, Limit: 0.3},
		"red":                   {Quantity: gate.Red},
		"budget":                {Quantity: gate.Budget},
		" new-red ":             {Text: "new-red", Quantity: gate.NewRed},
		"energy( pkg.F )>+5.5%": {Quantity: gate.Energy, Component: "pkg.F", Relative: true, Limit: 0.055},
	} {
		if want.Text == "" {
			want.Text = text
		}
		got, err := parse(text)
		if err != nil {
			t.Errorf("%q: %v", text, err)
		}
		if diff := cmp.Diff(want, got, cmp.Comparer(func(a, b float64) bool { return a-b < 1e-15 && b-a < 1e-15 })); diff != "" {
			t.Errorf("%q: %s", text, diff)
		}
		if relative := strings.Contains(text, "+") || strings.Contains(text, "new"); got.NeedsBase() != relative {
			t.Errorf("%q needs a base: %t", text, got.NeedsBase())
		}
	}
}

// A bad rule is told with its place, what is wrong, and rules that are right.
func TestBadRules(t *testing.T) {
	for text, want := range map[string]string{
		"":                 "column 1: there is no rule",
		"energi>5J":        `column 1: "energi" is no quantity, did you mean energy?`,
		"weight>5":         `column 1: "weight" is no quantity: it is one of energy, time, n, psi, growth, red, new-red, budget`,
		">5J":              `column 1: "" is no quantity`,
		"energy":           "column 7: > and a limit are wanted here",
		"energy<5J":        `"energy<5J" is no quantity`,
		"energy (F) 5J":    "column 12: > and a limit are wanted here",
		"energy(F>5J":      "column 12: ) is wanted after the name",
		"energy()>5J":      "column 8: the name of a component is wanted here",
		"energy>":          "column 8: a number is wanted here",
		"energy>-5%":       "column 8: a number is wanted here, of at least 0",
		"energy>5":         "column 9: the limit of an energy has a unit: nJ, µJ, mJ, J or kJ",
		"energy>5ms":       "column 9: the limit of an energy has a unit",
		"time>5J":          "column 7: the limit of a time has a unit: ns, µs, ms, s or min",
		"energy>5%":        "column 9: a change begins with +: energy>+5%",
		"energy>+5":        "column 10: % is wanted",
		"energy>+5J":       "column 10: % is wanted",
		"budget>5J":        "column 7: budget stands alone",
		"budgets":          `column 1: "budgets" is no quantity, did you mean budget?`,
		"psi>0.3":          "column 4: psi is that of a component: write psi(pkg.F)",
		"psi(F)>0.3J":      "column 11: nothing is wanted after the number",
		"growth>1.2":       "column 7: growth is that of a function or benchmark: write growth(pkg.F), or growth(*)",
		"growth(F)>1.2J":   "column 14: an exponent has no unit: growth(*)>+0.3",
		"growth(F)>+30%":   "column 14: an exponent has no unit",
		"growth(F)>30%":    "column 13: an exponent has no unit",
		"n>5%":             "column 4: a change begins with +: n>+5%",
		"red>5":            "column 4: red stands alone",
		"energy>1" + zeros: "column 8: a number is wanted here",
		"energy>1.2.3J":    "column 8: a number is wanted here",
		"energy(µ)>5kg":    "column 12: the limit of an energy has a unit",
		"energy>" + big:    "column 8: the number is too large",
	} {
		_, err := parse(text)
		var syntax *gate.SyntaxError
		if !errors.As(err, &syntax) || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), "rules are like energy>+5%") {
			t.Errorf("%q: %v, want %s", text, err, want)
		}
	}
}

var (
	zeros = strings.Repeat("0", 400) + "J"
	big   = "1" + strings.Repeat("0", 307) + "kJ"
)

// Names with commas of their own do not end a rule.
func TestParseAll(t *testing.T) {
	rules, err := gate.ParseAll("energy>+5%, psi(m.F(a,b))>0.3 ,new-red")
	if err != nil {
		t.Fatal(err)
	}
	var texts []string
	for _, r := range rules {
		texts = append(texts, r.String())
	}
	if diff := cmp.Diff([]string{"energy>+5%", "psi(m.F(a,b))>0.3", "new-red"}, texts); diff != "" {
		t.Error(diff)
	}
	for text, want := range map[string]string{"red,": "column 5: there is no rule", "red, tim>5s": `column 6: "tim" is no quantity`, ",red": "column 1: there is no rule"} {
		if _, err := gate.ParseAll(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %s", text, err, want)
		}
	}
}

// The parser never panics, points into the text, and reads what it has accepted in
// the same way again.
func FuzzParse(f *testing.F) {
	for _, s := range []string{gate.Examples, "energy>+5%", "psi((*T).M)>0.3", "n>1e5", "energy(", "time>\xff", "red ,,", "energy>+µ%"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		rules, err := gate.ParseAll(s)
		var syntax *gate.SyntaxError
		if err != nil {
			if !errors.As(err, &syntax) || syntax.Column < 1 || syntax.Column > utf8.RuneCountInString(s)+1 {
				t.Fatalf("%q: %v", s, err)
			}
			return
		}
		for _, r := range rules {
			if !(r.Limit >= 0) || r.Quantity == gate.Psi && r.Component == "" {
				t.Fatalf("%q: accepted %+v", s, r)
			}
			again, err := parse(r.Text)
			if err != nil || again != r {
				t.Fatalf("%q: %+v is %+v when read again (%v)", s, r, again, err)
			}
		}
	})
}

// parse reads a text of one rule.
func parse(text string) (gate.Rule, error) {
	rules, err := gate.ParseAll(text)
	if err != nil {
		return gate.Rule{}, err
	}
	if len(rules) != 1 {
		return gate.Rule{}, fmt.Errorf("%d rules", len(rules))
	}
	return rules[0], nil
}
