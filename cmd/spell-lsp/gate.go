package main

import (
	"errors"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"spell-lsp/spell/comparison"
	"spell-lsp/spell/gate"
	"spell-lsp/spell/record"
	"spell-lsp/spell/settings"
)

// A gateway is what a new run is held against.
type gateway struct {
	rules []gate.Rule
	base  *record.Run // nil = none
}

// gate reads the rules and the base before anything is measured.
func (f *measureFlags) gate(cmd *cobra.Command, s settings.Settings) (*gateway, error) {
	rules, err := parseRules(f.rules)
	if err != nil {
		return nil, err
	}
	g := &gateway{rules: rules}
	if f.base == "" {
		for _, rule := range rules {
			if rule.NeedsBase() {
				return nil, fmt.Errorf("--fail-on %s is about a change: name the run to compare with, --compare FILE", rule)
			}
		}
		return g, nil
	}
	if f.inclusive {
		return nil, errors.New("--compare is of self values: it does not go with --inclusive")
	}
	if f.base == "-" {
		return nil, errors.New("--compare: name a file")
	}
	c := compareFlags{output: f.output}
	if g.base, err = c.read(cmd, f.base, s); err != nil {
		return nil, fmt.Errorf("--compare: %w", err)
	}
	return g, nil
}

// check compares a run with the base and checks the rules. The comparison follows
// the ranking on the page; where the result is no page, only the rules are told.
func (g *gateway) check(cmd *cobra.Command, f *measureFlags, run *record.Run, s settings.Settings) error {
	var c *comparison.Comparison
	if g.base != nil {
		var err error
		if c, err = comparison.Compare(g.base, run, comparison.Options{IncludeFailed: s.IncludeFailed}); err != nil {
			return fmt.Errorf("--compare %s: %w", f.base, err)
		}
		if f.format == "text" && f.file == "" {
			if err := g.page(cmd.OutOrStdout(), c, s); err != nil {
				return err
			}
		}
	}
	return checkRules(cmd, g.rules, run, c)
}

func (g *gateway) page(w io.Writer, c *comparison.Comparison, s settings.Settings) error {
	if _, err := fmt.Fprintln(w); err != nil {
		return fmt.Errorf("writing the comparison: %w", err)
	}
	return comparison.Text(w, c, comparison.PageOptions{Top: s.Top, Color: colors(w)})
}

// checkRules tells on standard error what the rules come to, and is a
// *gate.Failure where one is broken.
func checkRules(cmd *cobra.Command, rules []gate.Rule, run *record.Run, c *comparison.Comparison) error {
	report, err := gate.Check(rules, run, c)
	if err != nil {
		return fmt.Errorf("--fail-on: %w", err)
	}
	for _, remark := range report.Remarks {
		if _, err := fmt.Fprintln(cmd.ErrOrStderr(), remark); err != nil {
			return fmt.Errorf("writing the remarks: %w", err)
		}
	}
	return report.Err()
}
