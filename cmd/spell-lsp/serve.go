package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"
	"syscall"

	"github.com/spf13/cobra"
	"go.uber.org/zap"
	"go.uber.org/zap/zapcore"

	"spell-lsp/instrument"
	"spell-lsp/instrument/gocmd"
	"spell-lsp/lsp"
	"spell-lsp/lsp/render"
	"spell-lsp/runner"
	"spell-lsp/runner/meter"
	"spell-lsp/runner/scenario"
	"spell-lsp/runner/scratch"
	"spell-lsp/spell"
	"spell-lsp/spell/page"
	"spell-lsp/spell/record"
	"spell-lsp/spell/settings"
)

func serveCommand() *cobra.Command {
	var logFile, logLevel, address string
	cmd := &cobra.Command{
		Use:   "serve",
		Short: "Run the language server on standard input and output",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			log, err := newLog(cmd.ErrOrStderr(), logFile, logLevel)
			if err != nil {
				return err
			}
			defer log.Sync() //nolint:errcheck // a terminal cannot be synced
			// A client that dies is noticed by its stream; the signal would end this
			// process before it has cleaned up. It is caught, not ignored: children
			// would inherit that.
			signal.Notify(make(chan os.Signal, 1), syscall.SIGPIPE)
			saved, err := openStore(cmd)
			if err != nil {
				log.Warn("runs are not saved", zap.Error(err))
			}
			named := func(ctx context.Context, dir, name string) (*record.Run, error) {
				return readConfigured(ctx, cmd, dir, name)
			}
			o := lsp.Options{
				Measure: measureForEditor, Advise: adviseForEditor, Modules: gocmd.Modules, Programs: programsForEditor, Benchmarks: benchmarkForEditor, MainPackage: mainPackage, Machines: settings.UserMachines, Load: loadForEditor, Named: named, Report: reportsForEditor(),
				Doctor: doctorText, Store: saved, Log: log, Version: versionName(),
			}
			defer endsItself(cmd.Context())()
			if address == "" {
				return lsp.Serve(cmd.Context(), stdio{cmd.InOrStdin(), protocolOutput(cmd)}, o)
			}
			l, err := listen(cmd.Context(), address, cmd.ErrOrStderr(), o)
			if err != nil {
				return err
			}
			return l.serve(cmd.Context())
		},
	}
	cmd.Flags().StringVar(&logFile, "log", "", "write the log to `FILE` instead of standard error")
	cmd.Flags().StringVar(&logLevel, "log-level", "info", "log from this `LEVEL` on: debug, info, warn, error")
	forceFlag(cmd.Flags())
	cmd.Flags().StringVar(&address, "listen", "", "for debugging: accept one client at 127.0.0.1:`PORT`, which must send the token printed on standard error")
	return cmd
}

// newLog is for people too: what it quotes is encoded for a terminal.
func newLog(errout io.Writer, file, level string) (*zap.Logger, error) {
	l, err := zapcore.ParseLevel(level)
	if err != nil {
		return nil, fmt.Errorf("--log-level %q: must be debug, info, warn or error", level)
	}
	if file != "" {
		sink, _, err := zap.Open(file)
		if err != nil {
			return nil, fmt.Errorf("--log %s: %w", file, err)
		}
		errout = page.NewTerminal(sink, false)
	}
	encoding := zap.NewProductionEncoderConfig()
	encoding.EncodeTime = zapcore.ISO8601TimeEncoder
	core := zapcore.NewCore(zapcore.NewConsoleEncoder(encoding), zapcore.Lock(zapcore.AddSync(errout)), l)
	return zap.New(core, zap.AddCaller(), zap.AddStacktrace(zap.ErrorLevel)), nil
}

// stdio is the client behind standard input and output.
type stdio struct {
	io.Reader
	io.Writer
}

func (s stdio) Close() error {
	if c, ok := s.Reader.(io.Closer); ok {
		return c.Close()
	}
	return nil
}

