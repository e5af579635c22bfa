package wire

import (
	"encoding/json"

	"go.lsp.dev/jsonrpc2"
	"go.lsp.dev/protocol"
)

// An invalidMessage is a frame that does not hold a JSON-RPC 2.0 message. One that is not
// even JSON ends the connection, because the client is broken.
type invalidMessage struct {
	id         jsonrpc2.ID // not valid if the message has none
	err        *jsonrpc2.Error
	isResponse bool
}

func (e *invalidMessage) Error() string { return e.err.Error() }

// validate returns an *invalidMessage for a frame that does not hold a message.
func validate(frame []byte) error {
	_, err := jsonrpc2.DecodeMessage(frame)
	if err == nil {
		return nil
	}
	bad := &invalidMessage{err: jsonrpc2.Errorf(jsonrpc2.InvalidRequest, "not a JSON-RPC 2.0 request with a method and an integer or a string as id")}
	if !json.Valid(frame) {
		bad.err = jsonrpc2.NewError(jsonrpc2.ParseError, "the message is not JSON")
		return bad
	}
	var m struct {
		ID            any
		Method        json.RawMessage
		Result, Error json.RawMessage
	}
	if json.Unmarshal(frame, &m) == nil {
		bad.isResponse = m.Method == nil && (m.Result != nil || m.Error != nil)
		bad.id = ID(m.ID)
	}
	return bad
}

// ID returns the id of a call that was decoded from JSON. It is not valid for anything
// but text and whole numbers.
func ID(v any) jsonrpc2.ID {
	switch v := v.(type) {
	case string:
		return jsonrpc2.NewStringID(v)
	case float64:
		if v == float64(int64(v)) {
			return jsonrpc2.NewNumberID(int64(v))
		}
	}
	return jsonrpc2.ID{}
}

// A codec encodes parameters and results by the protocol's rules for unions and absent
// values. The protocol package has the same codec but does not export it.
type codec struct{}

func (codec) Marshal(v any) ([]byte, error) {
	if raw, ok := v.(jsonrpc2.RawMessage); ok {
		return raw, nil
	}
	return protocol.Marshal(v)
}

func (codec) Unmarshal(data []byte, v any) error { return protocol.Unmarshal(data, v) }
