package publish

import (
	"testing"

	"spell-lsp/lsp/client"
)

// Once the client has refused workspace/diagnostic/refresh, no pull may begin: nothing would end
// it, and its document would show no diagnostics until it is closed. A pull and the refusal may
// cross, so this is decided under the lock of the pulls.
func TestNoPullBeginsAfterTheLast(t *testing.T) {
	b := fixtureOf(t, map[string]string{"a.go": "package p\n\nfunc f() {}\n"}, "a.go")
	b.edit("a.go", 1, "package p\n\nfunc f() {}\n")
	d := b.Store.Current().Documents[b.Path("a.go")]
	b.client.Introduce(client.Capabilities{Pull: true, PullRefresh: true})
	if b.BeginPull(d) == nil || b.pulls.of(d) == nil {
		t.Fatal("a client with workspace/diagnostic/refresh cannot pull")
	}
	b.client.Introduce(client.Capabilities{Pull: true})
	if ended := b.pulls.endAll(); len(ended) != 1 || ended[0] != d.Path {
		t.Errorf("the pulls of %q were ended", ended)
	}
	if b.BeginPull(d) != nil || b.pulls.of(d) != nil {
		t.Error("a pull began after the refusal")
	}
}
