package publish

import (
	"testing"

	"spell-lsp/lsp/client"
)

// Once the client has turned out not to know how to pull again, no pull may begin: nothing
// would end it, and its document would show no diagnostics until it is closed. The two may
// cross, so this is decided under the lock of the pulls.
func TestNoPullBeginsAfterTheLast(t *testing.T) {
	b := benchOf(t, map[string]string{"a.go": "package p\n\nfunc f() {}\n"}, "a.go")
	b.edit("a.go", 1, "package p\n\nfunc f() {}\n")
	d := b.Store.Current().Documents[b.Path("a.go")]
	b.client.Introduce(client.Capabilities{Pull: true, PullRefresh: true})
	if b.BeginPull(d) == nil || b.pulls.of(d) == nil {
		t.Fatal("a client that can be told to pull again cannot pull")
	}
	b.client.Introduce(client.Capabilities{Pull: true})
	if ended := b.pulls.endAll(); len(ended) != 1 || ended[0] != d.Path {
		t.Errorf("ended were the pulls of %q", ended)
	}
	if b.BeginPull(d) != nil || b.pulls.of(d) != nil {
		t.Error("a pull has begun that nothing ends")
	}
}
