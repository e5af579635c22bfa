package main

import (
	"cmp"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"spell-lsp/spell/suggestion"
)

// flagError says of a flag that the command does not have which one it has instead.
func flagError(cmd *cobra.Command, err error) error {
	var unknown *pflag.NotExistError
	if !errors.As(err, &unknown) {
		return err
	}
	dash, name := "--", unknown.GetSpecifiedName()
	if group := unknown.GetSpecifiedShortnames(); group != "" {
		dash = "-"
		name, _, _ = strings.Cut(group, "=")
	}
	if instead := insteadOf[name]; instead != "" && cmd.Name() == "measure" {
		return fmt.Errorf("-%s is a flag of go test: %s", name, instead)
	}
	return fmt.Errorf("unknown flag: %s%s; %s", dash, name, cmp.Or(nearestFlag(cmd, name), "flags are listed by: "+cmd.CommandPath()+" --help"))
}

// nearestFlag asks whether the flag was meant that is nearest to a name, if one is near.
// Of a single letter nothing is.
func nearestFlag(cmd *cobra.Command, name string) string {
	var known []string
	cmd.Flags().VisitAll(func(f *pflag.Flag) {
		if !f.Hidden {
			known = append(known, f.Name)
		}
	})
	if len(name) > 1 {
		for _, i := range suggestion.Nearest(name, known, 1) {
			return "did you mean --" + known[i] + "?"
		}
	}
	return ""
}

// onlyCommands refuses arguments of a command that has commands below it, and says which
// of these may be meant.
func onlyCommands(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	var known []string
	for _, below := range cmd.Commands() {
		known = append(known, below.Name())
	}
	for _, i := range suggestion.Nearest(args[0], known, 1) {
		return fmt.Errorf("unknown command %q for %q; did you mean %s?", args[0], cmd.CommandPath(), known[i])
	}
	return fmt.Errorf("unknown command %q for %q; there are %s", args[0], cmd.CommandPath(), strings.Join(known, ", "))
}
