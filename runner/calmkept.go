package runner

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"time"

	"spell-lsp/runner/calm"
	"spell-lsp/spell/atomicfile"
	"spell-lsp/spell/ownership"
	"spell-lsp/spell/record"
	"spell-lsp/spell/regularfile"
)

// What is known of a binary is kept in the user's cache folder: another measurement of it needs no
// plain rounds.
const (
	calmVersion = "spell-lsp/calmness/v2"
	maxCalm     = 1 << 16
	keepCalmFor = 10 * 24 * time.Hour
)

// A look is what came of comparing rounds at a period.
type look struct {
	PeriodMS float64      `json:"period_ms"`
	OfPeriod calm.Verdict `json:"of_period"` // see calm.Result
	record.Calmness
}

func (l *look) period() time.Duration { return time.Duration(l.PeriodMS * float64(time.Millisecond)) }

func (l *look) valid() bool {
	return slices.Contains(calmVerdicts, l.Verdict) && slices.Contains(calmVerdicts, string(l.OfPeriod)) && l.Rounds >= 1 && l.Rounds <= math.MaxInt32
}

// calmFile is where the calmness of the programs is kept, with what they are told to do; "" where
// nothing can be kept.
func (m *measurement) calmFile() string {
	base, err := os.UserCacheDir()
	if err != nil {
		return ""
	}
	dir := filepath.Join(base, "spell-lsp", "calmness")
	if ownership.Make(dir) != nil {
		return ""
	}
	sum := sha256.New()
	fmt.Fprintf(sum, "%s %s %t %s %q %q %q %t %v", calmVersion, m.Mode, m.sampling != nil && m.sampling.Profiled, m.info.Name, m.Run, m.Bench, m.Reach, m.Subtests, m.Scenarios) //nolint:errcheck // a hash takes all
	for _, p := range m.programs {
		if err := p.Hash(sum); err != nil {
			return ""
		}
	}
	return filepath.Join(dir, hex.EncodeToString(sum.Sum(nil))[:32]+".json")
}

// readCalm reads what is known of the programs; nil if nothing is.
func readCalm(name string) []look {
	text, err := regularfile.Read(name, maxCalm)
	if err != nil {
		return nil
	}
	var kept []look
	if json.Unmarshal(text, &kept) != nil || slices.ContainsFunc(kept, func(l look) bool { return !l.valid() }) {
		return nil
	}
	return kept
}

// keepCalm keeps what became known, and removes what is old.
func keepCalm(name string, kept []look) {
	old, _ := filepath.Glob(filepath.Join(filepath.Dir(name), "*.json")) // the pattern is right
	for _, other := range old {
		if info, err := os.Stat(other); err == nil && time.Since(info.ModTime()) > keepCalmFor {
			os.Remove(other) //nolint:errcheck // another measurement may have done it
		}
	}
	atomicfile.ReplacePrivate(name, ".unfinished-", func(w io.Writer) error { return json.NewEncoder(w).Encode(kept) }) //nolint:errcheck // it is found out again
}
