package frame

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"strings"
)

// greeting is the first line of each side, without its end.
const greeting = "spell-lsp remote " + version

const version = "1"

// maxJunk limits what may come before an expected line, in bytes.
const maxJunk = 64 << 10

// A JunkError says that a line did not come, and what came instead: the output of a login shell's
// start-up files, for example.
type JunkError struct {
	Junk string // at most 64 KiB
	Err  error  // why reading ended; nil where there was too much
}

func (e *JunkError) Error() string {
	const shown = 500
	junk := strings.TrimSpace(e.Junk)
	if len(junk) > shown {
		junk = junk[:shown] + " ..."
	}
	switch {
	case e.Err == nil:
		return fmt.Sprintf("the target's shell printed more than %d KiB before spell-lsp there could answer: %q", maxJunk>>10, junk)
	case junk != "":
		return fmt.Sprintf("spell-lsp did not answer; the target's shell printed %q before the end (%v)", junk, e.Err)
	}
	return fmt.Sprintf("spell-lsp did not answer: %v", e.Err)
}

// Unwrap returns why reading ended.
func (e *JunkError) Unwrap() error { return e.Err }

// AwaitLine reads up to the first line with the prefix, and returns what follows it in the line.
// Whatever is before the prefix is skipped, also in the same line: a start-up file may print a text
// without an end of line. The error is a [*JunkError].
func AwaitLine(r *bufio.Reader, prefix string) (rest string, err error) {
	var junk strings.Builder
	var line []byte
	for junk.Len()+len(line) < maxJunk {
		c, err := r.ReadByte()
		if err != nil {
			if errors.Is(err, io.EOF) && junk.Len()+len(line) > 0 {
				err = io.ErrUnexpectedEOF
			}
			return "", &JunkError{junk.String() + string(line), err}
		}
		if line = append(line, c); c != '\n' {
			continue
		}
		if _, rest, found := strings.Cut(string(line), prefix); found {
			return strings.TrimRight(rest, "\r\n"), nil
		}
		junk.Write(line)
		line = line[:0]
	}
	return "", &JunkError{Junk: junk.String() + string(line)}
}

// awaitGreeting reads the other side's first line.
func awaitGreeting(r *bufio.Reader) error {
	spoken, err := AwaitLine(r, "spell-lsp remote ")
	if err == nil && spoken != version {
		err = violation("it speaks version %q and this side %s: both must be the same release of spell-lsp", spoken, version)
	}
	return err
}
