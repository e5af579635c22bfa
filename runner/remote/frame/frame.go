// Package frame carries messages and the content of files between two processes over a stream in
// each direction, as the standard streams of an ssh command are.
//
// Each side first writes the line "spell-lsp remote 1". What comes before it is skipped: a login
// shell may print something. Frames follow: one byte for the kind, four bytes for the length of the
// payload (big-endian), the payload.
//
//	M  a message: a JSON object with a member "type"
//	B  a chunk of a blob: 32 bytes of hash, one byte of flags, at most 256 KiB of content
//	A  an acknowledgement: four bytes, how many bytes of M and B frames were received and consumed
//	H  a heartbeat: nothing; each side sends one every second
//
// A side has at most 4 MiB of M and B frames on the way that were not acknowledged, or one frame
// that is longer. So whoever reads a stream never waits for its consumer: heartbeats are always
// read in time, and a stream without a byte for 3 s means that the other side hangs or cannot be
// reached. Bytes count and not whole frames, as one chunk may take longer than that on a slow line.
package frame

import (
	"encoding/json"
	"errors"
	"fmt"
)

// MaxPayload limits the payload of a frame, in bytes.
const MaxPayload = 16 << 20

// chunkSize limits the content in one chunk of a blob, in bytes.
const chunkSize = 256 << 10

// ErrSilent says that nothing has come from the other side for 3 s.
var ErrSilent = errors.New("the other side has sent nothing for 3 seconds: it hangs, or the connection is lost")

// ErrTooLarge says that a frame would be longer than [MaxPayload].
var ErrTooLarge = fmt.Errorf("it is larger than a frame may be (%d MiB)", MaxPayload>>20)

// A ProtocolError says what the other side sent that this protocol does not allow.
type ProtocolError struct{ Why string }

func (e *ProtocolError) Error() string { return "the other side broke the protocol: " + e.Why }

func violation(format string, args ...any) error {
	return &ProtocolError{fmt.Sprintf(format, args...)}
}

// A Hash names a blob: the SHA-256 of its content.
type Hash [32]byte

// A Frame is what was received: a message or a chunk.
type Frame struct {
	Type    string          // of a message: its member "type"; "" for a chunk
	Message json.RawMessage // the whole object; nil for a chunk
	Chunk   *Chunk          // nil for a message
	size    int             // as it counts in the window
}

// A Chunk is a piece of a blob. The chunks of one blob come in their order; chunks of other blobs,
// and messages, may come between them. Nobody has compared the content with the hash.
type Chunk struct {
	Hash      Hash
	Data      []byte // at most 256 KiB
	End       bool   // it is the last one
	Abandoned string // if not "": why the sender cannot go on; there is no further chunk of the blob
}
