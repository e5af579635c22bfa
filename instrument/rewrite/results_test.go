package rewrite

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// Why: a return with values assigns to the results, and what a literal or a pointer sees of them
// afterwards must be the same with a probe. The program runs as it is, and with what a probe would
// make of its functions.
func TestResultsMeanTheSame(t *testing.T) {
	const program = `package main

var keep *int

type box struct{ n int }

func (b *box) add() { b.n++; last = b }

var last *box

func fib() (f func(int) int) {
	return func(n int) int {
		if n < 2 {
			return n
		}
		return f(n-1) + f(n-2)
	}
}

func address() (n int) { keep = &n; return 5 }

func bare() (n int) { keep = &n; n = 6; return }

func method() (b box) { b.add(); return box{7} }

func later() (n int, get func() int) { return 8, func() int { return n } }

func sum(xs ...int) (n int) {
	for _, x := range xs {
		n += x
	}
	return
}

func shadowed() (n int, err error) {
	if n := 3; n > 2 {
		return n, nil
	}
	return
}

func loop() (n int) {
again:
	if n++; n < 10 {
		goto again
	}
	return n
}

func main() {
	println(fib()(10))
	address()
	println(*keep)
	println(bare(), *keep)
	b := method()
	println(b.n, last.n)
	_, get := later()
	println(get())
	println(sum(1, 2, 3))
	n, err := shadowed()
	println(n, err == nil, loop())
}
`
	run := func(text []byte) string {
		t.Helper()
		name := filepath.Join(t.TempDir(), "main.go")
		if err := os.WriteFile(name, text, 0o600); err != nil {
			t.Fatal(err)
		}
		out, err := exec.CommandContext(t.Context(), "go", "run", name).CombinedOutput()
		if err != nil {
			t.Fatalf("%v: %s\n%s", err, out, text)
		}
		return string(out)
	}
	files, _ := Parse([]Source{{Path: "main.go", Text: []byte(program)}})
	out := NewText([]byte(program))
	for _, fn := range files[0].Funcs {
		out.Insert(files[0].offset(fn.Body.Lbrace)+1, files[0].freeResults(out, "probe", fn.Decl.Type, fn.Body))
	}
	if want, got := run([]byte(program)), run(out.Bytes()); got != want {
		t.Errorf("it prints\n%s\nand as it is\n%s\nthe text is\n%s", got, want, out.Bytes())
	}
}
