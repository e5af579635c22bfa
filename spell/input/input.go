// Package input reads runs, and matrices and traces as runs, in all formats that are read. It
// finds out the format by the name of a file or by its content. It does not rank, and reads no
// spectrum of GZoltar: it only knows one by its name.
package input

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"spell-lsp/spell"
	"spell-lsp/spell/binmatrix"
	"spell-lsp/spell/csvmatrix"
	"spell-lsp/spell/jsonmatrix"
	"spell-lsp/spell/record"
	"spell-lsp/spell/record/recordjson"
	"spell-lsp/spell/regularfile"
	"spell-lsp/spell/toolkit"
)

// A format is a format of runs and matrices that can be read.
type format struct {
	name, extension string
	// bytes is how long a file may be, line how long a line of it; 0 is no limit. A
	// trace may go on for ever: what is kept of it grows with its names only.
	bytes int64
	line  int
	// read takes the name of the file for errors. eachCall makes cumulative values count
	// each recursive call, as the original tools do; a record counts recursion once.
	read func(in io.Reader, name string, eachCall bool) (*record.Run, error)
}

func formats() []format {
	return []format{
		{"json", ".json", regularfile.MaxMatrix, 0, readJSON},
		{"csv", ".csv", regularfile.MaxMatrix, 1 << 20, readCSV},
		{"spell", ".spell", regularfile.MaxMatrix, 256 << 20, readSpell}, // a line has all components
		{"trace", ".trace", 0, 0, readTrace},
		{"binary", ".spellbin", regularfile.MaxMatrix, 0, readBinary},
	}
}

// GZoltar is the format that holds no run: which tests passed or failed, and what they ran.
const GZoltar = "gzoltar"

// ErrUnknownFormat says that no format was named and none was recognised.
var ErrUnknownFormat = errors.New("cannot tell the format from the name, nor from what is in it")

// Formats lists the names of all formats, sorted.
func Formats() []string {
	names := []string{GZoltar}
	for _, in := range formats() {
		names = append(names, in.name)
	}
	slices.Sort(names)
	return names
}

// IsSpectrum reports whether a file is a spectrum of GZoltar: by the format that is given or,
// without one, because it is a folder or has a name that GZoltar uses.
func IsSpectrum(name, format string) bool {
	if format != "" {
		return format == GZoltar
	}
	if base := filepath.Base(name); base == "matrix.txt" || base == "matrix" {
		return true
	}
	info, err := os.Stat(name)
	return err == nil && info.IsDir()
}

// Named reports whether a name ends like that of a file in some format.
func Named(name string) bool { return formatNamed(name, "") != nil }

// An Opener opens what holds a run: regularfile.Open, or regularfile.OpenStream for
// what a user names on the command line.
type Opener func(name string) (*os.File, error)

// Read reads a run in the named format. The format "" is detected from the extension of the
// name, else from the first bytes. The name "-" is standard input. With eachCall, cumulative
// values of a trace count each recursive call.
func Read(stdin io.Reader, name, format string, eachCall bool) (*record.Run, error) {
	in := formatNamed(name, format)
	if in == nil && format != "" {
		return nil, fmt.Errorf("--input %q: must be one of %s", format, strings.Join(Formats(), ", "))
	}
	if name == "-" {
		return readFrom(io.NopCloser(stdin), in, name, eachCall)
	}
	return open(regularfile.OpenStream, in, name, eachCall)
}

// ReadFile reads a run by the name of its file.
func ReadFile(with Opener, name string, eachCall bool) (*record.Run, error) {
	return open(with, formatNamed(name, ""), name, eachCall)
}

func open(with Opener, in *format, name string, eachCall bool) (*record.Run, error) {
	f, err := with(name)
	if err != nil {
		return nil, fmt.Errorf("reading the input: %w", err)
	}
	return readFrom(f, in, name, eachCall)
}

// readFrom reads f to its end; if in is nil, the format is detected from the content.
func readFrom(f io.ReadCloser, in *format, name string, eachCall bool) (*record.Run, error) {
	content := bufio.NewReaderSize(f, 1<<16)
	if in == nil {
		start, _ := content.Peek(content.Size()) // less is there of a short file; a reader says what is wrong with it
		in = formatNamed("", formatOf(start))
	}
	if in == nil {
		return nil, errors.Join(fmt.Errorf("%s: %w: it must be one of %s", name, ErrUnknownFormat, strings.Join(Formats(), ", ")), f.Close())
	}
	run, err := in.read(in.limited(content, name), name, eachCall)
	return run, errors.Join(err, f.Close())
}

