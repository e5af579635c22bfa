//go:build !linux

package children

import "errors"

type handle int

func killer(int) (handle, error) { return 0, errors.ErrUnsupported }

func (handle) kill() error { return errors.ErrUnsupported }

func (handle) close() {}
