package lsp_test

import (
	"flag"
	"fmt"
	"maps"
	"math/rand/v2"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"unicode/utf16"

	"go.uber.org/zap"

	"spell-lsp/internal/lsptest"
	"spell-lsp/lsp"
)

var (
	soak     = flag.Int("soak", 10_000, "number of requests that TestSoak sends")
	sessions = flag.Int("sessions", 2_000, "number of files that TestRandomEdits edits")
)

// An editor stays open for weeks. Its requests, cancelled or not, must leave neither goroutines
// nor memory behind.
func TestSoak(t *testing.T) {
	if testing.Short() {
		t.Skip("it takes long")
	}
	e, _ := serve(t, lsp.Options{Measure: newLab(parkCosts).measure, Log: zap.NewNop()}) // a log in memory would grow
	dir := module(t, maps.Clone(park))
	parkGo := filepath.Join(dir, "park.go")
	e.Folders = []string{dir}
	e.Start()
	e.Open(parkGo)
	measure(t, e)
	e.Settle()
	random := rand.New(rand.NewPCG(1, 2))
	position := func() map[string]any {
		return map[string]any{"line": random.IntN(20), "character": random.IntN(40)}
	}
	file := map[string]any{"uri": lsptest.URI(parkGo)}
	kinds := []func() *lsptest.Call{
		func() *lsptest.Call {
			return e.Call("textDocument/hover", map[string]any{"textDocument": file, "position": position()})
		},
		func() *lsptest.Call {
			return e.Call("textDocument/codeLens", map[string]any{"textDocument": file})
		},
		func() *lsptest.Call {
			return e.Call("spell-lsp/marks", map[string]any{"textDocument": file})
		},
		func() *lsptest.Call {
			at := position()
			return e.Call("textDocument/codeAction", map[string]any{
				"textDocument": file, "range": map[string]any{"start": at, "end": at}, "context": map[string]any{"diagnostics": []any{}},
			})
		},
		func() *lsptest.Call { return e.Execute("spell-lsp.ranking", map[string]any{"top": 3}) },
		func() *lsptest.Call { return e.Execute("spell-lsp.cancel", nil) },
		func() *lsptest.Call { return e.Call(fmt.Sprintf("no/such/%d", random.IntN(1000)), position()) },
	}
	const atOnce, samples = 64, 10
	var goroutines []int
	var heaps []uint64
	for asked := 0; asked < *soak; {
		for range max(1, *soak/samples/atOnce) {
			var calls []*lsptest.Call
			for range atOnce {
				c := kinds[random.IntN(len(kinds))]()
				if random.IntN(4) == 0 {
					c.Cancel()
				}
				calls = append(calls, c)
			}
			for _, c := range calls {
				c.Wait() // any answer will do
			}
			asked += atOnce
		}
		e.Settle()
		var memory runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&memory)
		goroutines, heaps = append(goroutines, runtime.NumGoroutine()), append(heaps, memory.HeapAlloc)
	}
	t.Logf("%d requests; goroutines %v; heap %v", *soak, goroutines, heaps)
	if most := slices.Max(goroutines); most > goroutines[0]+10 {
		t.Errorf("the goroutines grow: %v", goroutines)
	}
	if last := heaps[len(heaps)-1]; last > heaps[0]+8<<20 {
		t.Errorf("the memory grows: %v bytes", heaps)
	}
	alive(t, e, parkGo, "the soak")
}

// A naive buffer is a text in UTF-16 code units, the units of the protocol.
type naive []uint16

func newNaive(text string) naive { return utf16.Encode([]rune(text)) }

func (b naive) String() string { return string(utf16.Decode(b)) }

// index returns the index of a position. A character beyond the end of its line is the end of
// the line, a line beyond the last is the end of the text.
func (b naive) index(line, character int) int {
	i := 0
	for ; line > 0; line-- {
		for i < len(b) && b[i] != '\n' && b[i] != '\r' {
			i++
		}
		if i == len(b) {
			return i
		}
		if i++; b[i-1] == '\r' && i < len(b) && b[i] == '\n' {
			i++
		}
	}
	for ; character > 0 && i < len(b) && b[i] != '\n' && b[i] != '\r'; character-- {
		i++
	}
	if i > 0 && i < len(b) && utf16.IsSurrogate(rune(b[i-1])) && b[i-1] < 0xDC00 {
		i-- // no position is within a character
	}
	return i
}

