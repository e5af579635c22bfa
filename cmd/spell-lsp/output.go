package main

import (
	"errors"
	"fmt"
	"io"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"spell-lsp/spell"
	"spell-lsp/spell/atomicfile"
	"spell-lsp/spell/benchfmt"
	"spell-lsp/spell/binmatrix"
	"spell-lsp/spell/comparison"
	"spell-lsp/spell/comparison/rendering"
	"spell-lsp/spell/csvmatrix"
	"spell-lsp/spell/jsonmatrix"
	"spell-lsp/spell/junit"
	"spell-lsp/spell/openmetrics"
	"spell-lsp/spell/page"
	"spell-lsp/spell/pprof"
	"spell-lsp/spell/record"
	"spell-lsp/spell/record/grouping"
	"spell-lsp/spell/record/ranking"
	"spell-lsp/spell/record/recordjson"
	"spell-lsp/spell/regularfile"
	"spell-lsp/spell/report"
	"spell-lsp/spell/sarif"
	"spell-lsp/spell/settings"
	"spell-lsp/spell/shortlist"
	"spell-lsp/spell/smm"
	"spell-lsp/spell/text"
	"spell-lsp/spell/toolkit"
)

// output is what measure, analyze and report share: how a run is ranked and shown.
type output struct {
	format, file, sort, within string
	inclusive, full            bool
	flags                      settingFlags
	command                    string        // that shows the whole page
	measured                   string        // absolute path of the folder that was measured; "" where it is not known
	source                     string        // absolute path of the folder that may have the source; "" where it is not known
	checked                    junit.Options // the rules, and what came of them
}

// The binary formats, which are not written to a terminal.
const (
	binaryFormat = "binary"
	pprofFormat  = "pprof"
)

// A view is how a page shows a run.
type view struct {
	text.Options
	comparison *comparison.Comparison // with another run; nil = none
	severity   settings.Severity
	root       string // absolute path of the workspace; "" where it is not known
	rules      junit.Options
}

// A pageFormat is a format of a run that was ranked.
type pageFormat struct {
	write     func(w io.Writer, r *record.Run, v view) error
	compares  bool // the page has the comparison too
	inclusive bool // it has values with those of the callees
}

var pages = map[string]pageFormat{
	"text":        {writeText, true, true},
	"json":        {func(w io.Writer, r *record.Run, _ view) error { return recordjson.Write(w, r) }, false, true},
	"html":        {writeHTML, true, true},
	"markdown":    {writeMarkdown, true, true},
	pprofFormat:   {writePprof, false, false},
	"sarif":       {writeSARIF, true, false},
	"junit":       {writeJUnit, false, false},
	"openmetrics": {writeOpenMetrics, false, false},
	"smm":         {writeSMM, false, false},
	"benchfmt":    {writeBenchfmt, false, false},

	"github-benchmark": {writeGitHubBenchmark, false, false},
}

// writeText has the comparison before the ranking: its verdict comes first.
func writeText(w io.Writer, r *record.Run, v view) error {
	if v.comparison != nil {
		if err := rendering.Text(w, v.comparison, compared(v.Options)); err != nil {
			return err
		}
		if _, err := fmt.Fprintln(w); err != nil {
			return err
		}
	}
	return text.Write(w, r, v.Options)
}

// compared are the options of the comparison on a page.
func compared(o text.Options) rendering.Options {
	return rendering.Options{Full: o.Full, Top: o.Top, First: o.First, Color: o.Color, ASCII: o.ASCII, Width: o.Width}
}

func writeHTML(w io.Writer, r *record.Run, v view) error {
	return report.Write(w, r, report.Options{Comparison: v.comparison, Top: v.Top, Sort: v.Sort, Rates: v.Rates, Source: v.Source})
}

func writeMarkdown(w io.Writer, r *record.Run, v view) error {
	return text.Markdown(w, r, v.comparison, v.Options)
}

func writePprof(w io.Writer, r *record.Run, v view) error {
	return pprof.Write(w, r, pprof.Options{Dir: v.root})
}

