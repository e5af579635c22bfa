package lsp_test

import (
	"path/filepath"
	"strings"
	"testing"

	"spell-lsp/internal/lsptest"
)

// The archives in testdata/marker are Go workspaces. Their comments say what each editor must show:
//
//	func (p *Park) Add(c Car) { //@diag("Add", "error", "^#1 psi 0.63"), lens("Add", "RED #1")
//
// The first argument of a marker is a text of its line. A marker is checked at its current place:
// lines that are typed above move it, and a comment changes no function. Further arguments are
// regular expressions, all of which must match.
//
//	diag(name, severity, re...)   a diagnostic on the name. No file may have diagnostics without markers
//	lens(name, re...)             a lens on the name. A file with such markers may have no other lenses
//	lenses(name, re)              the number of lenses in the file that have no marker
//	testlens(name)                a lens that measures the test
//	hover(name, re...)            the text of the hover, without markup and with single blanks
//	hint(name, re...)             an inlay hint after the name; see lens
//	stale(name)                   diagnostic, lens and hover say "measured before this edit"
//	absent(name)                  the line does not have this text, and no other marker for it holds
//	action(name, re...)           the titles of code actions on the name; noaction: there is none of these
//	act(name, re, file, golden)   the text of a file after the code action of this title
//	related(name, re...)          "text at the place: message", if the client supports related information
//	nodiag, nolens, nohover, nohint(name)
//
// A marker with a label, such as edited:stale("Add"), holds when the script says "check edited", or
// in the editor of that name. It then replaces the markers without a label for the same name and
// thing.
//
// Some files of an archive do not belong to the workspace: costs (see costs), script (see
// marker_script_test.go), settings and options in JSON, golden/..., and flags, with a line for each
// of these:
//
//	folders=a,b     the open folders, relative to the archive; the default is the whole archive
//	open=x.go,y.go  the files that are opened; the default is all Go files
//	clients=a,b     the editors; the default is all of them
//	link=name       the workspace is opened through a symbolic link
//	crlf=a.go,b.go  files with Windows line endings; bom=a.go with a byte order mark
//	store=yes       runs are saved, and restored after a restart
//	skip=why        not tested
//
// Without a script the workspace is measured and checked.
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

// The archives must have enough markers, and few may be skipped: otherwise they would prove little,
// unnoticed.
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