func (b naive) edit(from, to int, text string) naive {
	return slices.Concat(b[:from], newNaive(text), b[to:])
}

// scraps are texts that users type and paste.
var scraps = []string{
	"", "", "x", "\n", "\r\n", "\r", "\n\n", "\r\n\r\n", "\r\r\n", "\t", "\t\t", "\ufeff", "🚗", "🅿️🚗", "é", "e\u0301", "漢字", "\u2028", "\x00", "𝔘\r",
	"func f() {\r\n\treturn \"🚗\"\r\n}\n", "// 👩‍👩‍👧‍👦 family\n", "package park\n", strings.Repeat("a", 300), strings.Repeat("🚗\r\n", 40), "\n🚗", "\"", "\\", "</script>", "\u007f",
}

// change returns a random change in the protocol's form, and the buffer after it.
func change(random *rand.Rand, b naive) (map[string]any, naive) {
	scrap := scraps[random.IntN(len(scraps))] + scraps[random.IntN(len(scraps))]
	if random.IntN(20) == 0 {
		if len(b) > 2000 {
			scrap = "package park\n"
		}
		return map[string]any{"text": scrap}, newNaive(scrap)
	}
	lines := strings.Count(b.String(), "\n") + strings.Count(b.String(), "\r") + 2
	line, character := random.IntN(lines), random.IntN(12)
	endLine, endCharacter := line+random.IntN(3)/2, random.IntN(12)
	if random.IntN(30) == 0 {
		endLine, endCharacter = 1<<31-1, 1<<31-1 // beyond everything
	}
	from, to := b.index(line, character), b.index(endLine, endCharacter)
	if from > to || endLine == line && endCharacter < character {
		endLine, endCharacter, to = line, character, from
	}
	return map[string]any{"text": scrap, "range": map[string]any{
		"start": map[string]any{"line": line, "character": character}, "end": map[string]any{"line": endLine, "character": endCharacter},
	}}, b.edit(from, to, scrap)
}

// However a text is edited, the server has the same text as the editor. A hundred files are
// edited in turns, so that their edits mix.
func TestRandomEdits(t *testing.T) {
	if testing.Short() {
		t.Skip("it takes long")
	}
	l := newLab(nil)
	e, _ := serve(t, lsp.Options{Measure: l.measure})
	dir := module(t, map[string]string{})
	e.Folders = []string{dir}
	e.Start()
	random := rand.New(rand.NewPCG(3, 4))
	const atOnce = 100
	for done := 0; done < *sessions; done += atOnce {
		buffers := map[string]naive{}
		var paths []string
		for i := range atOnce {
			path := filepath.Join(dir, fmt.Sprintf("f%d_test.go", i)) // the lab leaves it alone
			text := strings.Repeat(scraps[random.IntN(len(scraps))], 3) + "func f() {}\r\n"
			e.OpenText(path, text)
			buffers[path], paths = newNaive(text), append(paths, path)
		}
		for range 5 * atOnce {
			path := paths[random.IntN(len(paths))]
			changes := []any{}
			for range 1 + random.IntN(4) {
				var c map[string]any
				c, buffers[path] = change(random, buffers[path])
				changes = append(changes, c)
			}
			e.Notify("textDocument/didChange", map[string]any{
				"textDocument": map[string]any{"uri": lsptest.URI(path), "version": random.IntN(1 << 20)}, "contentChanges": changes,
			})
		}
		measure(t, e)
		r := <-l.requests
		for _, path := range paths {
			if got, want := string(r.Buffers[path]), buffers[path].String(); got != want {
				t.Fatalf("session %d, %s: the server has\n%q\nthe editor\n%q", done, filepath.Base(path), got, want)
			}
			e.Close(path)
		}
	}
}
