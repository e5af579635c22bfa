package csvmatrix_test

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"spell-lsp/spell/csvmatrix"
)

// Read does not panic on any input. A matrix that it returns is valid, can be written
// without an error, and is the same when it is read again.
func FuzzRead(f *testing.F) {
	tables, err := filepath.Glob("../testdata/golden/*.csv")
	if err != nil || len(tables) == 0 {
		f.Fatalf("no published tables: %v", err)
	}
	for _, name := range tables {
		text, err := os.ReadFile(name)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(text)
	}
	for _, text := range []string{
		"",
		"\ufefftest,component,cpu_J,n,time_ms\r\nt,c,1e-3,0,-0\r\n",
		"test,component,file,line,cpu_uJ,dram_J,n,time_ns\n\"a \"\"b\"\"\",c,x.go,3,1,,1,1\nu,c,x.go,3,1,,1,1\n",
		"test,component,cpu_J,n,time_s\nt,c,,1,1e57\nt,d,,1,1e58\n",
		"test,component,cpu_kJ,n,time_us\nt,\"c\r\nd\",1,1,1\n",
		"test,component,cpu_J,n,time_ms\nt,c,1,1,1\nt,c,1,1,1\n",
		"test,component,file,cpu_J,n,time_ms\n=1,'+x,@f,1,1,1\n'=1,''+x,-;=f,1,1,1\n",
		"# energy: estimated\n#\ntest,component,cpu_J,n,time_ms\n#t,c,1,1,1\n",
		"test,component,line,cpu_J,n,time_ms\nt,c,2147483647,1,1,1\n",
	} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		m, _, err := csvmatrix.Read(bytes.NewReader(text), "fuzz")
		if err != nil {
			return
		}
		if err := m.Validate(); err != nil {
			t.Fatalf("Read took what is not valid: %v", err)
		}
		var written bytes.Buffer
		if err := csvmatrix.Write(&written, m, ""); err != nil {
			t.Fatal(err)
		}
		again, _, err := csvmatrix.Read(&written, "written")
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(m, again); diff != "" {
			t.Errorf("read, written and read again (-first +second):\n%s", diff)
		}
	})
}
