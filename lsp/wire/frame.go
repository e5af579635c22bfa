package wire

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"spell-lsp/lsp/redact"
)

const (
	maxHeader  = 8 << 10 // bytes of all fields of a message
	maxMessage = 1 << 30 // bytes
	// maxUnadmitted is how many bytes a client may send before it has shown its token.
	maxUnadmitted = 1 << 20
	// keepBytes is the largest buffer that is kept for the next message.
	keepBytes = 1 << 20
)

// A frameReader cuts a stream into messages, each of which follows a header with its
// length (LSP 3.18, "Base Protocol"). Memory grows with what has arrived, not with the
// length that was announced.
type frameReader struct {
	in   *bufio.Reader
	body bytes.Buffer
	read int64 // bytes so far
}

// next returns the next message, of limit bytes at most. It is valid until the following
// call. At the end of the stream next returns io.EOF, within a message
// io.ErrUnexpectedEOF.
func (r *frameReader) next(limit int64) ([]byte, error) {
	length, err := r.header(limit)
	if err != nil {
		return nil, err
	}
	if r.body.Reset(); r.body.Cap() > keepBytes {
		r.body = bytes.Buffer{}
	}
	n, err := io.CopyN(&r.body, r.in, length)
	r.read += n
	if errors.Is(err, io.EOF) && n < length {
		err = io.ErrUnexpectedEOF
	}
	return r.body.Bytes(), err
}

// header reads the header and returns the length of the message. It ignores all other
// fields.
func (r *frameReader) header(limit int64) (length int64, err error) {
	for left := maxHeader; ; {
		line, err := r.line(left)
		if err != nil {
			if errors.Is(err, io.EOF) && (len(line) > 0 || left < maxHeader) {
				err = io.ErrUnexpectedEOF
			}
			return 0, err
		}
		left -= len(line)
		r.read += int64(len(line))
		field := strings.TrimSuffix(strings.TrimSuffix(string(line), "\n"), "\r")
		if field == "" {
			break
		}
		name, value, ok := strings.Cut(field, ":")
		if !ok {
			return 0, redact.PlainError("a line of the header is not a field")
		}
		if !strings.EqualFold(name, "Content-Length") {
			continue
		}
		if length != 0 {
			return 0, redact.PlainError("the header has two Content-Length fields")
		}
		if length, err = parseLength(strings.Trim(value, " \t"), limit); err != nil {
			return 0, err
		}
	}
	if length == 0 {
		return 0, redact.PlainError("the header has no Content-Length")
	}
	return length, nil
}

// line reads a line, which must end within limit bytes.
func (r *frameReader) line(limit int) ([]byte, error) {
	var line []byte
	for {
		c, err := r.in.ReadByte()
		if err != nil {
			return line, err
		}
		if line = append(line, c); c == '\n' {
			return line, nil
		}
		if len(line) >= limit {
			return line, redact.PlainError(fmt.Sprintf("the header is longer than %d bytes", maxHeader))
		}
	}
}

func parseLength(digits string, limit int64) (int64, error) {
	n, err := strconv.ParseUint(digits, 10, 62)
	if err != nil || n == 0 || int64(n) > limit {
		return 0, redact.PlainError(fmt.Sprintf("the length of a message must be a number from 1 to %d", limit))
	}
	return int64(n), nil
}