func writeSARIF(w io.Writer, r *record.Run, v view) error {
	return sarif.Write(w, r, sarif.Options{Version: versionName(), Severity: v.severity, Comparison: v.comparison})
}

func writeJUnit(w io.Writer, r *record.Run, v view) error { return junit.Write(w, r, v.rules) }

func writeOpenMetrics(w io.Writer, r *record.Run, v view) error {
	return openmetrics.Write(w, r, openmetrics.Options{Top: v.Top})
}

func writeSMM(w io.Writer, r *record.Run, _ view) error {
	return smm.Write(w, r, smm.Options{Version: versionName()})
}

// writeBenchfmt has all components, unless the flag --top limits them: benchstat compares those that
// both runs have, and has a filter.
func writeBenchfmt(w io.Writer, r *record.Run, v view) error {
	return benchfmt.Write(w, r, benchfmt.Options{Top: v.First})
}

func writeGitHubBenchmark(w io.Writer, r *record.Run, v view) error {
	return benchfmt.WriteGitHub(w, r, benchfmt.Options{Top: page.Shown(v.Top, len(r.Components))})
}

// matrices are the formats of a matrix, and of where its energy comes from.
var matrices = map[string]func(w io.Writer, m *spell.Matrix, origin record.Source) error{
	"csv":         csvmatrix.Write,
	"json-matrix": jsonmatrix.Write,
	binaryFormat:  binmatrix.Write,
	"spell":       func(w io.Writer, m *spell.Matrix, _ record.Source) error { return toolkit.WriteMatrix(w, m) },
	"trace":       func(w io.Writer, m *spell.Matrix, _ record.Source) error { return toolkit.WriteTrace(w, m) },
}

// formats lists the values of --format.
func formats() []string {
	names := slices.AppendSeq(slices.Collect(maps.Keys(pages)), maps.Keys(matrices))
	slices.Sort(names)
	return names
}

// sorts lists the orders of the ranking.
func sorts() []string {
	list := []string{"psi", "energy", "time", "n", "epi"}
	for _, d := range spell.Domains() {
		list = append(list, string(d))
	}
	return list
}

func (o *output) register(cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringVar(&o.format, "format", "text", "`FORMAT` of the result: text, markdown, html (one page with charts), json (the run record), pprof, sarif, junit, openmetrics, smm (the OMG's metrics model), benchfmt (Go's benchmark format, for benchstat), github-benchmark (github-action-benchmark's JSON), or the matrix as csv, json-matrix, binary, spell (the toolkit's) or trace")
	o.registerFile(f, "result")
	f.StringVar(&o.sort, "sort", "", "rank by psi, as the SPELL papers do (default: the setting order); or only sort rows by energy, time, n, epi or a domain such as dram")
	f.StringVar(&o.within, "within", "", "show only the contents of the package, file or type `ID` (or the end of one), or the lines or blocks of a function (text and markdown)")
	f.BoolVar(&o.inclusive, "inclusive", false, "rank by energy and time including callees, as the SPELL toolkit does")
	f.BoolVar(&o.full, "full", false, "show the full page, not only the first screen: --top components and tests, meter, machine, test suite and all notes (markdown and html are always full)")
	o.flags.register(cmd, "top", "oracle", "weights", "include-failed", "zones", "footprint")
}

// registerFile adds the flag -o, with the name of what is written.
func (o *output) registerFile(f *pflag.FlagSet, what string) {
	f.VarP((*outputFile)(&o.file), "output", "o", "write the "+what+" to `FILE` instead of standard output, which is also -")
}

// An outputFile is the value of -o: the name of a file, or "" for standard output.
type outputFile string

func (f *outputFile) String() string { return string(*f) }
func (f *outputFile) Type() string   { return "string" }

// Set takes "-" for standard output, as other commands do.
func (f *outputFile) Set(name string) error {
	if name == "-" {
		name = ""
	}
	*f = outputFile(name)
	return nil
}

