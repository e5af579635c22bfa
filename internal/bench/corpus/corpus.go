// Package corpus lists the modules whose own tests are measured where a claim is about real programs.
package corpus

// Modules are programs of many kinds: containers, parsers, a router, a
// consensus protocol, a lexer.
var Modules = []string{
	"github.com/google/btree@v1.1.3",
	"github.com/tidwall/gjson@v1.20.0",
	"github.com/BurntSushi/toml@v1.6.0",
	"github.com/gorilla/mux@v1.8.1",
	"github.com/hashicorp/golang-lru/v2@v2.0.7",
	"github.com/pelletier/go-toml/v2@v2.4.3",
	"go.etcd.io/raft/v3@v3.7.0",
	"github.com/alecthomas/chroma/v2@v2.27.0",
}
