package gzoltar

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"spell-lsp/spell/regularfile"
)

// ReadFolder reads a spectrum from the folder that GZoltar wrote it to, or from
// the matrix in it. Names are taken from the files beside it, spectra.csv or spectra
// and tests.csv or tests, as far as they are there.
func ReadFolder(path string) (*Spectrum, error) {
	matrix, err := matrixIn(path)
	if err != nil {
		return nil, err
	}
	var s *Spectrum
	if err := with(regularfile.OpenStream, matrix, func(r io.Reader) (err error) {
		s, err = Read(r, matrix)
		return err
	}); err != nil {
		return nil, err
	}
	for _, names := range []struct {
		files []string
		take  func(io.Reader, string) error
	}{{[]string{"spectra.csv", "spectra"}, s.NameComponents}, {[]string{"tests.csv", "tests"}, s.NameTests}} {
		file, err := firstFile(filepath.Dir(matrix), names.files)
		if err != nil {
			return nil, err
		}
		if file == "" {
			continue
		}
		if err := with(regularfile.Open, file, func(r io.Reader) error { return names.take(r, file) }); err != nil {
			return nil, err
		}
	}
	return s, nil
}

// matrixIn returns the path of the matrix in a folder; that of a file itself.
func matrixIn(path string) (string, error) {
	info, err := os.Stat(path)
	if err != nil {
		return "", fmt.Errorf("reading a GZoltar spectrum: %w", err)
	}
	if !info.IsDir() {
		return path, nil
	}
	file, err := firstFile(path, []string{"matrix.txt", "matrix"})
	if err == nil && file == "" {
		err = fmt.Errorf("reading a GZoltar spectrum: %s has neither matrix.txt nor matrix: name the folder that GZoltar wrote its text report to, such as target/site/gzoltar/sfl/txt", path)
	}
	return file, err
}

// firstFile returns the path of the first of some names that is a file in the
// folder, "" if none is.
func firstFile(folder string, names []string) (string, error) {
	for _, name := range names {
		path := filepath.Join(folder, name)
		info, err := os.Stat(path)
		switch {
		case err == nil && !info.IsDir():
			return path, nil
		case err != nil && !errors.Is(err, fs.ErrNotExist):
			return "", fmt.Errorf("reading a GZoltar spectrum: %w", err)
		}
	}
	return "", nil
}

func with(open func(string) (*os.File, error), path string, read func(io.Reader) error) error {
	f, err := open(path)
	if err != nil {
		return fmt.Errorf("reading a GZoltar spectrum: %w", err)
	}
	defer f.Close()
	return read(f)
}

// maxLine limits the bytes of a line; a component of a matrix takes two.
const maxLine = 64 << 20

// limited is an input that is no larger than the memory.
func limited(r io.Reader, name string) io.Reader {
	return regularfile.LimitLines(regularfile.Limit(r, name, regularfile.MaxMatrix), maxLine)
}
