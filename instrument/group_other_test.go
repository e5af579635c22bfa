//go:build !unix

package instrument

import "os/exec"

func ownGroup(*exec.Cmd) {}
