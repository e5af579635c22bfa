package rewrite

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// See the archive: the program is run with its blocks and checks itself what is
// on top. Executions must be those of the source.
func TestBlocksAtRunTime(t *testing.T) {
	inputs, want := readArchive(t, "testdata/blockrun.txtar")
	dir := t.TempDir()
	write := func(name, text string) {
		name = filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	write("go.mod", string(want["go.mod"]))
	for _, in := range inputs {
		if in.Name != "main.go" {
			write(in.Name, string(in.Data))
			continue
		}
		got, all := instrumentBlocks(t, in.Name, in.Data, "example.com/blocks/probe")
		write(in.Name, string(got))
		f := parseOne(t, in.Name, in.Data)
		names := "package probe\n\nvar names = map[uint32]string{\n0: \"outside\",\n"
		for i, fn := range f.Funcs {
			names += fmt.Sprintf("%d: %q,\n", i+1, fn.Name)
			for j, block := range all[i].List {
				names += fmt.Sprintf("%d: %q,\n", rowsOf(i)+uint32(j), fn.Name+"#"+block.Path)
			}
		}
		write("probe/names.go", names+"}\n")
	}
	cmd := exec.CommandContext(t.Context(), "go", "run", ".")
	cmd.Dir, cmd.Env = dir, append(os.Environ(), "GOWORK=off", "GOFLAGS=")
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	if diff := cmp.Diff(strings.TrimSpace(string(want["executions"])), strings.TrimSpace(string(out))); diff != "" {
		t.Errorf("executions of the blocks (-want +got):\n%s", diff)
	}
}
