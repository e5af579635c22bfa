package csvmatrix

import (
	"fmt"
	"strings"

	"spell-lsp/spell/record"
)

// originLine, with measured or estimated behind it, is the first line of a file
// that says where its energy comes from.
const originLine = "# energy: "

// comments reads the lines before the header that begin with #. After the header such a
// line is a row, because the name of a test may begin with #. Errors of the input are left to
// the reader of the header.
func (in *reader) comments() error {
	for {
		first, _ := in.buffered.Peek(1)
		if len(first) == 0 || first[0] != '#' {
			return nil
		}
		line, _ := in.buffered.ReadString('\n')
		in.skipped++
		if f := in.comment(strings.TrimSpace(line)); f != nil {
			return in.errorAt(position{in.skipped, 1}, f.what, f.do)
		}
	}
}

func (in *reader) comment(line string) *fault {
	key, value, _ := strings.Cut(strings.TrimSpace(strings.TrimLeft(line, "#")), ":")
	if key != "energy" {
		return nil
	}
	origin := record.Source(strings.TrimSpace(value))
	switch {
	case origin != record.Measured && origin != record.Estimated:
		return &fault{fmt.Sprintf("energy is %q", origin), "write measured or estimated, or leave the line out if it is not known"}
	case in.origin != "" && in.origin != origin:
		return &fault{fmt.Sprintf("energy is %s here and %s above", origin, in.origin), "keep one of the lines"}
	}
	in.origin = origin
	return nil
}
