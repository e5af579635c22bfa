package powercapsim

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
)

// A Fault is a way in which a zone's energy_uj can go wrong.
type Fault string

// The faults. Those of the first group change the content of the file, also for a
// reader that has it open; those of the second group replace the file.
const (
	Frozen   Fault = "frozen"    // is not updated any more
	Empty    Fault = "empty"     // has no content, and is not updated any more
	Garbage  Fault = "garbage"   // holds no number, and is not updated any more
	StepBack Fault = "step back" // is set back by a joule, and goes on from there

	Unreadable Fault = "unreadable" // mode 000; root reads it all the same
	Missing    Fault = "missing"
	Folder     Fault = "folder"
	EIO        Fault = "EIO"    // a link to a file whose reads fail with EIO; Linux only
	EINVAL     Fault = "EINVAL" // a link to a file whose reads fail with EINVAL unless their size is a multiple of 8; Linux only
)

// Fault makes the energy_uj of a zone go wrong from now on.
func (s *Sim) Fault(id string, f Fault) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	z := s.zone(id)
	if z == nil {
		return fmt.Errorf("fault %s: there is no zone %q", f, id)
	}
	if err := z.fault(f); err != nil {
		return fmt.Errorf("fault %s of zone %s: %w", f, id, err)
	}
	return nil
}

func (z *simZone) fault(f Fault) error {
	path := filepath.Join(z.folder, "energy_uj")
	switch f {
	case Frozen:
		z.frozen = true
		return nil
	case Empty:
		z.frozen = true
		return z.file.Truncate(0)
	case Garbage:
		z.frozen = true
		_, err := z.file.WriteAt([]byte("not available       \n"), 0)
		return err
	case StepBack:
		z.backUJ += 1_000_000
		return nil
	case Unreadable:
		return os.Chmod(path, 0)
	case Missing:
		return os.Remove(path)
	case Folder:
		return errors.Join(os.Remove(path), os.Mkdir(path, 0o755))
	case EIO:
		return errors.Join(os.Remove(path), os.Symlink("/proc/self/mem", path))
	case EINVAL:
		return errors.Join(os.Remove(path), os.Symlink("/proc/self/pagemap", path))
	}
	return errors.New("is not known")
}
