//go:build !linux

package probe

import "os"

func nameless() (*os.File, error) { return removed() }

func seal(*os.File, bool) {}
