package main

import (
	"spell-lsp/runner"
	"spell-lsp/runner/meter"
	"spell-lsp/runner/sampler"
	"spell-lsp/spell/settings"
)

// params are a measurement's as far as the settings say.
func params(s settings.Settings) runner.Params {
	return runner.Params{
		Run: s.Run, Tags: s.Tags, Exclude: s.Exclude, Mode: s.Mode, Library: s.Library, LinearPower: s.Power == settings.LinearPower, Granularity: s.Granularity,
		Meter: s.Meter, Meters: meterOptions(s),
		Rounds: s.Rounds, For: s.For, Warmup: s.Warmup, Drop: s.Drop, Seed: s.Seed, Timeout: s.Timeout,
		Analysis: s.Analysis(), IncludeFailed: s.IncludeFailed, Settings: s.Map(),
		Others: sampler.Others,
	}
}

func meterOptions(s settings.Settings) meter.Options {
	return meter.Options{PowercapRoot: s.PowercapRoot}
}
