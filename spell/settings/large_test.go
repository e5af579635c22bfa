package settings_test

import (
	"fmt"
	"runtime"
	"strings"
	"testing"

	"spell-lsp/spell/settings"
)

// repeated writes what of gives for 0, 1, 2 and so on, up to the given size.
func repeated(size int, of func(i int) string) string {
	var b strings.Builder
	for i := 0; b.Len() < size; i++ {
		b.WriteString(of(i))
	}
	return b.String()
}

// A folder had a million bytes of keys that are none as its settings. To say so took
// 26 seconds and a message of 26 MB, which the editor was to show. However large the
// settings and whatever is wrong with them, the message is short.
func TestMessagesOfLargeSettingsAreShort(t *testing.T) {
	const size, most = 200_000, 4 << 10
	unknown := func(i int) string { return fmt.Sprintf("k%d: 1\n", i) }
	deep := strings.Repeat(`{"a":`, 5000) + strings.Repeat("}", 5000)
	for name, data := range map[string]string{
		"unknown keys":                repeated(size, unknown),
		"unknown keys of a group":     "weights: {" + repeated(size, func(i int) string { return fmt.Sprintf("k%d: 1, ", i) }) + "}",
		"a key many times":            repeated(size, func(int) string { return "top: 1\n" }),
		"keys without a name":         "{" + repeated(size, func(int) string { return "?," }) + "}",
		"a key that does not end":     "? " + strings.Repeat("a", size) + "\n: 1\n",
		"bad items of a list":         "tags: [" + repeated(size, func(int) string { return "a b," }) + "]",
		"a value that does not end":   "meter: " + strings.Repeat("a", size),
		"a pattern that does not end": "run: " + strings.Repeat("a", size),
		"an anchor that is not there": "top: *" + strings.Repeat("a", size),
		"nested lists":                "tags: " + strings.Repeat("[", 9000) + strings.Repeat("]", 9000),
		"aliases of aliases": "a: &a0 [x, x]\n" + repeated(size, func(i int) string {
			return fmt.Sprintf("b%d: &a%d [*a%d, *a%d]\n", i, i+1, i, i)
		}),
		"no YAML": repeated(size, unknown) + "]",
	} {
		if _, err := settings.ParseYAML([]byte(data), "f.yaml", settings.Default()); err == nil || len(err.Error()) > most {
			t.Errorf("YAML, %s: the error is %d bytes: %.200v", name, length(err), err)
		}
	}
	for name, data := range map[string]string{
		"unknown keys":          "{" + repeated(size, func(i int) string { return fmt.Sprintf(`"k%d": 1, `, i) }) + `"k": 1}`,
		"a key that is long":    `{"` + strings.Repeat("a", size) + `": 1}`,
		"nested groups":         strings.Replace(deep, ":}", ":1}", 1),
		"a list far down":       `{"tags": ` + strings.Repeat("[", 9000) + repeated(size, func(int) string { return "1," }) + "1" + strings.Repeat("]", 9000) + `}`,
		"a number that is long": `{"top": ` + strings.Repeat("9", size) + `}`,
	} {
		if _, err := settings.ParseJSON([]byte(data), settings.Default()); err == nil || len(err.Error()) > most {
			t.Errorf("JSON, %s: the error is %d bytes: %.200v", name, length(err), err)
		}
	}
}

func length(err error) int {
	if err == nil {
		return 0
	}
	return len(err.Error())
}

// The first problems are told, each in its place, and how many more there are.
func TestManyProblems(t *testing.T) {
	data := repeated(1, func(int) string { return strings.Repeat("top: 1\n", 31) })
	_, err := settings.ParseYAML([]byte(data), "f.yaml", settings.Default())
	lines := strings.Split(err.Error(), "\n")
	if len(lines) != 11 || lines[0] != "f.yaml:2:1: top is there twice, remove one" || lines[9] != "f.yaml:11:1: top is there twice, remove one" || lines[10] != "and 20 more" {
		t.Errorf("the error is\n%v", err)
	}
}

// What one more unknown key costs does not grow with their number, and is that of
// reading it: what it may have meant is found out for those that are told.
func TestUnknownKeysCostLittle(t *testing.T) {
	for form, parse := range map[string]func(n int) error{
		"YAML": func(n int) error {
			_, err := settings.ParseYAML([]byte(strings.Join(numbered(n, "k%d: 1\n"), "")), "f.yaml", settings.Default())
			return err
		},
		"JSON": func(n int) error {
			_, err := settings.ParseJSON([]byte("{"+strings.Join(numbered(n, `"k%d": 1`), ",")+"}"), settings.Default())
			return err
		},
	} {
		allocations := func(n int) float64 {
			return testing.AllocsPerRun(1, func() {
				if parse(n) == nil {
					t.Error("no error")
				}
			})
		}
		few, many := allocations(1000), allocations(11_000)
		if each := (many - few) / 10_000; each > 40 { // with a suggestion they were 300
			t.Errorf("%s: %v allocations for one more unknown key", form, each)
		}
	}
}

func numbered(n int, format string) []string {
	list := make([]string, n)
	for i := range list {
		list[i] = fmt.Sprintf(format, i)
	}
	return list
}

// A pattern of 14 KB can stand for a program of 80 MB: it is not made to find out
// whether it could be.
func TestShortPatternOfMuchWork(t *testing.T) {
	data := []byte("run: '" + strings.Repeat(".{1000}", 2000) + "'\n")
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	if _, err := settings.ParseYAML(data, "f.yaml", settings.Default()); err != nil {
		t.Error(err)
	}
	runtime.ReadMemStats(&after)
	if got := after.TotalAlloc - before.TotalAlloc; got > 16<<20 {
		t.Errorf("%d MB were allocated", got>>20)
	}
}
