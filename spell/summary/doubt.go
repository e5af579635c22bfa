package summary

import (
	"slices"

	"spell-lsp/spell/note"
)

// quiet are the notes that change nothing about the reading of the figures: what the
// first sentence says already, what was left out of a meter without loss, how a measurement
// was made, what it costs next time. A code that is not here makes figures doubtful, so that
// nobody forgets a new one.
var quiet = map[note.Code]bool{
	note.ModeInstrumentedCode:     true,
	note.GroupsBySamplesCode:      true,
	note.ModeSampledCode:          true,
	note.ModeOfNecessityCode:      true,
	note.CallsByCoverageCode:      true,
	note.LibraryKeptCode:          true,
	note.PowerCoRunningCode:       true,
	note.PowerLateCode:            true,
	note.PowerFrequencyCode:       true,
	note.PowerDriftsCode:          true,
	note.EnergyEstimatedCode:      true,
	note.EnergyFollowsTimeCode:    true,
	note.FollowsFrequencyCode:     true,
	note.FrequencyUnusedCode:      true,
	note.EnergyOriginUnstatedCode: true,
	note.NoJoulesCode:             true,
	note.NoMeterAskedForCode:      true,
	note.EnergyUnknownCode:        true,
	note.EnergyUnweightedCode:     true,
	note.DomainUnweightedCode:     true,
	note.WeightUnusedCode:         true,
	note.MeterUnusableCode:        true,
	note.MeterNeedsRemedyCode:     true,
	note.LaptopMeasuredCode:       true,
	note.MachineMeasuredCode:      true,
	note.MemoryIncludedCode:       true,
	note.PowerIntegratedCode:      true,
	note.GPUIntegratedCode:        true,
	note.ZoneNotCountedCode:       true,
	note.ZoneRepeatedCode:         true,
	note.MemoryRepeatedCode:       true,
	note.ZoneMirroredCode:         true,
	note.EventMirroredCode:        true,
	note.CounterLeftOutCode:       true,
	note.SeparateFrozenCode:       true,
	note.SeparateUnreadCode:       true,
	note.SeparateMissedCode:       true,
	note.CoresUsedCode:            true,
	note.CoreFrozenCode:           true,
	note.CoresExceedCode:          true,
	note.InliningUnknownCode:      true,
	note.InliningUnknownOfCode:    true,
	note.NothingCachedCode:        true,
	note.GoCommandSaidCode:        true,
	note.WarmupRepeatedCode:       true,
	note.OrderMattersCode:         true,
	note.NotRepeatableCode:        true,
	note.RepeatedCode:             true,
	note.TimeUpCode:               true,
}

// weighty are the notes of what may outweigh all components; they come before the others.
var weighty = map[note.Code]bool{
	note.GoroutinesOutliveCode: true,
	note.MoreOutliveCode:       true,
}

// partial are the notes of something small that is missing; they come after the others.
var partial = map[note.Code]bool{
	note.NotMeasuredCode:      true,
	note.MoreNotMeasuredCode:  true,
	note.ExcludeUselessCode:   true,
	note.NoVerdictCode:        true,
	note.MoreUselessCode:      true,
	note.PatternUselessCode:   true,
	note.NoSubtestMatchesCode: true,
	note.CountsAlthoughCode:   true,
}

// Divide divides notes into those that make the figures doubtful, the weightiest first, and the
// others.
func Divide(notes []note.Note) (doubts, others []note.Note) {
	for _, n := range notes {
		if quiet[n.Code] || changedNothing(n) {
			others = append(others, n)
		} else {
			doubts = append(doubts, n)
		}
	}
	slices.SortStableFunc(doubts, func(a, b note.Note) int { return rankOf(a) - rankOf(b) })
	return doubts, others
}

// changedNothing tells whether n says that rounds were left out without which the order shown
// is the same.
func changedNothing(n note.Note) bool {
	return n.Code == note.RoundsTooLongCode && n.Args["pivotal"] == 0.0
}

func rankOf(n note.Note) int {
	switch {
	case weighty[n.Code]:
		return 0
	case partial[n.Code]:
		return 2
	}
	return 1
}
