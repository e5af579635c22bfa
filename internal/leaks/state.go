package main

import (
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// A state keeps results from one run of the benchmark to the next, each in a folder of its
// own. The name of the folder has a hash of everything that decides the result.
type state struct{ dir string }

// keep returns the folder of the result of a key, which must be a value that encoding/json
// writes. Where there is none, create fills a new one. A result is there as a whole or not
// at all, whatever interrupts it.
func (s state) keep(kind string, key any, create func(dir string) error) (string, error) {
	text, err := json.MarshalIndent(key, "", "\t")
	if err != nil {
		return "", fmt.Errorf("writing the key of a result: %w", err)
	}
	hash := sha256.Sum256(text)
	dir := filepath.Join(s.dir, kind, fmt.Sprintf("%x", hash[:12]))
	if _, err := os.Stat(dir); !errors.Is(err, fs.ErrNotExist) {
		return dir, err
	}
	if err := os.MkdirAll(filepath.Dir(dir), 0o755); err != nil {
		return "", fmt.Errorf("making the folder of results: %w", err)
	}
	unfinished, err := os.MkdirTemp(s.dir, "unfinished-*")
	if err != nil {
		return "", fmt.Errorf("making the folder of a result: %w", err)
	}
	defer os.RemoveAll(unfinished) //nolint:errcheck // it is gone if all went well
	if err := create(unfinished); err != nil {
		return "", err
	}
	if err := os.WriteFile(filepath.Join(unfinished, "key.json"), text, 0o644); err != nil {
		return "", fmt.Errorf("keeping a result: %w", err)
	}
	if err := os.Rename(unfinished, dir); err != nil {
		return "", fmt.Errorf("keeping a result: %w", err)
	}
	return dir, nil
}

func writeJSON(file string, v any) error {
	text, err := json.MarshalIndent(v, "", "\t")
	if err != nil {
		return fmt.Errorf("writing %s: %w", filepath.Base(file), err)
	}
	return os.WriteFile(file, text, 0o644)
}

func readJSON(file string, v any) error {
	text, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	if err := json.Unmarshal(text, v); err != nil {
		return fmt.Errorf("reading %s: %w", file, err)
	}
	return nil
}
