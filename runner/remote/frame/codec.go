package frame

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"io"
)

const (
	message         = 'M'
	blob            = 'B'
	acknowledgement = 'A'
	heartbeat       = 'H'
)

// headSize is the length of a frame without its payload, in bytes.
const headSize = 5

// blobHead is the length of the payload of a chunk without its content, in bytes.
const blobHead = len(Hash{}) + 1

// The flags of a chunk. The content of one with abandoned is the reason.
const (
	more = iota
	end
	abandoned
)

// encode makes a frame of one kind and its payload, which is given in pieces.
func encode(kind byte, pieces ...[]byte) []byte {
	length := 0
	for _, p := range pieces {
		length += len(p)
	}
	text := make([]byte, headSize, headSize+length)
	text[0] = kind
	binary.BigEndian.PutUint32(text[1:], uint32(length))
	for _, p := range pieces {
		text = append(text, p...)
	}
	return text
}

func encodeCount(n int) []byte {
	return encode(acknowledgement, binary.BigEndian.AppendUint32(nil, uint32(n)))
}

// decode reads one frame. The error is io.EOF where the stream ends between two frames, and
// io.ErrUnexpectedEOF where it ends within one. Memory grows with what arrives, not with what the
// head announces.
func decode(r io.Reader) (kind byte, payload []byte, err error) {
	var head [headSize]byte
	if _, err := io.ReadFull(r, head[:]); err != nil {
		return 0, nil, err
	}
	length := int64(binary.BigEndian.Uint32(head[1:]))
	if most := longest(head[0]); length > most {
		return 0, nil, violation("a frame of kind %q with %d bytes, more than %d", head[0], length, most)
	}
	var b bytes.Buffer
	if _, err := io.CopyN(&b, r, length); errors.Is(err, io.EOF) {
		return 0, nil, io.ErrUnexpectedEOF
	} else if err != nil {
		return 0, nil, err
	}
	return head[0], b.Bytes(), nil
}

// longest is the longest payload of a kind.
func longest(kind byte) int64 {
	switch kind {
	case message:
		return MaxPayload
	case blob:
		return int64(blobHead + chunkSize)
	case acknowledgement:
		return 4
	}
	return 0
}

func decodeCount(payload []byte) (int, error) {
	if len(payload) != 4 {
		return 0, violation("an acknowledgement of %d bytes", len(payload))
	}
	return int(binary.BigEndian.Uint32(payload)), nil
}

func decodeMessage(payload []byte) (Frame, error) {
	kind, err := typeOf(payload)
	if err != nil {
		return Frame{}, violation("a message %v", err)
	}
	return Frame{Type: kind, Message: payload, size: headSize + len(payload)}, nil
}

// typeOf is the member "type" of an object.
func typeOf(object []byte) (string, error) {
	var m struct {
		Type string `json:"type"`
	}
	if err := json.Unmarshal(object, &m); err != nil {
		return "", errors.New("that is no JSON object with a type")
	}
	if m.Type == "" {
		return "", errors.New("without a type")
	}
	return m.Type, nil
}

func decodeChunk(payload []byte) (Frame, error) {
	if len(payload) < blobHead {
		return Frame{}, violation("a chunk of %d bytes", len(payload))
	}
	c := &Chunk{Data: payload[blobHead:]}
	copy(c.Hash[:], payload)
	switch flag := payload[blobHead-1]; flag {
	case more:
	case end:
		c.End = true
	case abandoned:
		c.Abandoned, c.Data = "unknown reason", nil
		if reason := payload[blobHead:]; len(reason) > 0 {
			c.Abandoned = string(reason)
		}
	default:
		return Frame{}, violation("a chunk with the flag %d", flag)
	}
	return Frame{Chunk: c, size: headSize + len(payload)}, nil
}
