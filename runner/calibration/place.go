package calibration

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"spell-lsp/runner/meter"
	"spell-lsp/spell/atomicfile"
	"spell-lsp/spell/ownership"
	"spell-lsp/spell/regularfile"
)

// A Place is where calibrations are kept: those of a user, who may have one home on several machines, and
// those that root made for all users of a machine.
type Place struct {
	user   string // folder; "" for none
	system string // folder
	id     string // of the machine
}

// folder is below /etc, or below the folder for the user's configurations.
const folder = "spell-lsp/calibration"

// Usual is the place on this machine.
func Usual() Place {
	p := Below("/")
	if base, err := os.UserConfigDir(); err == nil {
		p.user = filepath.Join(base, folder)
	}
	return p
}

// Below is that of a machine whose files are below another root, without a user.
func Below(root string) Place {
	return Place{system: filepath.Join(root, "etc", folder), id: machineID(filepath.Join(root, "etc", "machine-id"))}
}

// machineID names a machine without telling its ID, which is confidential and must be hashed with a key
// of the application (machine-id(5)). Containers often have none.
func machineID(file string) string {
	text, err := regularfile.Read(file, regularfile.MaxValue)
	if err != nil {
		return "machine"
	}
	mac := hmac.New(sha256.New, []byte(strings.TrimSpace(string(text))))
	mac.Write([]byte("spell-lsp calibration"))
	return hex.EncodeToString(mac.Sum(nil))[:16]
}

// A FileError says that a calibration cannot be used.
type FileError struct {
	File string
	Err  error
}

func (e *FileError) Error() string {
	return fmt.Sprintf("%s: %v; calibrate again with spell-lsp doctor --calibrate, or remove it with rm %s", e.File, e.Err, e.File)
}

func (e *FileError) Unwrap() error { return e.Err }

// Find reads the calibration of this machine, the user's own first. file is "" where there is none.
// The error is a *FileError.
func (p Place) Find() (file string, c *Calibration, err error) {
	for _, dir := range []string{p.user, p.system} {
		if dir == "" {
			continue
		}
		file = filepath.Join(dir, p.id+".json")
		c, err := read(file)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			continue
		case err != nil:
			return file, nil, &FileError{file, err}
		}
		return file, c, nil
	}
	return "", nil, nil
}

func read(file string) (*Calibration, error) {
	text, err := regularfile.Read(file, regularfile.MaxSettings)
	if err == nil {
		err = ownership.Check(filepath.Dir(file))
	}
	if err != nil {
		return nil, err
	}
	var c Calibration
	if err := json.Unmarshal(text, &c); err != nil {
		return nil, fmt.Errorf("it is no calibration: %w", err)
	}
	if err := c.check(); err != nil {
		return nil, fmt.Errorf("it is no calibration: %w", err)
	}
	return &c, nil
}

// Keep writes a calibration: for all users if root made it, otherwise for this user.
func (p Place) Keep(c *Calibration, root bool) (file string, err error) {
	dir, replace, provide := p.user, keepPrivate, ownership.Make
	if root || dir == "" {
		dir, replace, provide = p.system, atomicfile.ReplaceReadable, makeReadable
	}
	file = filepath.Join(dir, p.id+".json")
	if err = provide(dir); err == nil {
		err = replace(file, func(w io.Writer) error {
			out := json.NewEncoder(w)
			out.SetIndent("", "  ")
			return out.Encode(c)
		})
	}
	if err != nil {
		return "", fmt.Errorf("keeping the calibration: %w", err)
	}
	return file, nil
}

func keepPrivate(file string, content func(io.Writer) error) error {
	return atomicfile.ReplacePrivate(file, ".unfinished-", content)
}

// makeReadable makes a folder whose files all users can read.
func makeReadable(dir string) error {
	if err := ownership.Check(dir); err != nil {
		return err
	}
	return createReadable(dir)
}

// createReadable is os.MkdirAll with permissions that the umask does not reduce. A folder that exists stays as it is.
func createReadable(dir string) error {
	err := os.Mkdir(dir, 0o755)
	if errors.Is(err, fs.ErrNotExist) {
		if err := createReadable(filepath.Dir(dir)); err != nil {
			return err
		}
		err = os.Mkdir(dir, 0o755)
	}
	if errors.Is(err, fs.ErrExist) {
		return nil
	}
	if err != nil {
		return err
	}
	return os.Chmod(dir, 0o755)
}

// ForModel is what the meter model is told. Without a calibration it is the zero value; one that does not
// hold for this machine is not used, and Unused says why.
func (p Place) ForModel(o meter.Options, now time.Time) meter.Calibration {
	file, c, err := p.Find()
	if err != nil {
		return meter.Calibration{Unused: err.Error()}
	}
	if c == nil {
		return meter.Calibration{}
	}
	m, err := This(o)
	if err == nil {
		if why := c.mismatch(m); why != "" {
			err = errors.New(why)
		}
	}
	if err != nil {
		return meter.Calibration{Unused: (&FileError{file, err}).Error()}
	}
	return meter.Calibration{IdleW: c.Fit.IdleW, BusyW: c.Fit.BusyW, Weighed: c.Frequency != "", Basis: c.basis(m, now)}
}
