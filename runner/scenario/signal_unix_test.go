//go:build unix

package scenario

import (
	"syscall"
	"testing"

	"spell-lsp/spell/settings"
)

func TestSignals(t *testing.T) {
	for text, want := range map[string]syscall.Signal{
		"": syscall.SIGTERM, "SIGINT": syscall.SIGINT, "int": syscall.SIGINT, "USR1": syscall.SIGUSR1, "sigquit": syscall.SIGQUIT, "KILL": syscall.SIGKILL,
	} {
		s, err := Parse("serve", settings.Scenario{Exec: ".", Stop: text})
		if err != nil || s.Stop != want {
			t.Errorf("%q is %v (%v), want %v", text, s.Stop, err, want)
		}
	}
}
