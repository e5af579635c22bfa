package runner

import (
	"bytes"
	"path/filepath"

	"spell-lsp/spell"
	"spell-lsp/spell/record"
	"spell-lsp/spell/regularfile"
)

// texts tell of functions whether the lines of the program are those of their files, and the hashes of these lines.
type texts struct {
	read  func(file string) []byte
	files map[string][]byte
	task  map[string]string // where they were built elsewhere: Task.Texts by ID; nil here
}

func (m *measurement) texts() *texts {
	t := &texts{read: m.text, files: make(map[string][]byte)}
	if m.builtIn == "" {
		return t
	}
	t.task = make(map[string]string, len(m.builtTexts))
	for i, hash := range m.builtTexts {
		t.task[m.build.Components[i].ID] = hash
	}
	return t
}

// of returns the hash of a function's text, "" if that is gone or was never there. own says that the lines which
// samples have are those of its file.
func (t *texts) of(c *record.Component) (hash func() string, own bool) {
	if t.task != nil {
		hash, is := t.task[c.ID]
		return func() string { return hash }, !is || hash != ""
	}
	if _, read := t.files[c.File]; !read {
		t.files[c.File] = t.read(c.File)
	}
	text := t.files[c.File]
	return func() string { return record.TextHash(text, c.Line, c.EndLine) }, !hasLineDirectives(text)
}

// textHashes are Task.Texts: they go along because files may not, as those that git ignores.
func (m *measurement) textHashes() []string {
	list := make([]string, len(m.build.Components))
	of := make(map[string][]int)
	for i, c := range m.build.Components {
		if c.Kind == spell.KindFunction && c.File != "" {
			of[c.File] = append(of[c.File], i)
		}
	}
	for file, functions := range of {
		text := m.text(file)
		if hasLineDirectives(text) {
			continue
		}
		starts := lineStarts(text)
		for _, i := range functions {
			if c := m.build.Components[i]; c.Line >= 1 && c.EndLine >= c.Line && c.EndLine < len(starts) {
				list[i] = record.TextHash(text[starts[c.Line-1]:starts[c.EndLine]], 1, c.EndLine-c.Line+1)
			}
		}
	}
	return list
}

// lineStarts are the offsets of all lines, and the length of the text.
func lineStarts(text []byte) []int {
	starts := []int{0}
	for line := range bytes.Lines(text) {
		starts = append(starts, starts[len(starts)-1]+len(line))
	}
	return starts
}

// text is that of a file of the workspace; nil if it is gone.
func (m *measurement) text(file string) []byte {
	name := filepath.Join(m.build.Root, filepath.FromSlash(file))
	text, edited := m.Buffers[name]
	if !edited {
		text, _ = regularfile.Read(name, regularfile.MaxSource)
	}
	return text
}

// hasLineDirectives tells whether a file was generated from another (//line), whose lines the samples
// then have.
func hasLineDirectives(text []byte) bool {
	return bytes.Contains(text, []byte("//line ")) || bytes.Contains(text, []byte("/*line "))
}