// check refuses bad values before anything is measured.
func (o *output) check() error {
	if !slices.Contains(formats(), o.format) {
		return fmt.Errorf("--format %q: must be one of %s", o.format, strings.Join(formats(), ", "))
	}
	return o.checkRows()
}

// checkRows is check without the format.
func (o *output) checkRows() error {
	if o.sort != "" && !slices.Contains(sorts(), o.sort) {
		return fmt.Errorf("--sort %q: must be one of %s", o.sort, strings.Join(sorts(), ", "))
	}
	if o.within != "" && o.format != "text" && o.format != "markdown" {
		return fmt.Errorf("--within selects rows of a page and cannot be combined with --format %s, which contains everything", o.format)
	}
	if what := o.format; o.inclusive && !pages[o.format].inclusive && o.format != "spell" {
		if matrices[o.format] != nil {
			what = "a " + o.format + " matrix"
		}
		return fmt.Errorf("--inclusive: %s holds self values; values including callees are available as text, markdown, html, json or spell", what)
	}
	return o.checkFile()
}

// checkFile finds out whether -o can be written.
func (o *output) checkFile() error {
	if o.file == "" {
		return nil
	}
	t, err := atomicfile.Find(o.file)
	if err == nil {
		err = t.Check()
	}
	if err != nil {
		return fmt.Errorf("-o %s: %w", o.file, err)
	}
	return nil
}

// rank analyses a run as the flags and settings say.
func (o *output) rank(r *record.Run, s settings.Settings) error {
	if !o.inclusive {
		ranking.Analyze(r, s.Analysis(), s.IncludeFailed)
		return nil
	}
	if _, err := ranking.AnalyzeInclusive(r, s.Analysis(), s.IncludeFailed); err != nil {
		return fmt.Errorf("--inclusive: %w", err)
	}
	return nil
}

// write renders the run to the file or to standard output, with a comparison if there is
// one and the format can show it. A matrix has its components in the order of the run; an
// analysis sorts them by rank.
func (o *output) write(cmd *cobra.Command, r *record.Run, s settings.Settings, c *comparison.Comparison) error {
	if format, ok := pages[o.format]; ok {
		v := view{Options: o.options(cmd, s), comparison: c, severity: s.Severity, rules: o.checked}
		if o.measured != "" {
			v.root = filepath.Join(o.measured, filepath.FromSlash(r.Workspace.Root))
		}
		if o.source != "" {
			v.Source = sourceIn(filepath.Join(o.source, filepath.FromSlash(r.Workspace.Root)))
		}
		return o.emit(cmd, func(w io.Writer) error { return format.write(w, r, v) })
	}
	m := r.SpellMatrix(s.IncludeFailed)
	if o.inclusive {
		if m = r.CumulativeMatrix(s.IncludeFailed); m == nil {
			return fmt.Errorf("--inclusive: %w", ranking.ErrNoCumulative)
		}
	}
	if err := reportLeftOut(cmd.ErrOrStderr(), r, s.IncludeFailed); err != nil {
		return err
	}
	return o.emit(cmd, func(w io.Writer) error { return matrices[o.format](w, m, r.Meter.Origin()) })
}

// options say how the page looks.
func (o *output) options(cmd *cobra.Command, s settings.Settings) text.Options {
	how := text.Options{Full: o.full, Top: s.Top, Sort: o.sort, Within: o.within, Rates: s.Footprint, Command: o.command}
	if set := o.flags.set; set != nil && set.Changed("top") {
		how.First = s.Top
	}
	if o.file == "" {
		how.Color, how.ASCII, how.Width = colors(cmd.OutOrStdout()), !unicodeLocale(), columns(cmd.OutOrStdout())
	}
	return how
}

// ofThePage are the flags that decide what a page says, besides --full, in each command.
var ofThePage = []string{
	"across-machines", "across-meters", "granularity", "include-failed", "inclusive", "input", "oracle", "order",
	"sort", "weights", "within", "zones",
}

