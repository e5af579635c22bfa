package settings_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"spell-lsp/spell/settings"
)

// Somebody who opens a folder to look at it has not agreed to anything: only what
// changes how results are shown is read of its settings. The list stands here a
// second time so that a key does not become harmless by a slip.
func TestWithoutTrust(t *testing.T) {
	display := []string{
		"order", "oracle", "weights.cpu", "weights.dram", "weights.gpu", "weights.disk", "weights.fans", "weights.net", "includeFailed", "top",
		"zones.rule", "zones.red", "zones.yellow", "zones.floor", "zones.keep", "zones.redFrom", "zones.yellowFrom",
		"footprint.carbon", "footprint.price", "footprint.currency", "severity.red", "severity.yellow", "severity.green", "severity.budget", "growth.size", "lenses", "inlayHints", "advice",
	}
	var harmless, others []string
	for _, k := range settings.Keys() {
		switch {
		case k.Trust == 0:
			t.Errorf("%s does not say whether it needs trust", k.Name)
		case k.Trust.Harmless():
			harmless = append(harmless, k.Name)
		default:
			others = append(others, k.Name)
		}
	}
	if diff := cmp.Diff(display, harmless); diff != "" {
		t.Errorf("harmless keys (-want +got):\n%s", diff)
	}
	got, ignored := complete.WithoutTrust() // complete has no default
	if diff := cmp.Diff(others, ignored); diff != "" {
		t.Errorf("ignored keys (-want +got):\n%s", diff)
	}
	want := settings.Default()
	want.Order, want.Oracle, want.Weights, want.IncludeFailed, want.Top = complete.Order, complete.Oracle, complete.Weights, complete.IncludeFailed, complete.Top
	want.Zones, want.ZonesBy, want.KeepZones, want.RedFrom, want.YellowFrom = complete.Zones, complete.ZonesBy, complete.KeepZones, complete.RedFrom, complete.YellowFrom
	want.Footprint, want.Severity, want.GrowthSize, want.Lenses, want.InlayHints, want.Advice = complete.Footprint, complete.Severity, complete.GrowthSize, complete.Lenses, complete.InlayHints, complete.Advice
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("settings (-want +got):\n%s", diff)
	}
	got.Weights["cpu"] = 9
	if complete.Weights["cpu"] == 9 {
		t.Error("they share the weights with those that they were made of")
	}
	if _, ignored := settings.Default().WithoutTrust(); len(ignored) > 0 {
		t.Errorf("the defaults ignore %q", ignored)
	}
}
