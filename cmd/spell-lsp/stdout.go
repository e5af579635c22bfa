package main

import (
	"fmt"
	"os"
)

// A stdoutFile gets what a program prints on standard output while it is measured. Like a file
// behind a shell's >, it can be read while it grows, and may be a pipe or a device.
type stdoutFile struct {
	file *os.File
	err  error // of the first write that failed
}

func createStdout(name string) (*stdoutFile, error) {
	file, err := os.Create(name)
	if err != nil {
		return nil, fmt.Errorf("--stdout: %w", err)
	}
	return &stdoutFile{file: file}, nil
}

// Write never fails: the program must not end because its output is lost, which Close says.
func (s *stdoutFile) Write(text []byte) (int, error) {
	if s.err == nil {
		_, s.err = s.file.Write(text)
	}
	return len(text), nil
}

func (s *stdoutFile) Close() error {
	err := s.file.Close()
	if s.err != nil {
		err = s.err
	}
	if err != nil {
		return fmt.Errorf("--stdout: what the program printed is not complete: %w", err)
	}
	return nil
}
