package architecture

import "testing"

// Files that users name, and what the product keeps for them, are written by package
// atomicfile alone: it knows umask, owners and what a crash leaves. Any other way to
// make a file in these packages is a second one.
func TestOneWriterOfFiles(t *testing.T) {
	boundary{
		reserved: map[string][]string{"os": {"Create", "WriteFile", "CreateTemp", "Rename"}},
		within:   []string{"cmd", "lsp", "spell", "runner/meters", "runner/fitness"},
		instead:  "write by package atomicfile",
		allowed: map[string]string{
			"spell/atomicfile/atomicfile.go": "is the writer",
			"cmd/spell-lsp/stdout.go":        "is what a program prints: whoever named the file reads it while it grows, or named a pipe",
		},
	}.check(t)
}
