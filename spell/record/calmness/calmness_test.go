package calmness

import (
	"testing"

	"spell-lsp/spell/record"
)

func TestText(t *testing.T) {
	r, own := 0.97, 0.9
	for _, tt := range []struct {
		ms   float64
		is   *record.Calmness
		want string
	}{
		{2, nil, ""},
		{
			4, &record.Calmness{
				Verdict: "calm", Rounds: 5, TimeChange: record.Change{Relative: 0.012, CI: &[2]float64{-0.008, 0.032}}, CPUChange: record.Change{Relative: 0.03, CI: &[2]float64{0.019, 0.041}},
				OverTime: &r, OverCores: &own, Frequencies: true, Others: []record.OtherPeriod{{PeriodMS: 1, Verdict: "disturbed"}, {PeriodMS: 2, Verdict: "disturbed"}},
			},
			"calm: measuring every 4 ms changed its time by +1.2 % (-0.80 % to +3.2 %) and its CPU time by +3.0 % (+1.9 % to +4.1 %); the frequencies of the processors correlate by 0.97 over time and by 0.90 over processors (5 unmeasured rounds; with 1 ms: disturbed; with 2 ms: disturbed)",
		},
		{
			0, &record.Calmness{Verdict: "undecided", Rounds: 1, TimeChange: record.Change{Relative: -0.02}},
			"undecided, as the rounds are too few, too short or differ too much: measuring changed its time by -2.0 % and its CPU time by 0 % (1 unmeasured round)",
		},
		{
			4, &record.Calmness{Verdict: "undecided"},
			"undecided: fewer than three rounds do not tell how far measuring every 4 ms changed the program",
		},
	} {
		if got := Text(&record.Run{PeriodMS: tt.ms, Calmness: tt.is}); got != tt.want {
			t.Errorf("got  %s\nwant %s", got, tt.want)
		}
	}
}
