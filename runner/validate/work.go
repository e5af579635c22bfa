package validate

import (
	"embed"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"spell-lsp/spell/regularfile"
	"spell-lsp/spell/validation"
)

//go:embed _work
var work embed.FS

// lengths are those of the tests, in one round.
type lengths struct{ alone, mixed, concurrent time.Duration }

// planFile has the lengths and the seed, as constants.
const planFile = "plan_test.go"

// writeModule writes the module of the workloads to a folder of the scratch folder, with what stands in
// place of its files in another folder, if that is not "".
func writeModule(dir, instead string) error {
	entries, err := work.ReadDir("_work")
	if err != nil {
		return err
	}
	files := map[string][]byte{"go.mod": []byte("module " + validation.Module + "\n\ngo 1.25\n")}
	for _, e := range entries {
		if files[e.Name()], err = work.ReadFile("_work/" + e.Name()); err != nil {
			return err
		}
	}
	for name, text := range files {
		if instead != "" {
			if other, err := regularfile.Read(filepath.Join(instead, name), regularfile.MaxSource); err == nil {
				text = other
			}
		}
		if err := os.WriteFile(filepath.Join(dir, name), text, 0o600); err != nil {
			return fmt.Errorf("writing the workloads: %w", err)
		}
	}
	return nil
}

// writePlan says how long tests take, and in which order workloads are mixed.
func writePlan(dir string, l lengths, seed uint32) error {
	var b strings.Builder
	fmt.Fprintf(&b, "package workloads\n\nconst (\n\tseed = %d\n\taloneSeconds = %g\n\tmixedSeconds = %g\n\tconcurrentSeconds = %g\n)\n",
		seed, l.alone.Seconds(), l.mixed.Seconds(), l.concurrent.Seconds())
	if err := os.WriteFile(filepath.Join(dir, planFile), []byte(b.String()), 0o600); err != nil {
		return fmt.Errorf("writing the workloads: %w", err)
	}
	return nil
}
