package main

import (
	"io"
	"os"
	"runtime"
	"strings"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"spell-lsp/spell/page"
)

// A screen is an output stream that people read. What is written to it is encoded for
// a terminal, also where it leads to a file or a pipe: a log is looked at sooner or
// later.
type screen struct {
	*page.Terminal
	raw io.Writer // for this program's own control sequences, and for machines
}

func newScreen(w io.Writer) *screen { return &screen{page.NewTerminal(w, colors(w)), w} }

// machineOutput is standard output for formats that programs read, byte by byte as
// they are, unless a terminal shows them.
func machineOutput(cmd *cobra.Command) io.Writer {
	out := cmd.OutOrStdout()
	if s, ok := out.(*screen); ok && !terminal(s.raw) {
		return s.raw
	}
	return out
}

// protocolOutput is standard output as it is.
func protocolOutput(cmd *cobra.Command) io.Writer { return rawOf(cmd.OutOrStdout()) }

func rawOf(w io.Writer) io.Writer {
	if s, ok := w.(*screen); ok {
		return s.raw
	}
	return w
}

// colors says whether w is a terminal that wants them (no-color.org).
func colors(w io.Writer) bool {
	return terminal(w) && os.Getenv("NO_COLOR") == "" && os.Getenv("TERM") != "dumb"
}

// columns is the width of the terminal that w is; 0 if it is none.
func columns(w io.Writer) int {
	const narrowest = 40 // where sentences can still be read
	f, ok := rawOf(w).(*os.File)
	if !ok {
		return 0
	}
	width, _, err := term.GetSize(int(f.Fd()))
	if err != nil || width <= 0 {
		return 0
	}
	return max(width, narrowest)
}

// unicodeLocale says whether the locale's characters are Unicode's, as POSIX has the
// variables: the first that is set counts. Windows' terminals have Unicode.
func unicodeLocale() bool {
	for _, name := range []string{"LC_ALL", "LC_CTYPE", "LANG"} {
		if value := strings.ToLower(os.Getenv(name)); value != "" {
			return strings.Contains(value, "utf-8") || strings.Contains(value, "utf8")
		}
	}
	return runtime.GOOS == "windows"
}

// terminal says whether a stream of this program, an io.Reader or io.Writer, is a terminal.
func terminal(stream any) bool {
	if s, ok := stream.(*screen); ok {
		stream = s.raw
	}
	f, ok := stream.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}
