package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/aymanbagabas/go-udiff"
	"github.com/spf13/cobra"
	modpath "golang.org/x/mod/module"

	"spell-lsp/instrument"
	"spell-lsp/instrument/analyzers"
	"spell-lsp/lsp"
	"spell-lsp/runner/scratch"
	"spell-lsp/spell"
	"spell-lsp/spell/advice"
	"spell-lsp/spell/record"
	"spell-lsp/spell/record/ranking"
	"spell-lsp/spell/sarif"
	"spell-lsp/spell/text"
)

type adviseFlags struct {
	output
	dir string
	fix []string
}

func adviseCommand() *cobra.Command {
	var f adviseFlags
	cmd := &cobra.Command{
		Use:   "advise [flags] [RUN]",
		Short: "Say what to change, with the joules at stake",
		Long: `Advise runs analysers over the packages that a saved run measured, the latest or the
one that is named, and shows what they find in lines that use energy, with the most
that a change there can save. Functions that were edited since the run are not checked.

` + referenceHelp + ` Matrices have no lines.

With --fix it writes the rewrites that keep the meaning of the program as a patch, and
changes nothing: --fix all, or the numbers of findings (--fix 1,3). Apply it in the folder
of the module. Many findings have no such rewrite.`,
		Example: `  spell-lsp advise
  spell-lsp advise --fix 1 | git apply
  spell-lsp advise --format sarif -o advice.sarif`,
		Args: cobra.MaximumNArgs(1),
		RunE: f.advise,
	}
	flags := cmd.Flags()
	flags.StringVarP(&f.dir, "dir", "C", ".", "take settings and saved runs of the module that `DIR` is in")
	flags.StringVar(&f.format, "format", "text", "`FORMAT` of the result: text, json or sarif (with the rewrites as fixes)")
	flags.StringSliceVar(&f.fix, "fix", nil, "write a patch with the rewrites of these `FINDINGS`, by number, or of all")
	f.registerFile(flags, "result")
	f.flags.register(cmd, "tags", "include-failed")
	return cmd
}

func (f *adviseFlags) advise(cmd *cobra.Command, args []string) error {
	switch {
	case !slices.Contains([]string{"text", "json", "sarif"}, f.format):
		return fmt.Errorf("--format %q: must be one of text, json, sarif", f.format)
	case cmd.Flags().Changed("fix") && len(f.fix) == 0:
		return errors.New("--fix: name findings by number, or all")
	case len(f.fix) > 0 && f.format != "text":
		return errors.New("--fix writes a patch, and cannot be combined with --format")
	}
	name := "latest"
	if len(args) > 0 {
		name = args[0]
	}
	s, err := f.settings(f.dir)
	if err != nil {
		return err
	}
	run, err := readNamed(cmd, f.dir, name, false)
	if err != nil {
		return err
	}
	ranking.Analyze(run, s.Analysis(), s.IncludeFailed)
	run = ranking.Counted(run)
	_, folder, err := savedUnder(f.dir)
	if err != nil {
		return err
	}
	if !run.OfProgram() {
		return fmt.Errorf("%s is a matrix, which has no lines: advise needs a run that spell-lsp measure made", name)
	}
	if !slices.ContainsFunc(run.Components, func(c record.Component) bool { return len(c.Lines) > 0 }) {
		return fmt.Errorf("%s: it does not say in which lines its functions spend their time: measure by function, with this version and Go 1.25 or 1.26, and in more rounds if the tests are short (--rounds 30)", name)
	}
	a := advisor{root: filepath.Join(folder, filepath.FromSlash(run.Workspace.Root)), run: run}
	if err := a.find(cmd.Context(), folder, s.Tags); err != nil {
		return err
	}
	if len(f.fix) > 0 {
		return f.patch(cmd, &a)
	}
	return f.emit(cmd, func(w io.Writer) error {
		switch f.format {
		case "json":
			return a.writeJSON(w)
		case "sarif":
			return sarif.WriteAdvice(w, run, a.list, sourceIn(a.root), sarif.Options{Version: versionName()})
		}
		how := f.options(cmd, s)
		how.Command = ""
		return text.Advice(w, run, a.list, a.unchecked, how)
	})
}

// An advisor holds what was found for a run.
type advisor struct {
	root      string
	run       *record.Run
	list      []advice.Advice
	unchecked text.Unchecked
}

// find analyses the packages that hold energy. What was edited since the run has no price.
func (a *advisor) find(ctx context.Context, dir string, tags []string) error {
	packages := packagesOf(a.run)
	findings, broken, err := findingsIn(ctx, packages, instrument.Params{Dir: dir, Tags: tags}, a.root)
	if err == nil && len(broken) == len(packages) {
		err = fmt.Errorf("the run is of %s, and none of its packages compiles in %s: %s", cmp.Or(a.run.Workspace.Module, "another module"), dir, broken[0])
	}
	if err != nil {
		return err
	}
	a.unchecked.Broken = broken
	a.list, a.unchecked.Edited = advice.PriceNow(a.run, findings, sourceIn(a.root).Finder())
	return nil
}

// adviseForEditor finds what an editor asked for.
func adviseForEditor(ctx context.Context, r lsp.AdviceRequest) ([]advice.Finding, error) {
	packages := r.Packages
	if packages == nil {
		packages = packagesOf(r.Run)
	}
	findings, broken, err := findingsIn(ctx, packages, instrument.Params{Dir: r.Dir, Tags: r.Settings.Tags, Buffers: r.Buffers}, r.Root)
	if err == nil && len(broken) == len(packages) {
		err = fmt.Errorf("it does not compile: %s", broken[0])
	}
	return findings, err
}

