//go:build go1.23

package hpack_test

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"

	"golang.org/x/net/http2/hpack"
)

func block(t *testing.T, fields ...hpack.HeaderField) []byte {
	var b bytes.Buffer
	e := hpack.NewEncoder(&b)
	for _, f := range fields {
		if err := e.WriteField(f); err != nil {
			t.Fatal(err)
		}
	}
	return b.Bytes()
}

// A long header arrives in small frames, as it does from a slow client.
func TestWorkloadSmallFrames(t *testing.T) {
	text := block(t, hpack.HeaderField{Name: "x-" + strings.Repeat("trace", 400), Value: strings.Repeat("value ", 2000)})
	for range 12 {
		fields := 0
		d := hpack.NewDecoder(4096, func(hpack.HeaderField) { fields++ })
		for frame := range slices.Chunk(text, 16) {
			if _, err := d.Write(frame); err != nil {
				t.Fatal(err)
			}
		}
		if d.Close() != nil || fields != 1 {
			t.Fatal(fields)
		}
	}
}

func TestWorkloadRequests(t *testing.T) {
	for i := range 20000 {
		fields := []hpack.HeaderField{
			{Name: ":method", Value: "GET"}, {Name: ":path", Value: fmt.Sprint("/articles/", i)},
			{Name: "user-agent", Value: "Mozilla/5.0 (X11; Linux x86_64)"}, {Name: "accept-language", Value: "en-US,en;q=0.5"},
			{Name: "cookie", Value: strings.Repeat(fmt.Sprint("session=", i, ";"), 20)},
		}
		got, err := hpack.NewDecoder(4096, nil).DecodeFull(block(t, fields...))
		if err != nil || len(got) != len(fields) {
			t.Fatal(len(got), err)
		}
	}
}
