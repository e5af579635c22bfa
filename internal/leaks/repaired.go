package main

import (
	"strings"

	"spell-lsp/internal/leaks/real"
)

// realLeaks are the leaks that authors have repaired.
func realLeaks() []Case {
	var cases []Case
	for _, r := range real.Repairs() {
		version := func(v string) Program {
			return Program{Module: r.Module, Version: v, Files: r.Files(), Packages: strings.TrimSuffix("./"+r.Package, "/"), Run: real.Run}
		}
		cases = append(cases, Case{
			Leak: Leak{
				Module: r.Module, Version: r.Before, Kind: r.Kind, Functions: r.Functions,
				Real: true, Reason: r.Reason + " (" + r.Change + ")",
			},
			Clean: version(r.After), Leaky: version(r.Before),
		})
	}
	return cases
}
