//go:build !(linux && (amd64 || arm64) && (cgo || gpu))

package gpu

import "errors"

// canLoad reports whether this build can load a library.
const canLoad = false

func load(string) (library, error) { return nil, errors.ErrUnsupported }
