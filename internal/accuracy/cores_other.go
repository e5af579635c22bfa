//go:build !linux

package main

import (
	"context"
	"errors"
	"io"

	"spell-lsp/runner/meter"
)

func coreDrivers() []meter.Driver { return nil }

func measureCores(context.Context, []string, io.Reader, io.Writer) error {
	return errors.New("counters of cores are simulated on Linux alone")
}
