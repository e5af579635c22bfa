package execution

import (
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"

	"spell-lsp/runner/attribution"
	"spell-lsp/spell/note"
)

// A round, or the measurement of the idle machine, is disturbed by a suspend or too much steal time.
func TestDisturbed(t *testing.T) {
	const second = 1_000_000_000
	for _, test := range []struct {
		name          string
		asleep, steal int64
		want          note.Note
	}{
		{"undisturbed", 0, 0, note.Note{}},
		{"3 s of suspend", 3 * second, 0, note.Suspended(3000)},
		{"1 µs between reading the two clocks", 1000, 0, note.Note{}},
		{"5 % of steal time", 0, second / 10, note.Stolen(0.05)},
		{"0.5 % of steal time", 0, second / 100, note.Note{}},
	} {
		a := Moment{AwakeNS: 5, AsleepNS: 7, StealNS: 9}
		got, is := Disturbed(a, Moment{AwakeNS: 5 + second, AsleepNS: 7 + test.asleep, StealNS: 9 + test.steal}, 2)
		if diff := cmp.Diff(test.want, got); diff != "" || is != (test.want.Code != "") {
			t.Errorf("%s: %t (-want +got):\n%s", test.name, is, diff)
		}
	}
}

// The kernel counts steal time in steps: one of them may have begun before a short measurement.
func TestOneStepOfStealTimeDisturbsNothing(t *testing.T) {
	if why, is := Disturbed(Moment{}, Moment{AwakeNS: 500_000_000, StealNS: stealStepNS}, 1); is {
		t.Errorf("disturbed: %v", why)
	}
	if _, is := Disturbed(Moment{}, Moment{AwakeNS: 500_000_000, StealNS: 2 * stealStepNS}, 1); !is {
		t.Error("two steps in half a second are no disturbance")
	}
}

// The idle machine is measured again while the host takes processors away. If it always does, the
// attempt with the least steal time counts, and a note says so; one in which it slept does not.
func TestCalmestRest(t *testing.T) {
	const (
		cores     = 2
		length    = 500_000_000 // ns of an attempt
		failed    = -1          // a reading failed
		suspended = -2          // the machine slept
	)
	for _, test := range []struct {
		name     string
		steal    []float64 // of the processors' time, by attempt
		want     int       // attempt that counts; -1 for none
		attempts int
		why      []note.Note
	}{
		{"quiet", []float64{0.004}, 0, 1, nil},
		{"steal at first", []float64{0.03, 0.02, 0}, 2, 3, nil},
		{"steal always", []float64{0.04, 0.03, 0.02, 0.03, 0.04}, 2, 5, []note.Note{note.RestDisturbed(note.Stolen(0.02), 5)}},
		{"the meter fails at first", []float64{failed, 0.04, 0}, 2, 3, nil},
		{"it fails whenever there is no steal", []float64{failed, 0.04, failed, failed, 0.03}, 4, 5, []note.Note{note.RestDisturbed(note.Stolen(0.03), 2)}},
		{"suspended once, steal otherwise", []float64{0.04, suspended, 0.03, 0.05, 0.04}, 2, 5, []note.Note{note.RestDisturbed(note.Stolen(0.03), 5)}},
		{"it always fails", []float64{failed, failed, failed, failed, failed}, -1, 5, nil},
	} {
		t.Run(test.name, func(t *testing.T) {
			attempts, now := 0, Moment{AwakeNS: 1, StealNS: 7}
			rest, why, err := calmestRest(cores, func() (restTry, error) {
				try := restTry{rest: attribution.Rest{IdleW: []float64{float64(attempts)}}, from: now}
				steal := test.steal[attempts]
				attempts++
				now.AwakeNS += length
				now.StealNS += int64(max(0, steal) * cores * length)
				if steal == suspended {
					now.AsleepNS += 3_000_000_000
				}
				try.to, try.complete = now, steal != failed
				return try, nil
			})
			if err != nil || attempts != test.attempts {
				t.Fatalf("%d attempts and error %v, want %d and none", attempts, err, test.attempts)
			}
			got := -1
			if rest != nil {
				got = int(rest.IdleW[0])
			}
			if got != test.want {
				t.Errorf("attempt %d counts, want %d", got, test.want)
			}
			if diff := cmp.Diff(test.why, why); diff != "" {
				t.Errorf("notes (-want +got):\n%s", diff)
			}
		})
	}
	ended := errors.New("the sampler has ended")
	if _, _, err := calmestRest(cores, func() (restTry, error) { return restTry{}, ended }); !errors.Is(err, ended) {
		t.Errorf("error %v, want that of the attempt", err)
	}
}
