package cache

import (
	"os"
	"path/filepath"
	"testing"
	"time"
)

// What was built is known until the build cache drops it; a key of which nothing was said, and a
// record that is damaged, tell nothing.
func TestBuilt(t *testing.T) {
	c, file := Open(filepath.Join(t.TempDir(), "cache")), filepath.Join(t.TempDir(), "runtime-d")
	write := func(name, text string) {
		t.Helper()
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	check := func(when, key string, wantThere, wantKnown bool) {
		t.Helper()
		if there, known := c.Built(key); there != wantThere || known != wantKnown {
			t.Errorf("%s: there %v, known %v; want %v, %v", when, there, known, wantThere, wantKnown)
		}
	}
	write(file, "")
	check("before", "std", false, false)
	c.KeepBuilt("std", file)
	check("built", "std", true, true)
	check("another key", "other", false, false)
	if err := os.Remove(file); err != nil {
		t.Fatal(err)
	}
	check("dropped by the build cache", "std", false, true)
	write(file, "")
	c.KeepBuilt("other", file)
	c.KeepBuilt("std", file+"2")
	check("built again", "std", true, true)
	write(c.builtFile("std"), "damaged")
	check("damaged", "std", false, false)
	c.KeepBuilt("std", file)
	check("kept anew", "std", true, true)
	c.Trim(time.Now().Add((KeepDays + 2) * day))
	check("long unused", "std", false, false)
	c = Cache{}
	c.KeepBuilt("std", file)
	check("without a folder", "std", false, false)
}
