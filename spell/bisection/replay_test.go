package bisection

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"testing"
)

// A recording replays rounds that were measured: stretches of them, each from a random place on,
// in which drift and disturbances are as they were.
type recording struct {
	rng     *rand.Rand
	rounds  []float64
	at      int // of the next round
	left    int // of the stretch
	culprit int
	change  float64
}

// stretch is how many rounds follow each other as they were recorded: several cycles.
const stretch = 10 * BlockRounds

func (r *recording) measure(commits ...string) ([][]float64, error) {
	var blocks [][]float64
	for _, name := range commits {
		var i int
		fmt.Sscan(name, &i)
		block := make([]float64, BlockRounds)
		for k := range block {
			if r.left == 0 {
				r.at, r.left = r.rng.IntN(len(r.rounds)-stretch+1), stretch
			}
			block[k] = r.rounds[r.at]
			if i >= r.culprit {
				block[k] *= 1 + r.change
			}
			r.at++
			r.left--
		}
		blocks = append(blocks, block)
	}
	return blocks, nil
}

// Rounds that were measured on a busy machine, replayed for 17 histories of 64 commits with a
// regression of 15 % at another place in each: at least 16 are found, and none is wrong. Without a
// regression none is found.
func TestRecordedRounds(t *testing.T) {
	text, err := os.ReadFile("testdata/rounds.json")
	if err != nil {
		t.Fatal(err)
	}
	var recorded struct {
		Tests []struct {
			Name    string
			EnergyJ []float64 `json:"energy_j"`
		}
	}
	if err := json.Unmarshal(text, &recorded); err != nil {
		t.Fatal(err)
	}
	for _, change := range []float64{0.15, 0} {
		count, rounds := make(map[string]int), 0
		for seed := range uint64(17) {
			rng := rand.New(rand.NewPCG(seed, 17))
			test := recorded.Tests[int(seed)%len(recorded.Tests)]
			r := &recording{rng: rng, rounds: test.EnergyJ, culprit: 1 + (int(seed)*37+5)%63, change: change}
			answer := bisectHistory(t, r.measure, 64, r.culprit, change > 0, &rounds)
			t.Logf("%s, culprit %d: %s", test.Name, r.culprit, answer)
			count[answer]++
		}
		t.Logf("%+.0f %%: %v, %d rounds each", 100*change, count, rounds/17)
		if count["wrong"] > 0 || count["right"] < 16 {
			t.Errorf("%+.0f %%: %v, want at least 16 right and none wrong", 100*change, count)
		}
	}
}
