package cache

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"

	"spell-lsp/spell/regularfile"
)

// A sealed file begins with the hash of what follows, which is JSON.

var errDamaged = errors.New("the file is not as it was written")

func writeSealed(name string, v any) error {
	text, err := json.Marshal(v)
	if err != nil {
		return err
	}
	return os.WriteFile(name, append([]byte(Hash(text)+"\n"), text...), 0o600)
}

func readSealed(name string, v any) error {
	content, err := regularfile.Read(name, regularfile.MaxBuilt)
	if err != nil {
		return err
	}
	sum, text, _ := bytes.Cut(content, []byte("\n"))
	if string(sum) != Hash(text) {
		return errDamaged
	}
	return json.Unmarshal(text, v)
}

// Hash is the hash that tells parts and texts apart, in hexadecimal digits.
func Hash(text []byte) string {
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:])
}

// WritePart writes a part and its files into an empty folder.
func WritePart(dir string, p *Part) error {
	for _, f := range p.Files {
		if err := os.WriteFile(filepath.Join(dir, f.Name), f.text, 0o600); err != nil {
			return err
		}
	}
	return writeSealed(filepath.Join(dir, Description), p)
}

// readPart reads a part, and fails if a file was changed since WritePart.
func readPart(dir string) (*Part, error) {
	var p Part
	if err := readSealed(filepath.Join(dir, Description), &p); err != nil {
		return nil, err
	}
	for _, f := range p.Files {
		text, err := regularfile.Read(filepath.Join(dir, f.Name), regularfile.MaxBuilt)
		if err != nil {
			return nil, err
		}
		if Hash(text) != f.Sum {
			return nil, errDamaged
		}
	}
	return &p, nil
}
