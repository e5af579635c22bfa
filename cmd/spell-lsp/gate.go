package main

import (
	"errors"
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"spell-lsp/spell/comparison"
	"spell-lsp/spell/gate"
	"spell-lsp/spell/record"
	"spell-lsp/spell/settings"
)

// A gateInput is what a new run is checked against.
type gateInput struct {
	rules []gate.Rule
	base  *record.Run // nil = none
}

func needsBase(r gate.Rule) error {
	return fmt.Errorf("--fail-on %s needs a run to compare with: add --compare RUN", r)
}

// compare is nil without a base.
func (g *gateInput) compare(run *record.Run, s settings.Settings) (*comparison.Comparison, error) {
	if g.base == nil {
		return nil, nil //nolint:nilnil // there is nothing to compare with
	}
	c, err := comparison.Compare(g.base, run, comparison.Options{IncludeFailed: s.IncludeFailed})
	if err != nil {
		return nil, refused(err)
	}
	return c, nil
}

// refused is the error of --compare for runs that must not be compared. These commands
// have no flags to allow it; the command compare has.
func refused(err error) error {
	var refusal *comparison.Refusal
	if errors.As(err, &refusal) && refusal.Cause != comparison.Granularity {
		return fmt.Errorf("--compare: %w (with the command compare)", err)
	}
	return fmt.Errorf("--compare: %w", err)
}

// hold checks the rules before the run is shown, because some formats include the result.
func (o *output) hold(rules []gate.Rule, base, run *record.Run, c *comparison.Comparison) (err error) {
	o.checked.Rules = rules
	if o.checked.Report, err = gate.Check(rules, base, run, c); err != nil {
		return fmt.Errorf("--fail-on: %w", err)
	}
	return nil
}

// unchecked says why rules cannot be checked: the run, or the one that it is compared
// with, is partial. It is nil if they can.
func unchecked(rules []gate.Rule, run *record.Run, c *comparison.Comparison) error {
	switch {
	case len(rules) > 0 && run.Partial:
		return errors.New("--fail-on was not checked: the measurement ended early, as its warnings say, and the run is partial")
	case c != nil && c.Base.Partial && slices.ContainsFunc(rules, gate.Rule.NeedsBase):
		return errors.New("--fail-on was not checked: the measurement of BASE ended early, and that run is partial: measure it again")
	}
	return nil
}

// checkRules prints remarks on the rules to standard error. The error is a *gate.Failure
// if one is broken.
func checkRules(cmd *cobra.Command, rules []gate.Rule, base, run *record.Run, c *comparison.Comparison) error {
	if err := unchecked(rules, run, c); err != nil {
		return err
	}
	report, err := gate.Check(rules, base, run, c)
	if err != nil {
		return fmt.Errorf("--fail-on: %w", err)
	}
	return printRemarks(cmd, report)
}

func printRemarks(cmd *cobra.Command, report *gate.Report) error {
	for _, remark := range report.Remarks {
		if _, err := fmt.Fprintln(cmd.ErrOrStderr(), remark); err != nil {
			return fmt.Errorf("writing the remarks: %w", err)
		}
	}
	return report.Err()
}

// parseRules reads the values of --fail-on.
func parseRules(texts []string) ([]gate.Rule, error) {
	var rules []gate.Rule
	for _, text := range texts {
		some, err := gate.ParseAll(text)
		if err != nil {
			return nil, fmt.Errorf("--fail-on %w", err)
		}
		rules = append(rules, some...)
	}
	return rules, nil
}
