package lsp

import (
	"path/filepath"
	"slices"
	"sync"

	"spell-lsp/lsp/outline"
)

// Views make the views of files, and keep those of open documents while what they were
// made from stays.
type views struct {
	snapshots *snapshots
	disk      *outline.Cache
	// outdated is told a file whose view was made while its inputs changed: who asked
	// for it shows it all the same, and must be corrected.
	outdated func(path string)

	mu       sync.Mutex
	made     map[string]made // by path; of files that are not open only those in which something is or may come
	around   *surroundings   // of the views that are being made, nil if there are none
	aroundAt *snapshot
}

// Made is what is known of the last view of a file.
type made struct {
	view    *view // nil of a file that is not open
	results *results
	texts   int  // see snapshot
	wide    bool // it depends on texts of other files too
	stray   bool // see view
	shows   bool // it has marks
}

// of gives the view of a file as it is now, nil if there is no such file.
func (vs *views) of(path string) *view {
	n := vs.snapshots.now()
	if v := vs.kept(n, path); v != nil {
		return v
	}
	v := vs.make(n, path, n.results)
	if vs.keep(n, path, v) {
		vs.outdated(path)
	}
	return v
}

func (vs *views) kept(n *snapshot, path string) *view {
	vs.mu.Lock()
	defer vs.mu.Unlock()
	if m := vs.made[path]; m.view != nil && m.view.document == n.documents[path] && m.holds(n) {
		return m.view
	}
	return nil
}

// holds reports whether a view of the same document would be made again as it was.
func (m *made) holds(n *snapshot) bool {
	return m.results == n.results && (!m.wide || m.texts == n.texts)
}

// make makes the view of a file in a snapshot, of the given results.
func (vs *views) make(n *snapshot, path string, rs *results) *view {
	return viewOf(files{n, vs.disk}, path, rs, vs.surroundings(n))
}

// keep notes what a view shows, and keeps it if its document is open. It reports whether
// the view is outdated by now. What an outdated one shows may be on the screen, so that
// is not forgotten before a view that holds is made.
func (vs *views) keep(n *snapshot, path string, v *view) (outdated bool) {
	d := n.documents[path]
	m := made{results: n.results, texts: n.texts, wide: d == nil || n.results.groupedIn(filepath.Dir(path))}
	if v != nil {
		m.stray, m.shows, m.wide = v.stray, len(v.marks) > 0, m.wide || v.stray
		if d != nil && len(n.results.list) > 0 { // without results it is made at no cost
			m.view = v
		}
	}
	vs.mu.Lock()
	defer vs.mu.Unlock()
	// Whoever replaces the snapshot reads made afterwards, under mu: either that sees
	// this view, or this sees the new snapshot.
	now, before := vs.snapshots.now(), vs.made[path]
	if now.documents[path] != d || !m.holds(now) {
		outdated = m.stray || m.shows
		before.stray, before.shows = before.stray || m.stray, before.shows || m.shows
		m = before
	}
	switch {
	case m == (made{}):
	case m.view == nil && !m.stray && !m.shows:
		delete(vs.made, path)
	case vs.made == nil:
		vs.made = map[string]made{path: m}
	default:
		vs.made[path] = m
	}
	return outdated
}

// surroundings gives those of the views of a snapshot.
func (vs *views) surroundings(n *snapshot) *surroundings {
	vs.mu.Lock()
	defer vs.mu.Unlock()
	if vs.around == nil || vs.aroundAt != n {
		in := files{n, vs.disk}
		vs.around, vs.aroundAt = newSurroundings(n.goFilesIn, in.declarations), n
	}
	return vs.around
}

// release forgets the surroundings, which may be large.
func (vs *views) release() {
	vs.mu.Lock()
	defer vs.mu.Unlock()
	vs.around, vs.aroundAt = nil, nil
}

// shown lists the files in which something is or may be shown.
func (vs *views) shown() []string {
	return vs.which(func(m made) bool { return m.shows })
}

// beside lists the files that a change of others may make look different: where a
// function has the name or the body of one of another file, and where what stands is
// of all of a folder.
func (vs *views) beside(n *snapshot, paths []string) []string {
	list := vs.strays()
	folders := map[string]bool{}
	for _, path := range paths {
		folders[filepath.Dir(path)] = true
	}
	for dir := range folders {
		list = append(list, n.results.grouped(dir)...)
	}
	return list
}

func (vs *views) strays() []string { return vs.which(func(m made) bool { return m.stray }) }

func (vs *views) which(holds func(made) bool) []string {
	vs.mu.Lock()
	defer vs.mu.Unlock()
	var paths []string
	for path, m := range vs.made {
		if holds(m) {
			paths = append(paths, path)
		}
	}
	return paths
}

// siblings lists the files in which a component may be that is not in its file any
// more: those of the folder that have components or are open, and those anywhere
// that have functions which a change elsewhere makes another's.
func (vs *views) siblings(r *result, path string) []string {
	dir := filepath.Dir(path)
	paths := slices.Concat(r.folders[dir], vs.strays(), vs.snapshots.now().openIn(dir))
	slices.Sort(paths)
	return paths
}

// ofListed gives the view of a file in which components of a result are looked for, nil if
// there is no such file. Where the result has no marks it is a view of this result alone;
// where others are shown by now, it is one of those that were listed.
func (vs *views) ofListed(listed *results, r *result, path string) *view {
	n := vs.snapshots.now()
	switch {
	case listed.hides(r, path):
	case n.results != listed:
		return vs.make(n, path, listed)
	default:
		return vs.of(path)
	}
	alone := *r
	alone.inside = false
	return vs.make(n, path, &results{list: []*result{&alone}})
}

// Files are the texts of a snapshot, in the editor or else on disk.
type files struct {
	snapshot *snapshot
	disk     *outline.Cache
}

// source gives the text of a file, nil if there is none.
func (f files) source(path string) *outline.Source {
	if d := f.snapshot.documents[path]; d != nil {
		return d.source
	}
	return f.disk.Source(path)
}

// declarations lists what a file declares.
func (f files) declarations(path string) []outline.Declaration {
	if d := f.snapshot.documents[path]; d != nil {
		return d.source.Declarations()
	}
	return f.disk.Declarations(path)
}
