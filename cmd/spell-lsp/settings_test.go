package main

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"spell-lsp/runner/meters"
	"spell-lsp/spell/settings"
)

// The settings accept exactly the meters that there are.
func TestSettingsNameEveryMeter(t *testing.T) {
	names := []string{meters.Auto}
	for _, d := range meters.Drivers() {
		names = append(names, d.Name)
	}
	if diff := cmp.Diff(names, settings.Meters()); diff != "" {
		t.Errorf("meters in the settings (-drivers +settings):\n%s", diff)
	}
}
