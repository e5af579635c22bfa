package alternatives

import (
	"slices"
	"strconv"
	"strings"

	"spell-lsp/spell/record"
)

// sizeKeys are the usual names of the size, the likeliest first.
var sizeKeys = []string{"n", "size", "len"}

// Generated begins the names of benchmarks of functions that are alternatives, in whatever packages. They are
// compared as if they were one benchmark, whose name is functions.
const (
	Generated = "BenchmarkChoose_"
	functions = "functions"
)

// A part of a name is key=value, or a text without a key.
type part struct{ key, value string }

func (p part) String() string {
	if p.key == "" {
		return p.value
	}
	return p.key + "=" + p.value
}

// A row is an alternative that ran.
type row struct {
	test  *record.Test
	parts []part
	name  string // the value of the key
	size  string // the value of the key of the size, as it is written; "" without sizes
	value float64
}

// A benchmark is one of them, or a test, with all of its rows that have keys.
type benchmark struct {
	pkg, name    string
	rows         []row
	key, sizeKey string
}

// rows are those that differ in alternative and size alone.
type rows struct {
	pkg, name, key, sizeKey string
	rows                    []row
}

// benchmarksOf are the benchmarks and tests of a run that have alternatives, in the order of tests.
func benchmarksOf(tests []record.Test, o Options) ([]benchmark, error) {
	list := read(tests)
	var chosen []benchmark
	var keys []string
	for _, b := range list {
		keys = append(keys, b.keys()...)
		ok, err := b.choose(o)
		if err != nil {
			return nil, err
		}
		if ok {
			chosen = append(chosen, b)
		}
	}
	slices.Sort(keys)
	if len(chosen) == 0 {
		return nil, &NoneError{Key: o.Key, Keys: slices.Compact(keys)}
	}
	if o.Size != "" && !slices.ContainsFunc(chosen, func(b benchmark) bool { return b.sizeKey == o.Size }) {
		return nil, &SizeError{Key: o.Size, Keys: slices.Compact(keys)}
	}
	return chosen, nil
}

// read finds the rows that have keys and no rows below them.
func read(tests []record.Test) (list []benchmark) {
	whole := make(map[string]bool)
	for i := range tests {
		for name := tests[i].Name; strings.Contains(name, "/"); {
			name = name[:strings.LastIndex(name, "/")]
			whole[name] = true
		}
	}
	for i := range tests {
		t := &tests[i]
		own := strings.TrimPrefix(t.Name, t.Package+".")
		name, rest, below := strings.Cut(own, "/")
		if !below || whole[t.Name] || t.Package == "" {
			continue
		}
		of := row{test: t}
		for text := range strings.SplitSeq(rest, "/") {
			key, value, found := strings.Cut(text, "=")
			if !found || key == "" {
				key, value = "", text
			}
			of.parts = append(of.parts, part{key, value})
		}
		pkg := t.Package
		if strings.HasPrefix(name, Generated) && of.parts[0].key == "func" {
			pkg, name = "", functions
		}
		at := slices.IndexFunc(list, func(b benchmark) bool { return b.pkg == pkg && b.name == name })
		if at < 0 {
			at = len(list)
			list = append(list, benchmark{pkg: pkg, name: name})
		}
		list[at].rows = append(list[at].rows, of)
	}
	return list
}

// keys are those of all rows, in the order of the names.
func (b *benchmark) keys() (keys []string) {
	for _, r := range b.rows {
		for _, p := range r.parts {
			if p.key != "" && !slices.Contains(keys, p.key) {
				keys = append(keys, p.key)
			}
		}
	}
	return keys
}

// values are the different ones that a key has.
func (b *benchmark) values(key string) (values []string) {
	for _, r := range b.rows {
		if v, ok := r.valueOf(key); ok && !slices.Contains(values, v) {
			values = append(values, v)
		}
	}
	return values
}

func (r *row) valueOf(key string) (string, bool) {
	for _, p := range r.parts {
		if p.key == key {
			return p.value, true
		}
	}
	return "", false
}

func number(text string) (float64, bool) {
	v, err := strconv.ParseFloat(text, 64)
	return v, err == nil && v-v == 0
}

func allNumbers(values []string) bool {
	return !slices.ContainsFunc(values, func(v string) bool { _, ok := number(v); return !ok })
}

// choose decides which keys are the alternatives and the size. It is false if there are no
// alternatives.
func (b *benchmark) choose(o Options) (bool, error) {
	var err error
	if b.key = o.Key; b.key == "" {
		b.key, err = b.onlyKey(o.Size)
	}
	if err != nil || !slices.Contains(b.keys(), b.key) {
		return false, err
	}
	return true, b.chooseSize(o.Size)
}

// onlyKey is the key whose values are not all numbers; "" if there is none. A key with one value is no choice if
// another has several.
func (b *benchmark) onlyKey(size string) (string, error) {
	var words, several []string
	for _, k := range b.keys() {
		if values := b.values(k); k != size && !allNumbers(values) {
			words = append(words, k)
			if len(values) > 1 {
				several = append(several, k)
			}
		}
	}
	switch {
	case len(several) > 1:
		return "", &KeysError{Benchmark: b.pkg + "." + b.name, Keys: several}
	case len(several) == 1:
		return several[0], nil
	case len(words) > 0:
		return words[0], nil
	}
	return "", nil
}

// chooseSize takes the key that was named, if there is one here, or else a usual one.
func (b *benchmark) chooseSize(named string) error {
	keys := b.keys()
	if named == "" {
		for _, k := range sizeKeys {
			if b.sizeKey == "" && k != b.key && slices.Contains(keys, k) && allNumbers(b.values(k)) {
				b.sizeKey = k
			}
		}
		return nil
	}
	if named == b.key {
		return &SizeError{Key: named, Alternatives: true}
	}
	for _, v := range b.values(named) {
		if _, ok := number(v); !ok {
			return &SizeError{Key: named, Benchmark: b.pkg + "." + b.name, Value: v}
		}
		b.sizeKey = named
	}
	return nil
}

// groups are the rows that differ in nothing but alternative and size.
func (b *benchmark) groups() (list []rows) {
	for _, r := range b.rows {
		name := b.name
		var has bool
		for _, p := range r.parts {
			switch {
			case p.key == b.key:
				r.name, has = p.value, true
			case p.key == b.sizeKey && p.key != "":
				r.size = p.value
				r.value, _ = number(p.value)
			default:
				name += "/" + p.String()
			}
		}
		if !has {
			continue
		}
		at := slices.IndexFunc(list, func(g rows) bool { return g.name == name })
		if at < 0 {
			at = len(list)
			list = append(list, rows{pkg: b.pkg, name: name, key: b.key, sizeKey: b.sizeKey})
		}
		list[at].rows = append(list[at].rows, r)
	}
	return list
}

// passed is the name of the first test that did; "" if none did.
func (g *rows) passed() string {
	for _, r := range g.rows {
		if r.test.Outcome == record.Pass {
			return r.test.Name
		}
	}
	return ""
}
