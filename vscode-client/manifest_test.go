// Package vscodeclient holds only this test: the extension's manifest repeats
// what the Go side defines, and must not drift from it.
package vscodeclient

import (
	"encoding/json"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"spell-lsp/spell/settings"
)

// A property is a setting as package.json declares it.
type property struct {
	Type        any // a name or a list of names
	Default     any `json:"default"`
	Enum        []string
	Description string
}

// A manifest is what this test reads of package.json.
type manifest struct {
	Capabilities struct {
		UntrustedWorkspaces struct {
			RestrictedConfigurations []string
		}
	}
	Contributes struct {
		Configuration struct{ Properties map[string]property }
	}
}

func readManifest(t *testing.T) manifest {
	t.Helper()
	data, err := os.ReadFile("package.json")
	if err != nil {
		t.Fatal(err)
	}
	var m manifest
	if err := json.Unmarshal(data, &m); err != nil {
		t.Fatal(err)
	}
	return m
}

// The settings editor offers what the server understands: the same keys, with
// the same types, defaults, choices and words.
func TestSettingsAreTheServers(t *testing.T) {
	want := map[string]property{}
	for _, k := range settings.Keys() {
		want["spell."+k.Name] = property{Type: schemaType(k.Type), Default: plain(t, k.Default), Enum: k.Enum, Description: k.Doc}
	}
	got := readManifest(t).Contributes.Configuration.Properties
	for _, own := range []string{"spell.server.path", "spell.trace.server", "spell.marks", "spell.heat"} {
		if _, ok := got[own]; !ok {
			t.Errorf("package.json does not declare %s", own)
		}
		delete(got, own)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("package.json does not declare the settings as spell/settings defines them (-want +got):\n%s", diff)
	}
}

// In a workspace that is not trusted the editor keeps back the settings that the
// server would not read, and the one that names a program.
func TestRestrictedSettingsAreTheServers(t *testing.T) {
	want := []string{"spell.server.path"}
	for _, k := range settings.Keys() {
		if !k.Trust.Harmless() {
			want = append(want, "spell."+k.Name)
		}
	}
	got := readManifest(t).Capabilities.UntrustedWorkspaces.RestrictedConfigurations
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("package.json does not restrict the settings that need trust (-want +got):\n%s", diff)
	}
}

// schemaType gives a key's type in the words of JSON Schema.
func schemaType(t string) any {
	if one, other, ok := strings.Cut(t, " or "); ok {
		return []any{one, other}
	}
	return t
}

// plain gives v as JSON does: lists as []any, numbers as float64.
func plain(t *testing.T, v any) any {
	t.Helper()
	data, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	var result any
	if err := json.Unmarshal(data, &result); err != nil {
		t.Fatal(err)
	}
	if result == nil {
		return []any{} // a nil slice
	}
	return result
}
