package main

// known are the rules of spell-lsp advise that describe a kind of leak, by kind. A kind without rules is
// one that no analyser knows: what it wastes does not show in the source of one function.
var known = map[string][]string{
	"busy-wait":         {"busy-wait"},
	"byte-io":           {"io-by-byte"},
	"conversion":        {"conversion-back", "recomputed-in-loop", "runes-to-range", "loop-invariant"},
	"defer-in-loop":     {"defer-in-loop"},
	"eager-message":     {"eager-message"},
	"formatting":        {"formatting", "needless-formatting"},
	"growing-buffer":    {"append-without-capacity", "concatenation-in-loop"},
	"invariant":         {"loop-invariant"},
	"linear-search":     {"map-search", "list-search"},
	"needless-copy":     {"copy-to-range", "oversized-buffer"},
	"oversized-buffer":  {"oversized-buffer"},
	"polling-goroutine": {"busy-wait"},
	"quadratic-append":  {"copy-to-append"},
	"quadratic-text":    {"text-so-far", "concatenation-in-loop"},
	"reflection":        {"reflection"},
	"regexp-per-call":   {"regexp-per-call", "regexp-in-loop"},
	"sort-per-insert":   {"sort-in-loop"},
	"timer-in-loop":     {"timer-in-loop"},

	"element-by-element": nil,
	"missed-cache":       nil,
	"needless-timer":     nil,
	"quadratic-removal":  nil,
	"regexp-for-space":   nil,
	"repeated-call":      nil,
	"unused-result":      nil,
}