// fullCommand is a command line that shows the whole page of what cmd shows: command with
// --full, the flags of cmd that decide what the page says, -C dir if there is one, and the name
// of a run or file if there is one. It is "" for standard input, which cannot be read again.
func fullCommand(cmd *cobra.Command, command, dir, name string) string {
	line := "spell-lsp " + command + " --full"
	cmd.Flags().Visit(func(f *pflag.Flag) {
		if slices.Contains(ofThePage, f.Name) {
			line += " --" + f.Name + "=" + quoted(strings.Trim(f.Value.String(), "[]")) // a group is written [cpu=1,dram=0]
		}
	})
	if dir != "" && dir != "." {
		line += " -C " + quoted(dir)
	}
	switch name {
	case "-":
		return ""
	case "":
		return line
	}
	return line + " " + quoted(name)
}

// quoted is an argument as a shell reads it.
func quoted(argument string) string {
	if strings.Trim(argument, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_./:@%+=-,") == "" {
		return argument
	}
	return "'" + strings.ReplaceAll(argument, "'", `'\''`) + "'"
}

// sourceIn reads the files of a workspace.
func sourceIn(root string) text.Source {
	return func(file string) []byte {
		content, err := regularfile.Read(filepath.Join(root, filepath.FromSlash(file)), regularfile.MaxSource)
		if err != nil {
			return nil
		}
		return content
	}
}

// reportLeftOut says which tests are missing in a matrix, whose formats cannot express that
// a test failed.
func reportLeftOut(w io.Writer, r *record.Run, includeFailed bool) error {
	var names []string
	for i := range r.Tests {
		if r.Tests[i].LeftOut(includeFailed) {
			names = append(names, r.Tests[i].Name)
		}
	}
	if len(names) == 0 {
		return nil
	}
	_, err := fmt.Fprintf(w, "left out of the matrix because they did not pass (include them with --include-failed): %s\n", strings.Join(shortlist.Of(names), ", "))
	return err
}

// emit writes a result to the file that was named, or else to standard output.
func (o *output) emit(cmd *cobra.Command, content func(io.Writer) error) error {
	if o.file == "" {
		if (o.format == binaryFormat || o.format == pprofFormat) && terminal(cmd.OutOrStdout()) {
			return fmt.Errorf("--format %s is binary and is not written to a terminal: name a file with -o", o.format)
		}
		if o.readByPeople() {
			return content(cmd.OutOrStdout())
		}
		return content(machineOutput(cmd))
	}
	t, err := atomicfile.Find(o.file)
	if err == nil {
		err = t.Write(o.encoded(content))
	}
	if err != nil {
		return fmt.Errorf("writing the result: %w", err)
	}
	return nil
}

// readByPeople reports whether the format is text for people.
func (o *output) readByPeople() bool { return o.format == "text" || o.format == "markdown" }

// encoded is the content for a file. Text for people is encoded for a terminal, because
// that is where files are looked at.
func (o *output) encoded(content func(io.Writer) error) func(io.Writer) error {
	if !o.readByPeople() {
		return content
	}
	return func(w io.Writer) error {
		shown := page.NewTerminal(w, false)
		return errors.Join(content(shown), shown.Flush())
	}
}

// settings are those of the workspace, overridden by the flags.
func (o *output) settings(dir string) (settings.Settings, error) {
	s, err := settings.Load(settingsFolder(dir))
	if err != nil {
		return s, err
	}
	if s, err = o.flags.over(s); err != nil {
		return s, err
	}
	if o.sort == string(spell.ByPsi) {
		s.Order = spell.ByPsi
	}
	return s, nil
}

// grouped is the run by what --granularity says; without the flag it stays what it is.
func (o *output) grouped(run *record.Run, s settings.Settings) (*record.Run, error) {
	if !o.flags.set.Changed("granularity") {
		return run, nil
	}
	by, err := grouping.Regroup(run, s.Granularity)
	if err != nil {
		return nil, fmt.Errorf("--granularity: %w", err)
	}
	return by, nil
}
