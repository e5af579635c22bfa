package bisect

import (
	"fmt"
	"slices"
	"strings"

	"spell-lsp/runner"
	"spell-lsp/spell/bisection"
	"spell-lsp/spell/record"
)

// settle agrees in the first cycle, that of GOOD and BAD, on what is measured, and refuses runs of
// another meter, machine or Go later.
func (k *kept) settle(commits []string, runs []*record.Run, component bool) error {
	for i, run := range runs {
		if err := k.sameHost(commits[i], run.Host); err != nil {
			return err
		}
		var domains []string
		for _, d := range run.Meter.Domains {
			domains = append(domains, string(d))
		}
		if k.Meter == "" {
			k.Meter, k.Source, k.Domains = run.Meter.Name, string(run.Meter.Source), domains
		}
		if k.Meter != run.Meter.Name || k.Source != string(run.Meter.Source) || !slices.Equal(k.Domains, domains) {
			return fmt.Errorf("the search began with the meter %s (%s), and now there is %s (%s): make the first one work again, or begin anew with --restart", k.Meter, k.Source, run.Meter.Name, run.Meter.Source)
		}
	}
	if k.Quantity != "" {
		return nil
	}
	if err := k.agree(runs); err != nil {
		return err
	}
	k.Quantity = bisection.Energy
	if len(k.Domains) == 0 || component && len(runs[0].Matrix.Domains) == 0 {
		k.Quantity = bisection.Time
	}
	return nil
}

// sameHost refuses another machine, and another version of Go for the same commit: each makes some
// programs faster than others, so that the rounds of one commit would not fit those of another.
func (k *kept) sameHost(commit string, host record.Host) error {
	if k.Go == nil {
		k.Go, k.Host = make(map[string]string), host
	}
	if was, known := k.Go[commit]; known && was != host.Go {
		return fmt.Errorf("the search began with %s, and now there is %s: take the first one, or begin anew with --restart", was, host.Go)
	}
	k.Go[commit] = host.Go
	was := k.Host
	was.Go = host.Go
	if was != host {
		return fmt.Errorf("the search began on another machine (%s, %d cores) than this (%s, %d cores): go on there, or begin anew with --restart", was.CPU, was.Cores, host.CPU, host.Cores)
	}
	return nil
}

// agree chooses the tests that pass in all of the runs.
func (k *kept) agree(runs []*record.Run) error {
	if was, is := runs[0].Workspace.Module, runs[len(runs)-1].Workspace.Module; was != is {
		return fmt.Errorf("the module is %s in one of GOOD and BAD and %s in the other, so that no test has the same name in both: choose both before or both behind the commit that renamed it", was, is)
	}
	var failed []string
	for i := range runs[0].Tests {
		t := &runs[0].Tests[i]
		passes := func(run *record.Run) bool {
			other := testOf(run, t.Name)
			return other != nil && other.Outcome == record.Pass
		}
		if slices.ContainsFunc(runs, func(run *record.Run) bool { return !passes(run) }) {
			failed = append(failed, t.Name)
			continue
		}
		k.Tests, k.Packages = append(k.Tests, t.Name), append(k.Packages, t.Package)
	}
	if len(k.Tests) == 0 {
		return fmt.Errorf("%w that passes at GOOD and at BAD; these do not: %s", runner.ErrNoTest, strings.Join(failed, ", "))
	}
	return nil
}

// narrow restricts a measurement to the tests that were agreed on, and to their packages.
func (k *kept) narrow(p *runner.Params) {
	if len(k.Tests) == 0 {
		return
	}
	p.Run = topLevel(k.Tests, k.Packages, p.Run)
	patterns := slices.Clone(k.Packages)
	slices.Sort(patterns)
	patterns = slices.Compact(patterns)
	if !slices.ContainsFunc(patterns, func(path string) bool { return path == "" || strings.HasSuffix(path, ".go") }) { // that would count as a file
		p.Patterns = patterns
	}
}
