package runner

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// An overlay is the file that go build -overlay reads.
type overlay struct {
	Replace map[string]string // original file to the one that stands for it
}

func readOverlay(name string) (o overlay, err error) {
	text, err := os.ReadFile(name)
	if err == nil {
		err = json.Unmarshal(text, &o)
	}
	if err != nil {
		return o, fmt.Errorf("reading the overlay: %w", err)
	}
	return o, nil
}

// originalPlaces puts the names of the original files where the go command's
// output has those that stand for them: as the go command, run in
// dir, shows them.
func originalPlaces(output, name, dir string) (string, error) {
	o, err := readOverlay(name)
	if err != nil {
		return "", err
	}
	var pairs []string
	for original, copied := range o.Replace {
		shown := shortPath(dir, original)
		// The go command shows a relative name where it is the shorter one. A
		// place follows, so that 1_a.go is not taken for the end of 11_a.go.
		if rel, err := filepath.Rel(dir, copied); err == nil {
			pairs = append(pairs, rel+":", shown+":")
		}
		pairs = append(pairs, copied+":", shown+":")
	}
	return strings.NewReplacer(pairs...).Replace(output), nil
}

// shortPath is how the go command, run in dir, shows a file.
func shortPath(dir, file string) string {
	rel, err := filepath.Rel(dir, file)
	switch {
	case err != nil || len(rel) >= len(file):
		return file
	case filepath.Base(rel) == rel:
		return "." + string(filepath.Separator) + rel
	}
	return rel
}

// plainOverlay is that of a build without probes: an editor's unsaved text
// alone.
func (m *measurement) plainOverlay() (string, error) {
	dir, err := subfolder(m.scratch, "plain")
	if err != nil {
		return "", err
	}
	o := overlay{Replace: make(map[string]string, len(m.Buffers))}
	for original, text := range m.Buffers {
		copied := filepath.Join(dir, strconv.Itoa(len(o.Replace))+"_"+filepath.Base(original))
		if err := os.WriteFile(copied, text, 0o600); err != nil {
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
