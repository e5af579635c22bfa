// The probe's part of package syscall: which program is started. It stands there during an
// instrumented build only.

//go:build linux && (amd64 || arm64)

package syscall

import _ "unsafe" // for go:linkname

//go:linkname spellGo runtime.spellGo
func spellGo() (command, by, argument string)

// spellStart is called when a program is to be started. In a process that is measured, a go
// command that builds or runs a program is replaced by one that does so with probes. Neither
// PATH nor the environment is changed for that, so the process does not see it.
func spellStart(program string, arguments []string, attr *ProcAttr) (string, []string) {
	command, by, first := spellGo()
	if command == "" || program != command || len(arguments) < 2 {
		return program, arguments
	}
	switch arguments[1] {
	case "build", "install", "run":
	default:
		return program, arguments
	}
	if attr != nil && attr.Sys != nil && (attr.Sys.Chroot != "" || attr.Sys.Credential != nil || attr.Sys.Ptrace || attr.Sys.Cloneflags != 0) {
		return program, arguments
	}
	return by, append([]string{first}, arguments[1:]...)
}
