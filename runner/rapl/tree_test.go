package rapl

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// tree makes a class folder from lines:
//
//	zone intel-rapl:0 package-0 1000 262143328850   a zone: folder, name, energy_uj, max_energy_range_uj
//	link intel-rapl:1 intel-rapl:0                  a link and its target
//	rm intel-rapl:1/name
//	intel-rapl:0/energy_uj any text                 a file and its content
func tree(t *testing.T, lines ...string) string {
	t.Helper()
	root := filepath.Join(t.TempDir(), "powercap")
	build(t, root, lines)
	return root
}

func build(t *testing.T, root string, lines []string) {
	t.Helper()
	if err := os.MkdirAll(root, 0o750); err != nil {
		t.Fatal(err)
	}
	for _, line := range lines {
		f := strings.Fields(line)
		switch f[0] {
		case "zone":
			write(t, root, f[1]+"/name", f[2]+"\n")
			write(t, root, f[1]+"/energy_uj", f[3]+"\n")
			write(t, root, f[1]+"/max_energy_range_uj", f[4]+"\n")
		case "link":
			if err := os.Symlink(f[2], filepath.Join(root, f[1])); err != nil {
				t.Fatal(err)
			}
		case "rm":
			if err := os.Remove(filepath.Join(root, f[1])); err != nil {
				t.Fatal(err)
			}
		default:
			_, content, _ := strings.Cut(line, " ")
			write(t, root, f[0], content)
		}
	}
}

func write(t *testing.T, root, path, content string) {
	t.Helper()
	path = filepath.Join(root, path)
	if err := os.MkdirAll(filepath.Dir(path), 0o750); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
}
