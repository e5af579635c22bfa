//go:build !linux

package probe

import "os"

func nameless() (*os.File, error) { return removed() }

func seal(*os.File, bool) {}

func wellKnown(*os.File) *os.File { return nil }
