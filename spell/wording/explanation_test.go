package wording_test

import (
	"strings"
	"testing"

	"spell-lsp/spell"
	"spell-lsp/spell/explanation"
	"spell-lsp/spell/wording"
)

func TestExplanation(t *testing.T) {
	cpu := []spell.Domain{spell.CPU}
	both := []spell.Domain{spell.CPU, spell.DRAM}
	row := func(e, n, time float64) spell.Row {
		return spell.Row{
			N: 1000 * n, TimeMS: 1000 * time, Joules: []float64{10 * e}, EPI: e / (100 * n),
			Phi: spell.Phi{Energy: []float64{e}, N: n, Time: time}, Zone: spell.Red,
		}
	}
	unknown := func(n, time float64) spell.Row {
		return spell.Row{N: 1000 * n, TimeMS: 1000 * time, Phi: spell.Phi{N: n, Time: time}, Zone: spell.Yellow}
	}
	green := row(.012, .0004, .02)
	green.Zone = spell.Green
	busy := row(.001, .49, .001)
	busy.Zone = spell.Green
	uncounted := row(.5, 1, .5)
	uncounted.N, uncounted.Phi.N, uncounted.EPI = 0, 0, 0
	memory := spell.Row{
		N: 10, TimeMS: 200, Joules: []float64{2, 5}, EPI: .7,
		Phi: spell.Phi{Energy: []float64{.2, .5}, N: .2, Time: .2}, Zone: spell.Red,
	}

	tests := []struct {
		name    string
		row     spell.Row
		by      spell.Criterion
		domains []spell.Domain
		wallMS  float64
		want    string
	}{
		{
			"high E, low N: the algorithm", row(.48, .0097, .52), spell.PsiCriterion, cpu, 0,
			"Each execution is costly: 48.0 % of the cpu energy and 52.0 % of the running time in 1.0 % of the executions, 495 mJ each; a better algorithm or data structure usually helps.",
		},
		{
			"high N, low E: called too often", row(.07, .97, .05), spell.PsiCriterion, cpu, 0,
			"It runs very often: 97.0 % of all executions, but 7.0 % of the cpu energy and 5.0 % of the running time, 722 µJ each; running it less often usually helps: batch the calls, cache the result, exit loops early.",
		},
		{
			"all alike", row(.5, .4, .5), spell.PsiCriterion, cpu, 0,
			"No category stands out: 50.0 % of the cpu energy and 50.0 % of the running time in 40.0 % of the executions, 12.5 mJ each; run it less often and do less each time.",
		},
		{
			"wall far above T: waiting", row(.5, .4, .5), spell.PsiCriterion, cpu, 4000,
			"No category stands out: 50.0 % of the cpu energy and 50.0 % of the running time in 40.0 % of the executions, 12.5 mJ each; run it less often and do less each time." +
				" It mostly waits: it ran for 500 ms of 4.00 s, and only that costs it energy; to end sooner, look at what it waits for (locks, channels, input and output, or processors that others kept busy).",
		},
		{
			"E far above T: a dearer state", row(.6, .4, .3), spell.PsiCriterion, cpu, 300,
			"No category stands out: 60.0 % of the cpu energy and 30.0 % of the running time in 40.0 % of the executions, 15.0 mJ each; run it less often and do less each time." +
				" While it runs, it draws 2.0 times the program's mean power (cpu): it drives the machine into a higher power state; steadier work on fewer cores may cost less.",
		},
		{
			"the dearer state is another domain's", memory, spell.PsiCriterion, both, 0,
			"Each execution is costly: 50.0 % of the dram energy and 20.0 % of the running time in 20.0 % of the executions, 700 mJ each; a better algorithm or data structure usually helps." +
				" While it runs, it draws 2.5 times the program's mean power (dram): it drives the machine into a higher power state; smaller data, or reading it in the order in which it is stored, usually helps.",
		},
		{
			"by energy: what makes the cost", row(.48, .0097, .52), spell.EnergyCriterion, cpu, 0,
			"Each execution is costly: 48.0 % of the cpu energy and 52.0 % of the running time in 1.0 % of the executions, 495 mJ each; a better algorithm or data structure usually helps.",
		},
		{
			"by energy: many executions are no merit of the rank", row(.07, .97, .05), spell.EnergyCriterion, cpu, 0,
			"It runs very often, which adds up: 7.0 % of the cpu energy and 5.0 % of the running time in 97.0 % of the executions, 722 µJ each; running it less often usually helps: batch the calls, cache the result, exit loops early.",
		},
		{
			"by energy: all alike", row(.5, .4, .5), spell.EnergyCriterion, cpu, 0,
			"It takes 50.0 % of the cpu energy and 50.0 % of the running time in 40.0 % of the executions, 12.5 mJ each; run it less often and do less each time.",
		},
		{
			"by energy: cheap in spite of many executions", busy, spell.EnergyCriterion, cpu, 0,
			"There is little to gain here: 0.1 % of the cpu energy and 0.1 % of the running time in 49.0 % of the executions.",
		},
		{
			"by psi the same, many executions make the rank", busy, spell.PsiCriterion, cpu, 0,
			"It runs very often: 49.0 % of all executions, but 0.1 % of the cpu energy and 0.1 % of the running time, 20.4 µJ each; running it less often usually helps: batch the calls, cache the result, exit loops early.",
		},
		{
			"by time, as no energy is known", unknown(.97, .05), spell.TimeCriterion, nil, 0,
			"It runs very often, which adds up: 5.0 % of the running time in 97.0 % of the executions, 51.5 µs each; running it less often usually helps: batch the calls, cache the result, exit loops early.",
		},
		{
			"by executions, as nothing else is known", unknown(.97, 0), spell.ExecutionsCriterion, nil, 0,
			"It runs very often: 97.0 % of all executions, but 0.0 % of the running time, 0 s each; running it less often usually helps: batch the calls, cache the result, exit loops early.",
		},
		{
			"energy not known", unknown(.01, .8), spell.PsiCriterion, nil, 0,
			"Each execution is costly: 80.0 % of the running time in 1.0 % of the executions, 80.0 ms each; a better algorithm or data structure usually helps.",
		},
		{
			"executions not known", uncounted, spell.PsiCriterion, cpu, 0,
			"It takes 50.0 % of the cpu energy and 50.0 % of the running time, and how often it ran is not known; do less work in it, or run it less.",
		},
		{
			"a small one", green, spell.PsiCriterion, cpu, 0,
			"There is little to gain here: 1.2 % of the cpu energy and 2.0 % of the running time in <0.1 % of the executions.",
		},
		{
			"never run", spell.Row{Joules: []float64{0}, Phi: spell.Phi{Energy: []float64{0}}, Zone: spell.Green}, spell.PsiCriterion, cpu, 0,
			"It was not seen to run, so nothing is known about its energy.",
		},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			if got := wording.Explanation(explanation.Of(test.row, test.by, test.domains, test.wallMS, false)); got != test.want {
				t.Errorf("got  %s\nwant %s", got, test.want)
			}
		})
	}
}

