package main

import (
	"errors"
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"spell-lsp/spell"
	"spell-lsp/spell/comparison"
	"spell-lsp/spell/comparison/rendering"
	"spell-lsp/spell/gate"
	"spell-lsp/spell/record"
	"spell-lsp/spell/record/grouping"
	"spell-lsp/spell/record/ranking"
	"spell-lsp/spell/settings"
)

// A gateInput is what a new run is checked against.
type gateInput struct {
	rules []gate.Rule
	base  *record.Run // nil = none
}

// gate reads the rules and the base before anything is measured.
func (f *measureFlags) gate(cmd *cobra.Command, s settings.Settings) (*gateInput, error) {
	rules, err := parseRules(f.rules)
	if err != nil {
		return nil, err
	}
	g := &gateInput{rules: rules}
	if f.inclusive && len(rules) > 0 {
		return nil, errors.New("--fail-on checks self values and cannot be combined with --inclusive")
	}
	changes := slices.IndexFunc(rules, gate.Rule.NeedsBase)
	switch {
	case f.base == "" && changes < 0:
		return g, nil
	case f.base == "" && s.Baseline == "":
		return nil, needsBase(rules[changes])
	}
	if f.inclusive {
		return nil, errors.New("--compare compares self values and cannot be combined with --inclusive")
	}
	if f.base == "-" {
		return nil, errors.New("--compare: name a run or a file")
	}
	if !pages[f.format].compares && f.file == "" {
		return nil, fmt.Errorf("--compare prints a page of its own: write the %s to a file with -o", f.format)
	}
	base, err := f.readBase(cmd, s)
	if err != nil {
		return nil, err
	}
	kind := s.Granularity
	if f.block != "" {
		kind = spell.KindBlock
	}
	if g.base, err = grouping.Regroup(base, kind); err != nil {
		return nil, fmt.Errorf("the run to compare with: %w", err)
	}
	ranking.Analyze(g.base, analysis(s), s.IncludeFailed)
	return g, nil
}

func needsBase(r gate.Rule) error {
	return fmt.Errorf("--fail-on %s needs a run to compare with: add --compare RUN", r)
}

// readBase reads the run that --compare names, or else the settings.
func (f *measureFlags) readBase(cmd *cobra.Command, s settings.Settings) (*record.Run, error) {
	read, of := func() (*record.Run, error) { return readNamed(cmd, f.dir, f.base, false) }, "--compare"
	if f.base == "" {
		read, of = func() (*record.Run, error) {
			return readConfigured(cmd.Context(), cmd, settingsFolder(f.dir), s.Baseline)
		}, "the setting baseline"
	}
	base, err := read()
	if err != nil {
		return nil, fmt.Errorf("%s: %w", of, err)
	}
	return base, nil
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

// show writes the result of a measurement and the comparison, which is printed where
// the format does not have it.
func (f *measureFlags) show(cmd *cobra.Command, run *record.Run, c *comparison.Comparison, s settings.Settings) error {
	err := f.write(cmd, run, s, c)
	if c == nil || pages[f.format].compares {
		return err
	}
	w := cmd.OutOrStdout()
	return errors.Join(err, rendering.Text(w, c, rendering.Options{Top: s.Top, Color: f.file == "" && colors(w)}))
}

// hold checks the rules before the run is shown, because some formats include the result.
func (o *output) hold(rules []gate.Rule, run *record.Run, c *comparison.Comparison) (err error) {
	o.checked.Rules = rules
	if o.checked.Report, err = gate.Check(rules, run, c); err != nil {
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
func checkRules(cmd *cobra.Command, rules []gate.Rule, run *record.Run, c *comparison.Comparison) error {
	if err := unchecked(rules, run, c); err != nil {
		return err
	}
	report, err := gate.Check(rules, run, c)
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
