package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"spell-lsp/runner/meter"
	"spell-lsp/runner/socket"
	"spell-lsp/spell/settings"
)

func meterCommand() *cobra.Command {
	var flags settingFlags
	cmd := &cobra.Command{
		Use:   "meter",
		Short: "Tell this user's services what the energy meter says",
		Long: `Meter reads the energy meter until it is interrupted, and tells the programs of this
user what it says: /debug/pprof/energy in services asks it (spell-lsp build). Start it
while the machine is idle, so that the power of the idle machine is known.

It listens on a socket that only this user can open, at meter.sock in
$XDG_RUNTIME_DIR/spell-lsp, or in ~/.cache/spell-lsp where there is no such folder;
SPELL_LSP_SOCKET names another place, for it and for services.

Exit codes: 0 interrupted; 2 bad usage, or it runs already; 3 there is no energy to
tell, or no longer.`,
		Example: `  spell-lsp meter
  go tool pprof 'http://localhost:6060/debug/pprof/energy?seconds=30'`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return serveMeter(cmd, &flags) },
	}
	flags.register(cmd, "meter", "powercap-root")
	return cmd
}

func serveMeter(cmd *cobra.Command, flags *settingFlags) error {
	s, err := flags.over(settings.Default())
	if err != nil {
		return err
	}
	path, err := socket.Path()
	if err != nil {
		return err
	}
	defer endsItself(cmd.Context())()
	return socket.Serve(cmd.Context(), socket.Params{
		Meter: s.Meter, Options: meterOptions(s), Path: path,
		Ready: func(info meter.Info, idle bool) {
			fmt.Fprintf(cmd.ErrOrStderr(), "spell-lsp: programs of this user get the readings of the meter %s (%s) at %s; Ctrl-C ends this\n", info.Name, info.Source, path) //nolint:errcheck // only a notice
			if !idle {
				fmt.Fprintln(cmd.ErrOrStderr(), "spell-lsp: the machine is busy: until it is idle for a second, services count the energy of the idle machine as theirs") //nolint:errcheck // as above
			}
		},
	})
}
