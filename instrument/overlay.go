package instrument

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
)

// An overlay is the file that go build -overlay reads.
type overlay struct {
	Replace map[string]string // original file to the one that stands for it
}

// WriteOverlay writes files, given by the absolute paths that they stand for,
// into an empty folder, and returns the name of their description for -overlay.
func WriteOverlay(dir string, files map[string][]byte) (string, error) {
	o := overlay{Replace: make(map[string]string, len(files))}
	for i, original := range slices.Sorted(maps.Keys(files)) {
		copied := filepath.Join(dir, strconv.Itoa(i)+"_"+filepath.Base(original))
		if err := os.WriteFile(copied, files[original], 0o600); err != nil {
			return "", fmt.Errorf("writing the overlay: %w", err)
		}
		o.Replace[original] = copied
	}
	description, err := json.Marshal(o)
	if err != nil {
		return "", err
	}
	name := filepath.Join(dir, "overlay.json")
	if err := os.WriteFile(name, description, 0o600); err != nil {
		return "", fmt.Errorf("writing the overlay: %w", err)
	}
	return name, nil
}

// ReadOverlay returns what a description maps: originals to the files that
// stand for them.
func ReadOverlay(name string) (map[string]string, error) {
	var o overlay
	text, err := os.ReadFile(name)
	if err == nil {
		err = json.Unmarshal(text, &o)
	}
	if err != nil {
		return nil, fmt.Errorf("reading the overlay: %w", err)
	}
	return o.Replace, nil
}
