package snapshot

import (
	"go.lsp.dev/uri"

	"spell-lsp/lsp/outline"
)

// A Document is an open text with its version. It does not change: an edit makes a new one.
type Document struct {
	URI     uri.URI // as the client writes it: some compare URIs as text
	Key     string  // see location.Key
	Path    string  // of a file without symbolic links, otherwise the key
	Version int32   // as the client counts; it may jump
	Source  *outline.Source
}
