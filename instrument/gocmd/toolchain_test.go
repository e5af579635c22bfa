package gocmd

import (
	"slices"
	"testing"
)

// The go command takes -ldflags of its command line in place of those in GOFLAGS: these are kept.
func TestFlagsForTheLinker(t *testing.T) {
	for goflags, want := range map[string][]string{
		"":                                      {"-ldflags=-w -checklinkname=0"},
		"-mod=mod -trimpath":                    {"-ldflags=-w -checklinkname=0"},
		"-ldflags=-s":                           {"-ldflags=-s -w -checklinkname=0"},
		"'-ldflags=-X main.v=1 -s' -tags=a":     {"-ldflags=-X main.v=1 -s -w -checklinkname=0"},
		"-ldflags=-s -ldflags=-X=a=b -gcflags=": {"-ldflags=-X=a=b -w -checklinkname=0"},
		"-ldflags=-X=a=O'Brien;(x)\\ -tags=a":   {"-ldflags=-X=a=O'Brien;(x)\\ -w -checklinkname=0"},
		// With a pattern they are for the packages that it matches.
		"\"--ldflags=all=-X 'main.v=a b'\"": {"-ldflags=-w -checklinkname=0", "-ldflags=all=-X 'main.v=a b' -w -checklinkname=0"},
	} {
		tools, err := NewToolchain(&Environment{GOROOT: "/go", GOMODCACHE: "/mod", GOFLAGS: goflags})
		if err != nil {
			t.Fatal(err)
		}
		if got := tools.LinkerFlags("-checklinkname=0"); !slices.Equal(got, want) {
			t.Errorf("with GOFLAGS=%s: %q, want %q", goflags, got, want)
		}
	}
}
