package lsp_test

import (
	"path/filepath"
	"strings"
	"testing"

	"spell-lsp/internal/lsptest"
)

// The archives in testdata/marker are Go workspaces whose comments say what
// must be seen of their functions, in the editors that people have:
//
//	func (p *Park) Add(c Car) { //@diag("Add", "error", "^#1 psi 0.63"), lens("Add", "RED #1")
//
// A marker is about a text of its line, and holds where it stands when it is
// checked: what is typed above moves it, and a comment changes no function. Its
// other arguments are regular expressions, all of which must match.
//
//	diag(name, severity, re...)   a diagnostic underlines the name. There may be no other in any file
//	lens(name, re...)             a lens is on the name. In a file with such markers there may be no other
//	lenses(name, re)              the number of lenses in the file that have no marker
//	testlens(name)                a lens offers to measure the test
//	hover(name, re...)            its text, without markup and with single blanks
//	hint(name, re...)             an inlay hint follows the name; see lens
//	stale(name)                   diagnostic, lens and hover say that the name was edited since
//	absent(name)                  no marker for the name holds: there is no such text in the line
//	action(name, re...)           the titles of code actions on the name; noaction: there is none of these
//	act(name, re, file, golden)   the text of a file after the code action of this title
//	related(name, re...)          "text at the place: message", where the client knows related information
//	nodiag, nolens, nohover, nohint(name)
//
// A marker with a label, as in edited:stale("Add"), holds when the script says
// "check edited", or in the editor of that name, and takes the place of those
// for the same name and thing that have none.
//
// Files of an archive that are not of the workspace: costs (see costs),
// script (see marker_script_test.go), settings, and options, in JSON, golden/...,
// and flags, with a line each for
//
//	folders=a,b     what is open, relative to the archive; the default is all of it
//	open=x.go,y.go  the files that are opened; the default is all Go files
//	clients=a,b     the editors; the default is all of them
//	link=name       the workspace is opened by a symbolic link to it
//	crlf=a.go,b.go  files with line ends of Windows; bom=a.go with a byte order mark
//	store=yes       runs are saved and there again after a restart
//	skip=why        not tested
//
// Without a script everything is measured and checked.
func TestMarkers(t *testing.T) {
	for _, path := range archives(t) {
		a := readArchive(t, path)
		for _, c := range lsptest.Clients() {
			if !a.isFor(c) {
				continue
			}
			t.Run(a.name+"/"+c.Name, func(t *testing.T) {
				t.Parallel()
				if why := a.flags["skip"]; why != "" {
					t.Skip(why)
				}
				for _, problem := range newRig(t, a, c, hang).play() {
					t.Errorf("%s\n%s", a.why, problem)
				}
			})
		}
	}
}

func archives(t testing.TB) []string {
	t.Helper()
	paths, err := filepath.Glob("testdata/marker/*.txtar")
	if err != nil || len(paths) == 0 {
		t.Fatalf("there are no archives: %v", err)
	}
	return paths
}

// Archives that are skipped or thin prove little, and nobody would notice.
func TestMarkersAreMany(t *testing.T) {
	plays, marks := 0, 0
	names := map[string]bool{}
	for _, path := range archives(t) {
		a := readArchive(t, path)
		if a.flags["skip"] != "" {
			continue
		}
		if len(strings.TrimSpace(a.why)) < 30 {
			t.Errorf("%s does not say why it is there", path)
		}
		names[a.name] = true
		for _, c := range lsptest.Clients() {
			if a.isFor(c) {
				plays++
			}
		}
		for name, text := range a.files {
			found, err := markersOf(name, text)
			if err != nil {
				t.Error(err)
			}
			marks += len(found)
		}
	}
	t.Logf("%d archives, %d with the editors, %d markers", len(names), plays, marks)
	if len(names) < 40 || plays < 150 || marks < 200 {
		t.Errorf("%d archives, %d with the editors, %d markers", len(names), plays, marks)
	}
}
