package slurm

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestOptions(t *testing.T) {
	for text, want := range map[string]Options{
		"slurm":                         {Nodes: 4},
		"slurm:nodes=12":                {Nodes: 12},
		"slurm:at-once=2,nodes=200":     {Nodes: 200, AtOnce: 2},
		"slurm:partition=bare,time=2:0": {Nodes: 4, Sbatch: []string{"--partition=bare", "--time=2:0"}},
		"slurm:exclude=n[1-3,7],qos=x":  {Nodes: 4, Sbatch: []string{"--exclude=n[1-3,7]", "--qos=x"}},
		"slurm:nodelist=n7":             {Nodes: 4, Sbatch: []string{"--nodelist=n7"}},
		"slurm:exclude=n1,exclude=n2":   {Nodes: 4, Sbatch: []string{"--exclude=n1,n2"}},
		"slurm:constraint=epyc&ssd":     {Nodes: 4, Sbatch: []string{"--constraint=epyc&ssd"}},
		"slurm:dir=/scratch/me":         {Nodes: 4, Dir: "/scratch/me"},
	} {
		got, err := Parse(text)
		if diff := cmp.Diff(want, got); err != nil || diff != "" {
			t.Errorf("%s: error %v, (-want +got):\n%s", text, err, diff)
		}
	}
}

// Why: an option that is not understood would send the job to the wrong nodes, or another command to sbatch.
func TestOptionsThatAreNone(t *testing.T) {
	for text, want := range map[string]string{
		"slurm:":                        `"" is no option`,
		"slurm:nodes":                   `"nodes" is no option`,
		"slurm:nodes=":                  `"nodes=" is no option`,
		"slurm:nodes=0":                 "a number from 1 to 1000",
		"slurm:nodes=many":              "a number from 1 to 1000",
		"slurm:nodes=2,nodes=3":         "nodes is there twice",
		"slurm:nodelist=n[1-2]":         "only one can be named",
		"slurm:nodelist=n1,nodelist=n2": "only one can be named",
		"slurm:dir=here":                "must begin with /",
		"slurm:wrap=rm":                 `there is no option "wrap"`,
		"slurm:--wrap=rm":               `there is no option "--wrap"`,
		"slurm:comment=two words":       "without blanks",
		"slurm:comment=a\x1bb":          "without blanks",
	} {
		if _, err := Parse(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: error %v, want one with %q", text, err, want)
		}
	}
}

func TestWhatIsACluster(t *testing.T) {
	for text, want := range map[string]bool{"slurm": true, "slurm:nodes=2": true, "slurm.example.org": false, "me@slurm": false, "": false} {
		if got := Is(text); got != want {
			t.Errorf("%q: %v, want %v", text, got, want)
		}
	}
}

// FuzzOptions looks for options that are taken, but are more than one argument of sbatch, or another option.
func FuzzOptions(f *testing.F) {
	f.Add("slurm:nodes=4,partition=bare,exclude=n[1,2]")
	f.Fuzz(func(t *testing.T, text string) {
		o, err := Parse(text)
		if err != nil {
			return
		}
		for _, arg := range o.Sbatch {
			name, value, _ := strings.Cut(strings.TrimPrefix(arg, "--"), "=")
			if !strings.HasPrefix(arg, "--") || value == "" || strings.ContainsAny(arg, " \t\n\x00") || !strings.Contains(strings.Join(sbatchOptions, ","), name) {
				t.Errorf("%q gives the argument %q", text, arg)
			}
		}
	})
}
