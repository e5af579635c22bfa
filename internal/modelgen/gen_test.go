package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

const commit = "0123456789abcdef0123456789abcdef01234567"

// generate runs the command over input and returns the table and the log.
func generate(t *testing.T, table, input string) (text, log string, err error) {
	t.Helper()
	from, to := filepath.Join(t.TempDir(), "in.csv"), filepath.Join(t.TempDir(), "out.csv")
	if err := os.WriteFile(from, []byte(input), 0o600); err != nil {
		t.Fatal(err)
	}
	var said strings.Builder
	if err := run([]string{"-table", table, "-from", from, "-commit", commit, "-date", "2026-04-13", "-o", to}, &said); err != nil {
		return "", said.String(), err
	}
	out, err := os.ReadFile(to)
	if err != nil {
		t.Fatal(err)
	}
	return string(out), said.String(), nil
}

// The header of the table names its source and the rows that are left out. Two rows of
// a processor that disagree are both left out; equal ones, however spelt, give one
// row; a name without its maker is left out.
func TestTDP(t *testing.T) {
	got, log, err := generate(t, "tdp", `Name,TDP
Intel Two 200,95.0
AMD One 100,65
AMD One(TM) 100 8-Core Processor,65.0
Intel Three 300,15
Intel(R) Three 300 CPU @ 2.00GHz,28
3280,65
Intel Four 400,27.29.5
Intel Five 500,0
Intel Six 600,1001
Intel  Seven   700,12.5
Intel Eight 800,0.65
Intel Nine 900,NaN
`)
	if err != nil {
		t.Fatal(err)
	}
	want := `# Thermal design power of processors in watts, by the maker's name.
# Made by go generate, not by hand.
# project: CodeCarbon, https://github.com/mlco2/codecarbon
# file: codecarbon/data/hardware/cpu_power.csv
# commit: 0123456789abcdef0123456789abcdef01234567
# date: 2026-04-13
# sha256: 773d321d93ee27c54fe98b8f3f1f4106d9e9cefbcc54ed592b1b6d73321f8ab4
# licence: MIT; see NOTICE beside this file
# left out: 5 without watts from 1 to 1000 (Intel Four 400, Intel Five 500, Intel Six 600, Intel Eight 800, Intel Nine 900)
# left out: 1 that name no maker (3280)
# left out: 1 whose rows disagree (Intel Three 300)
name,tdp_w,list
AMD One 100,65,codecarbon
Intel Seven 700,12.5,codecarbon
Intel Two 200,95,codecarbon
`
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	if !strings.Contains(log, "left out: Intel Three 300: whose rows disagree\n") {
		t.Errorf("what was left out is not named:\n%s", log)
	}
}

// architectures is a whole input, with one row replaced.
func architectures(old, row string) string {
	var b strings.Builder
	b.WriteString(",Architecture,Min Watts,Max Watts,GB/Chip\n")
	for name := range generations() {
		b.WriteString("0," + name + ",0.71283422,3.6853275,69.6\n")
	}
	b.WriteString("0,Coffee Lake,1,2,3\n")
	return strings.Replace(b.String(), "0,"+old+",0.71283422,3.6853275,69.6\n", row, 1)
}

// Every generation has a row, sorted by the numbers of cpuid; omitted rows are named
// with their reason.
func TestVCPU(t *testing.T) {
	got, _, err := generate(t, "vcpu", architectures("", ""))
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"# left out: 1 whose model is that of desktop processors (Coffee Lake)\nvendor,family,model,stepping_from,stepping_to,name,idle_w,busy_w\nAuthenticAMD,23,1,0,15,EPYC 1st Gen,0.7128,3.6853\n",
		"GenuineIntel,6,79,0,15,Broadwell,0.7128,3.6853\nGenuineIntel,6,85,0,4,Skylake,0.7128,3.6853\nGenuineIntel,6,85,5,7,Cascade Lake,0.7128,3.6853\nGenuineIntel,6,106,0,15,Ice Lake,0.7128,3.6853\n",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("the table does not have\n%sbut is\n%s", want, got)
		}
	}
	again, _, err := generate(t, "vcpu", architectures("", ""))
	if err != nil {
		t.Fatal(err)
	}
	without := func(text string) string { _, rows, _ := strings.Cut(text, "licence"); return rows }
	if diff := cmp.Diff(without(got), without(again)); diff != "" { // the sum differs: the input is in another order
		t.Errorf("other rows for the same input:\n%s", diff)
	}
}

// Input that needs a human decision is an error.
func TestBadInput(t *testing.T) {
	for _, test := range []struct{ name, table, input, want string }{
		{"empty", "tdp", "", "it has 0 lines"},
		{"only a header", "tdp", "Name,TDP\n", "it has 1 lines"},
		{"other columns", "tdp", "Name,Watts\nAMD A 100,65\n", "line 1: the columns are Name,Watts, not Name,TDP"},
		{"no name", "tdp", "Name,TDP\nAMD A 100,65\n ,65\n", "line 3 has no name"},
		{"nothing left", "tdp", "Name,TDP\nA 100,65\n", "no row can be used"},
		{"a column too many", "tdp", "Name,TDP\nAMD A 100,65,1\n", "wrong number of fields"},
		{"not known", "vcpu", architectures("Skylake", "0,Skylark,1,2,3\n"), `"Skylark" is a second time there or not known: give it family and model in generations`},
		{"twice", "vcpu", architectures("Skylake", "0,Haswell,1,2,3\n"), `"Haswell" is a second time there or not known`},
		{"missing", "vcpu", architectures("Skylake", ""), "it does not have Skylake any more"},
		{"watts upside down", "vcpu", architectures("Skylake", "0,Skylake,2,1,3\n"), "Skylake: idle 2 W is not below busy 1 W"},
		{"no watts", "vcpu", architectures("Skylake", "0,Skylake,,1,3\n"), `Skylake: "" is no power of a processor in watts`},
		{"negative", "vcpu", architectures("Skylake", "0,Skylake,1,-1,3\n"), `Skylake: "-1" is no power of a processor in watts`},
	} {
		t.Run(test.name, func(t *testing.T) {
			_, _, err := generate(t, test.table, test.input)
			if err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("got  %v\nwant %s", err, test.want)
			}
		})
	}
}

func TestBadFlags(t *testing.T) {
	good := []string{"-table", "tdp", "-from", "none.csv", "-commit", commit, "-date", "2026-04-13"}
	for _, test := range []struct {
		change []string
		want   string
	}{
		{nil, "-from: open none.csv"},
		{[]string{"-table", "watts"}, `-table "watts": must be tdp or vcpu`},
		{[]string{"-commit", "b0032d9"}, `-commit "b0032d9": must be the whole hash`},
		{[]string{"-date", "April"}, `-date "April": must be a day like`},
	} {
		if err := run(append(good[:len(good):len(good)], test.change...), &strings.Builder{}); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%v: got %v, want %s", test.change, err, test.want)
		}
	}
}
