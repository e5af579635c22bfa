//go:build !unix

package burn

import (
	"errors"
	"os"
)

func mapped(*os.File) (*Accounts, error) { return nil, errors.ErrUnsupported }