// findingsIn are what the analysers find in packages, and what is wrong with those that do not compile.
func findingsIn(ctx context.Context, packages []string, p instrument.Params, root string) (findings []advice.Finding, broken []string, err error) {
	folder, err := scratch.New()
	if err != nil {
		return nil, nil, err
	}
	defer folder.Remove()
	p.Patterns, p.Temp = packages, folder.Dir
	return instrument.Findings(ctx, p, root, analyzers.Find)
}

// packagesOf are the import paths of the functions whose lines are known.
func packagesOf(r *record.Run) []string {
	var list []string
	for i := range r.Components {
		c := &r.Components[i]
		isPath := modpath.CheckImportPath(c.Package) == nil // what a file says may be a pattern or a flag
		if c.Kind == spell.KindFunction && len(c.Lines) > 0 && isPath && !slices.Contains(list, c.Package) {
			list = append(list, c.Package)
		}
	}
	slices.Sort(list)
	return list
}

// patch writes the rewrites of the chosen findings as a patch.
func (f *adviseFlags) patch(cmd *cobra.Command, a *advisor) error {
	chosen, err := f.chosen(a.list)
	if err != nil {
		return err
	}
	var edits []advice.Edit
	for _, one := range chosen {
		if slices.ContainsFunc(one.Edits, func(e advice.Edit) bool { return advice.Overlap(e, edits) }) {
			fmt.Fprintf(cmd.ErrOrStderr(), "left out, because another rewrite changes the same place: %s:%d (%s); run advise again after the patch\n", one.File, one.Line, one.Rule) //nolint:errcheck // a remark
			continue
		}
		edits = append(edits, one.Edits...)
	}
	patch, err := a.patch(edits)
	if err != nil {
		return err
	}
	f.format = "patch" // not a text for people: it is written as it is, with the line ends of the files
	return f.emit(cmd, func(w io.Writer) error {
		_, err := io.WriteString(w, patch)
		return err
	})
}

// chosen are the findings of --fix.
func (f *adviseFlags) chosen(list []advice.Advice) ([]advice.Advice, error) {
	var chosen []advice.Advice
	for _, name := range f.fix {
		if name == "all" {
			chosen = append(chosen, slices.DeleteFunc(slices.Clone(list), func(a advice.Advice) bool { return a.Edits == nil })...)
			continue
		}
		n, err := strconv.Atoi(name)
		switch {
		case err != nil || n < 1 || n > len(list):
			return nil, fmt.Errorf("--fix %q: must be all, or the number of a finding; there are %d", name, len(list))
		case list[n-1].Edits == nil:
			return nil, fmt.Errorf("--fix %d: there is no rewrite of %s that keeps the meaning for certain: %s", n, list[n-1].Rule, cmp.Or(list[n-1].Help, list[n-1].Message))
		}
		chosen = append(chosen, list[n-1])
	}
	if len(chosen) == 0 {
		return nil, errors.New("--fix all: no finding has a rewrite that keeps the meaning for certain")
	}
	return chosen, nil
}

// patch applies edits to the files, formats them, and returns the difference.
func (a *advisor) patch(edits []advice.Edit) (string, error) {
	var b strings.Builder
	files, of := advice.ByFile(edits)
	for _, file := range files {
		before := sourceIn(a.root)(file)
		if before == nil {
			return "", fmt.Errorf("%s cannot be read any more", file)
		}
		after, err := advice.Rewrite(before, of[file])
		if err != nil {
			return "", fmt.Errorf("%s: %w", file, err)
		}
		b.WriteString(udiff.Unified("a/"+file, "b/"+file, string(before), string(after)))
	}
	return b.String(), nil
}

// writeJSON writes the advice for programs; docs/formats.md has the fields.
func (a *advisor) writeJSON(w io.Writer) error {
	items, edited := []advised{}, []string{}
	for i, one := range a.list {
		c := &a.run.Components[one.Component]
		items = append(items, advised{
			Number: i + 1, Rule: one.Rule, File: one.File, Line: one.Line, Column: one.Column, EndLine: one.EndLine, Function: c.ID, Message: one.Message, Help: one.Help,
			EnergyJ: one.EnergyJ, TimeMS: one.TimeMS, Share: one.Share, FunctionEnergyJ: c.EnergyJ, FunctionTimeMS: c.TimeMS, Edits: one.Edits,
		})
	}
	for _, i := range a.unchecked.Edited {
		edited = append(edited, a.run.Components[i].ID)
	}
	e := json.NewEncoder(w)
	e.SetIndent("", " ")
	return e.Encode(struct {
		Run        string        `json:"run"`
		Source     record.Source `json:"energy_source"`
		Advice     []advised     `json:"advice"`
		Edited     []string      `json:"edited"`
		NotCompile []string      `json:"does_not_compile,omitempty"`
	}{a.run.ID, a.run.Meter.Origin(), items, edited, a.unchecked.Broken})
}

// advised is an advice as JSON.
type advised struct {
	Number          int           `json:"number"` // that --fix takes
	Rule            string        `json:"rule"`
	File            string        `json:"file"`
	Line            int           `json:"line"`
	Column          int           `json:"column"`
	EndLine         int           `json:"end_line"`
	Function        string        `json:"function"`
	Message         string        `json:"message"`
	Help            string        `json:"help,omitempty"`
	EnergyJ         record.Energy `json:"energy_j"` // at most what can be saved in a round
	TimeMS          float64       `json:"time_ms"`
	Share           float64       `json:"share"` // of all functions
	FunctionEnergyJ record.Energy `json:"function_energy_j"`
	FunctionTimeMS  float64       `json:"function_time_ms"`
	Edits           []advice.Edit `json:"edits,omitempty"`
}