// Just under each limit the second sentence is left out.
func TestExplanationSaysNoMoreThanIsSo(t *testing.T) {
	row := spell.Row{
		N: 5, TimeMS: 100, Joules: []float64{1}, EPI: .2,
		Phi: spell.Phi{Energy: []float64{.12}, N: .1, Time: .1}, Zone: spell.Red,
	}
	for _, wallMS := range []float64{0, 100, 299} {
		if got := wording.Explanation(explanation.Of(row, spell.PsiCriterion, []spell.Domain{spell.CPU}, wallMS, false)); strings.Contains(got, "waits") || strings.Contains(got, "dearer") {
			t.Errorf("wall %v ms: %s", wallMS, got)
		}
	}
	if got := wording.Explanation(explanation.Of(row, spell.PsiCriterion, []spell.Domain{spell.CPU}, 300, false)); !strings.Contains(got, "waits") {
		t.Errorf("wall 300 ms: %s", got)
	}
}

// Amounts are written as everywhere: see TestUnits.
func TestExplanationQuantities(t *testing.T) {
	tests := []struct {
		epi  float64
		want string
	}{
		{1234.5, "1.23 kJ"}, {2, "2.00 J"}, {0.0123456, "12.3 mJ"}, {1e-12, "<1 nJ"}, {1e30, "1e+27 kJ"},
	}
	for _, test := range tests {
		row := spell.Row{N: 1, Joules: []float64{1}, EPI: test.epi, Phi: spell.Phi{Energy: []float64{1}, N: 1, Time: 1}}
		if got := wording.Explanation(explanation.Of(row, spell.PsiCriterion, []spell.Domain{spell.CPU}, 0, false)); !strings.Contains(got, ", "+test.want+" each;") {
			t.Errorf("%v J: %s, want %q", test.epi, got, test.want)
		}
		if got := wording.Explanation(explanation.Of(row, spell.PsiCriterion, []spell.Domain{spell.CPU}, 0, true)); !strings.Contains(got, ", "+test.want+" estimated each;") {
			t.Errorf("%v J that are estimated: %s", test.epi, got)
		}
	}
}
