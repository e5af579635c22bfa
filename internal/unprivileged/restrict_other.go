//go:build !unix

package unprivileged

import "os/exec"

// Restrict does nothing: only Unix has root.
func Restrict(*exec.Cmd) {}
