package main

import (
	"fmt"
	"maps"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"

	"spell-lsp/runner"
	"spell-lsp/runner/target"
)

// attachFlags are those that are not settings.
type attachFlags struct {
	output
	dir    string
	length time.Duration
}

func attachCommand() *cobra.Command {
	var f attachFlags
	cmd := &cobra.Command{
		Use:   "attach PID|URL",
		Short: "Measure a Go process or service that is running",
		Long: `Attach samples the stacks of a process that is running, while the meter is read,
and ranks its functions. The process is a Go program of this user: name it by its
number, or a service by the URL under which it is reached on this machine. Nothing
in it changes: the kernel takes the samples (perf events). Where it may not, a
service that was named by its URL is asked for CPU profiles (net/http/pprof);
energy is then shared by CPU time.

The functions are shown in the source in -C, which must be a folder of the module
that the program was built from. Calls are not counted.

Exit codes: 0 done; 2 bad usage or input; 3 nothing could be measured; 130
interrupted (what was complete is shown, marked partial).`,
		Example: `  spell-lsp attach http://localhost:8080 --for 30s
  spell-lsp attach 4711 -C ~/src/shop --format pprof -o energy.pb.gz`,
		Args: cobra.ExactArgs(1),
		RunE: f.attach,
	}
	cmd.Flags().StringVarP(&f.dir, "dir", "C", "", "look the functions up in the module in `DIR`")
	cmd.Flags().DurationVar(&f.length, "for", 30*time.Second, "measure for this time")
	forceFlag(cmd.Flags())
	f.register(cmd)
	f.flags.register(cmd, "meter", "powercap-root", "exclude", "tags", "granularity", "library")
	return cmd
}

func (f *attachFlags) attach(cmd *cobra.Command, args []string) error {
	dir, err := filepath.Abs(f.dir)
	if err != nil {
		return err
	}
	s, err := f.settings(dir)
	if err != nil {
		return err
	}
	if err := f.check(); err != nil {
		return err
	}
	pid, err := target.Find(args[0])
	if err != nil {
		return err
	}
	process, err := target.Of(pid)
	if err != nil {
		return err
	}
	process.Profile = target.ProfileURL(args[0])
	f.measured, f.source, f.command = dir, dir, fullCommand(cmd, "report", f.dir, "")
	p := params(s)
	p.Dir, p.Run, p.Settings = dir, "", withAttached(p.Settings, process, f.length)
	progress := &progressLine{w: cmd.ErrOrStderr()}
	p.Progress, p.Noticed = progress.show, progress.tell
	saved := endsItself(cmd.Context())
	defer saved()
	run, err := runner.Attach(cmd.Context(), p, process, f.length)
	progress.clear()
	if run == nil {
		return err
	}
	p.Patterns = []string{process.Path}
	if err := save(cmd, p, s, run); err != nil {
		fmt.Fprintf(cmd.ErrOrStderr(), "spell-lsp: the run is not saved: %v\n", err) //nolint:errcheck // only a notice
		f.command = ""
	}
	saved()
	if shown := f.write(cmd, run, s, nil); shown != nil {
		return shown
	}
	return err
}

// withAttached are the settings of the record, with the process, and without the scenarios, none of
// which ran.
func withAttached(all map[string]any, p *target.Process, length time.Duration) map[string]any {
	all = maps.Clone(all)
	delete(all, "scenarios")
	all["attach"] = map[string]any{"name": p.Name, "package": p.Path, "for": length.String()}
	return all
}
