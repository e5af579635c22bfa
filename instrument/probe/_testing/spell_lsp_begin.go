// When a test begins, waits and ends: calls of the edits of package testing. The probe and the build
// that counts calls by coverage share this file, so that their rows begin and end alike.

//go:build linux && (amd64 || arm64)

package testing

// spellBegin says that what follows belongs to the test or example.
func spellBegin(name string) {
	if name != "" {
		spell.change(name)
	}
}

// spellLeave says that the test is over or waits for its turn: its parent goes
// on, unless another test has begun already.
func spellLeave(c *common) {
	if c.parent != nil {
		spell.leave(c.name, c.parent.name)
	}
}

// spellCleanup says that a test goes on whose parallel subtests are over. A
// parallel one has given its turn to others for good.
func spellCleanup(t *T) {
	if !t.isParallel {
		spellBegin(t.name)
	}
}

// spellEnd says that the test is over, and how it went.
func spellEnd(c *common) {
	if c.parent == nil {
		return
	}
	spellClosed(c)
	spellLeave(c)
	spell.end(c.name, spellOutcome(c))
}

func spellOutcome(c *common) string {
	switch {
	case c.Failed():
		return "fail"
	case c.Skipped():
		return "skip"
	}
	return "pass"
}
