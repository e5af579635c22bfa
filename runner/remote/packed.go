package remote

import (
	"bytes"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"

	"spell-lsp/runner/remote/frame"
)

// maxPacked limits a job or a run, packed and unpacked, in bytes.
const maxPacked = 1 << 30

// sendPacked announces what write writes, and sends it.
func sendPacked(ctx context.Context, conn *frame.Conn, m packed, write func(io.Writer) error) error {
	var text bytes.Buffer
	w := gzip.NewWriter(&text)
	if err := errors.Join(write(w), w.Close()); err != nil {
		return fmt.Errorf("packing the %s: %w", m.Type, err)
	}
	hash := frame.Hash(sha256.Sum256(text.Bytes()))
	m.Hash = hex.EncodeToString(hash[:])
	if err := conn.Send(ctx, m); err != nil {
		return err
	}
	_, err := conn.SendBlob(ctx, hash, &text)
	return err
}

// unpacking is a job or a run that is being received.
type unpacking struct {
	packed
	text bytes.Buffer
}

// take takes a piece. With the last one it returns a reader of the content.
func (u *unpacking) take(c *frame.Chunk) (io.Reader, error) {
	if hex.EncodeToString(c.Hash[:]) != u.Hash {
		return nil, fmt.Errorf("the other side sent content that it did not announce")
	}
	if c.Abandoned != "" {
		return nil, fmt.Errorf("the other side could not send the %s: %s", u.Type, c.Abandoned)
	}
	if u.text.Len()+len(c.Data) > maxPacked {
		return nil, fmt.Errorf("the other side sent a %s of more than %d MiB", u.Type, maxPacked>>20)
	}
	u.text.Write(c.Data)
	if !c.End {
		return nil, nil
	}
	if frame.Hash(sha256.Sum256(u.text.Bytes())) != c.Hash {
		return nil, fmt.Errorf("the %s was damaged on its way", u.Type)
	}
	r, err := gzip.NewReader(&u.text)
	if err != nil {
		return nil, fmt.Errorf("reading the %s: %w", u.Type, err)
	}
	return io.LimitReader(r, maxPacked), nil
}
