package powercapsim

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
)

// layout names the folder of each zone: hexadecimal numbers in the order of
// registration, counted separately in each control type and each parent.
func layout(zones []Zone) map[string]string {
	folders, children := map[string]string{}, map[string]int{}
	for _, z := range zones {
		parent := z.control()
		if z.Parent != "" {
			parent = folders[z.Parent]
		}
		folders[z.ID()] = parent + ":" + strconv.FormatInt(int64(children[parent]), 16)
		children[parent]++
	}
	return folders
}

// build makes the tree: nested folders of control types and zones under devices,
// and a link to each of them in the class.
func build(dir string, zones []Zone) (map[string]string, error) {
	if err := os.MkdirAll(Root(dir), 0o755); err != nil {
		return nil, fmt.Errorf("making the class folder: %w", err)
	}
	names, folders := layout(zones), map[string]string{}
	for _, z := range zones {
		id := z.ID()
		up := folders[z.Parent]
		if z.Parent == "" {
			up = filepath.Join(dir, "devices", "virtual", "powercap", z.control())
			if err := link(dir, up); err != nil {
				return nil, fmt.Errorf("making control type %s: %w", z.control(), err)
			}
		}
		folders[id] = filepath.Join(up, names[id])
		if err := buildZone(dir, z, folders[id]); err != nil {
			return nil, fmt.Errorf("making zone %s: %w", id, err)
		}
	}
	return folders, errors.Join(open(filepath.Join(dir, "class")), open(filepath.Join(dir, "devices")))
}

// open lets every user into the folders of a tree, as sysfs does, whatever the umask.
func open(root string) error {
	return filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err == nil && d.IsDir() {
			err = os.Chmod(path, 0o755)
		}
		return err
	})
}

func buildZone(dir string, z Zone, folder string) error {
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return err
	}
	files := map[string]string{
		"name":                z.Name + "\n",
		"max_energy_range_uj": strconv.FormatUint(z.rangeUJ(), 10) + "\n",
		"energy_uj":           image(z.StartUJ),
	}
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(folder, name), []byte(text), 0o600); err != nil {
			return err
		}
		if err := os.Chmod(filepath.Join(folder, name), 0o644); err != nil { // whatever the umask
			return err
		}
	}
	return link(dir, folder)
}

// link makes folder, unless it is there, and its entry in the class.
func link(dir, folder string) error {
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return err
	}
	target, err := filepath.Rel(Root(dir), folder)
	if err != nil {
		return err
	}
	err = os.Symlink(target, filepath.Join(Root(dir), filepath.Base(folder)))
	if errors.Is(err, fs.ErrExist) {
		return nil
	}
	return err
}

// imageSize is the length of energy_uj, the same for every value, so that
// overwriting it in place leaves no rest of the old content.
const imageSize = 21

// image is the content of energy_uj.
func image(uj uint64) string {
	var text [imageSize]byte
	putImage(&text, uj)
	return string(text[:])
}

func putImage(text *[imageSize]byte, uj uint64) {
	text[imageSize-1] = '\n'
	for i := imageSize - 2; i >= 0; i-- {
		text[i] = byte('0' + uj%10)
		uj /= 10
	}
}
