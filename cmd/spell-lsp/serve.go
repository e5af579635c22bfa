package main

import (
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

	"spell-lsp/instrument/gocmd"
	"spell-lsp/lsp"
	"spell-lsp/runner"
	"spell-lsp/runner/meters"
	"spell-lsp/runner/sampler"
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
				Measure: measureForEditor, Advise: adviseForEditor, Modules: gocmd.Modules, Load: loadForEditor, Named: named, Report: reportsForEditor(),
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

// measureForEditor carries out what an editor asked for.
func measureForEditor(ctx context.Context, r lsp.Request, progress func(lsp.Progress)) (*record.Run, error) {
	if r.Mode != "" && r.Mode != "instrument" {
		return nil, fmt.Errorf("mode %q: must be instrument", r.Mode)
	}
	p := params(r.Settings)
	p.Dir, p.Patterns, p.Run, p.Bench, p.Reach, p.Buffers = r.Dir, r.Patterns, r.Run, r.Bench, r.Reach, r.Buffers
	if r.Block != "" {
		p.Block, p.Granularity = r.Block, spell.KindBlock
	}
	if p.Run == "" {
		p.Run = r.Settings.Run
	}
	if r.Rounds > 0 {
		p.Rounds = r.Rounds
	}
	p.Progress = func(s runner.Step) {
		progress(lsp.Progress{Message: stepText(s, ""), Fraction: s.Fraction})
	}
	p.Found = r.Found
	run, err := runner.Measure(ctx, p)
	if err != nil {
		return nil, err // half a measurement is not shown in an editor
	}
	return run, nil
}

func doctorText(_ context.Context, s settings.Settings) string {
	var b strings.Builder
	if err := meters.WriteDoctor(&b, sampler.Doctor(meterOptions(s))); err != nil {
		return errors.Join(errors.New("writing the report"), err).Error()
	}
	return b.String()
}
