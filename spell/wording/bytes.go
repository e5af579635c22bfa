package wording

import (
	"strings"

	"spell-lsp/spell/units"
)

// Moved says how many bytes a component moved in a round, without its callees; "" if it moved none.
func Moved(read, written, received, sent float64) string {
	files := verbs("read", read, "wrote", written, " of files")
	sockets := verbs("received", received, "sent", sent, " over networks and loopback")
	switch {
	case files == "" && sockets == "":
		return ""
	case files != "" && sockets != "":
		files += ", and "
	}
	return "In a round, its own code " + files + sockets + "."
}

// verbs joins one or two amounts, of which 0 is left out, with what both are of.
func verbs(in string, bytesIn float64, out string, bytesOut float64, of string) string {
	var parts []string
	if bytesIn > 0 {
		parts = append(parts, in+" "+units.Bytes(bytesIn))
	}
	if bytesOut > 0 {
		parts = append(parts, out+" "+units.Bytes(bytesOut))
	}
	if parts == nil {
		return ""
	}
	return strings.Join(parts, " and ") + of
}