// modeForEditor is the mode of the request or, if it has none, that of the settings. Lenses ask for
// blocks, benchmarks and the tests of a function, which need probes: where only the settings say
// samples, they are taken as the wish that they are, and the run says why it has probes.
func modeForEditor(r lsp.Request) string {
	needsProbes := r.Block != "" || r.Bench != "" || r.Reach != ""
	if r.Mode == "" && r.Settings.Mode == runner.ModeSample && needsProbes {
		return runner.ModeAuto
	}
	return cmp.Or(r.Mode, r.Settings.Mode)
}

// calmForEditor says whether the programs are run unmeasured too: not for a look into one function, or
// where so many rounds are wanted, as for the trial of an advice.
func calmForEditor(r lsp.Request) bool {
	return r.Settings.Calmness && r.Rounds == 0 && r.Block == "" && r.Reach == ""
}

// measureForEditor carries out what an editor asked for.
func measureForEditor(ctx context.Context, r lsp.Request, progress func(lsp.Progress)) (*record.Run, error) {
	p := params(r.Settings)
	p.Dir, p.Patterns, p.Run, p.Bench, p.Reach, p.Buffers = r.Dir, r.Patterns, r.Run, r.Bench, r.Reach, r.Buffers
	p.Mode, p.Calm, p.Counts, p.Subtests = modeForEditor(r), calmForEditor(r), true, r.Subtests
	if r.Block != "" {
		p.Block, p.Granularity = r.Block, spell.KindBlock
	}
	if p.Run == "" {
		p.Run = r.Settings.Run
	}
	if r.Scenarios != nil {
		var err error
		if p.Scenarios, err = parseScenarios(r.Scenarios, scenarioPlace(r.Dir)); err != nil {
			return nil, err
		}
		p.Run, p.Settings = "", withScenarios(p.Settings, r.Scenarios)
	}
	if r.Rounds > 0 {
		p.Rounds = r.Rounds
	}
	p.Progress = func(s runner.Step) {
		at := lsp.Progress{Message: stepText(s, ""), Fraction: s.Fraction}
		for _, row := range s.Live {
			at.Live = append(at.Live, render.LiveRow(row))
		}
		progress(at)
	}
	p.Found = r.Found
	var told []string
	if r.Grow != "" {
		var err error
		if p, told, err = growingForEditor(ctx, r, p); err != nil {
			return nil, err
		}
	}
	name, host, err := machineOf(nil, r.Settings)
	if err != nil {
		return nil, err
	}
	run, err := measureOn(ctx, name, host, false, p)
	if err != nil {
		return nil, err // half a measurement is not shown in an editor
	}
	run.Warnings = append(run.Warnings, told...)
	return run, nil
}

// scenarioPlace says where a key of a scenario stands in the settings of a folder.
func scenarioPlace(dir string) func(name, key string) string {
	return func(name, key string) string { return settings.Locate(settingsFolder(dir), "scenarios", name, key) }
}

// programsForEditor lists the folders of the main packages of a module.
func programsForEditor(ctx context.Context, dir string, s settings.Settings) ([]string, error) {
	folder, err := scratch.New()
	if err != nil {
		return nil, err
	}
	defer folder.Remove()
	return instrument.Programs(ctx, instrument.Params{Dir: dir, Patterns: []string{"./..."}, Tags: s.Tags, Temp: folder.Dir})
}

// mainPackage names the main package of a scenario.
func mainPackage(s settings.Scenario) (string, error) {
	parsed, err := scenario.Parse(scenario.Main, s)
	return parsed.Package, err
}

func doctorText(_ context.Context, s settings.Settings) string {
	var b strings.Builder
	if err := diagnose(&b, meterOptions(s), meter.Options{}); err != nil {
		return errors.Join(errors.New("writing the report"), err).Error()
	}
	return b.String()
}