func (in *format) limited(r io.Reader, name string) io.Reader {
	if in.bytes > 0 {
		r = regularfile.Limit(r, name, in.bytes)
	}
	if in.line > 0 {
		r = regularfile.LimitLines(r, in.line)
	}
	return r
}

// formatNamed is the format of that name or, without one, that of the file's
// extension; nil if there is none.
func formatNamed(file, name string) *format {
	for _, in := range formats() {
		if name == in.name || name == "" && filepath.Ext(file) == in.extension {
			return &in
		}
	}
	return nil
}

// formatOf is the format of a file that begins so, or "".
func formatOf(start []byte) string {
	text := bytes.TrimLeft(bytes.TrimPrefix(start, []byte("\ufeff")), " \t\r\n")
	line, _, _ := bytes.Cut(text, []byte("\n"))
	switch {
	case bytes.HasPrefix(text, []byte("SPELLBIN")):
		return "binary"
	case bytes.HasPrefix(text, []byte("{")):
		return "json"
	case bytes.HasPrefix(text, []byte("[")):
		return "spell"
	case bytes.HasPrefix(text, []byte(">")), bytes.HasPrefix(text, []byte("/*")):
		return "trace"
	case bytes.HasPrefix(text, []byte("# energy:")), bytes.Contains(line, []byte("component")) && bytes.Contains(line, []byte(",")):
		return "csv"
	}
	return ""
}

// readJSON tells a run record from a matrix by the schema. Where it does not stand
// near the beginning, as in what we write, all of the file is needed to find it.
func readJSON(in io.Reader, name string, _ bool) (*record.Run, error) {
	buffered := bufio.NewReaderSize(in, 1<<16)
	start, err := buffered.Peek(buffered.Size())
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("reading %s: %w", name, err)
	}
	if bytes.Contains(start, []byte(`"`+jsonmatrix.Schema+`"`)) {
		return fromMatrix(jsonmatrix.Read(buffered, name))
	}
	text := bytes.TrimLeft(bytes.TrimPrefix(start, []byte("\ufeff")), " \t\r\n")
	if len(text) > 0 && !bytes.ContainsRune([]byte(`{["-0123456789tfn`), rune(text[0])) {
		_, err := recordjson.Parse(start) // no JSON begins like this, whatever follows
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	data, err := regularfile.ReadAll(buffered, name, regularfile.MaxRecord)
	if err != nil {
		return nil, fmt.Errorf("reading %s: %w", name, err)
	}
	run, err := recordjson.Parse(data)
	if err == nil {
		return run, nil
	}
	var head struct{ Schema string }
	if json.Unmarshal(data, &head) == nil && head.Schema == jsonmatrix.Schema {
		return fromMatrix(jsonmatrix.Read(bytes.NewReader(data), name))
	}
	return nil, fmt.Errorf("%s: %w", name, err)
}

func readCSV(in io.Reader, name string, _ bool) (*record.Run, error) {
	return fromMatrix(csvmatrix.Read(in, name))
}

func readSpell(in io.Reader, name string, _ bool) (*record.Run, error) {
	m, err := toolkit.ReadMatrix(in, name)
	return fromMatrix(m, "", err)
}

func readBinary(in io.Reader, name string, _ bool) (*record.Run, error) {
	return fromMatrix(binmatrix.Read(in, name))
}

func readTrace(in io.Reader, name string, eachCall bool) (*record.Run, error) {
	trace, err := toolkit.ReadTrace(in, name, toolkit.TraceOptions{EachCall: eachCall})
	if err != nil {
		return nil, err
	}
	run, err := fromMatrix(trace.Matrix, "", nil)
	if err == nil {
		run.SetCumulative(trace.CumTimeMS, trace.CumEnergyJ)
	}
	return run, err
}

// fromMatrix makes a run of a matrix, if it could be read.
func fromMatrix(m *spell.Matrix, origin record.Source, err error) (*record.Run, error) {
	if err != nil {
		return nil, err
	}
	now := time.Now().UTC()
	run := record.FromMatrix(m, origin)
	run.ID, run.Started = record.NewID(now), now
	return run, nil
}
