package toolkit

import (
	"fmt"
	"slices"
	"strings"

	"spell-lsp/spell"
	"spell-lsp/spell/suggestion"
)

// A key is the meaning of a number in a group. The first keys are the domains.
type key int8

const (
	keyCPU key = iota
	keyDRAM
	keyGPU
	keyDisk
	keyFans
	keyNet
	keyTime
	keyN
	keyModule
	noKey

	domains = int(keyTime)
	numbers = int(keyModule) // all but the module are numbers
)

// A keySet has the bit 1<<k for each key k.
type keySet uint16

func (s keySet) has(k key) bool { return s&(1<<k) != 0 }

// keyOf returns noKey for an unknown word.
func keyOf(word []byte) key {
	switch string(word) {
	case "cpu", "e":
		return keyCPU
	case "n":
		return keyN
	case "t", "time":
		return keyTime
	case "ram", "dram":
		return keyDRAM
	case "gpu":
		return keyGPU
	case "disk":
		return keyDisk
	case "fans":
		return keyFans
	case "net":
		return keyNet
	case "m":
		return keyModule
	}
	return noKey
}

// String returns k as the original tools spell it. They do not know net.
func (k key) String() string { return spellings[k] }

var spellings = [...]string{
	keyCPU: "cpu", keyDRAM: "ram", keyGPU: "gpu", keyDisk: "disk", keyFans: "fans", keyNet: "net", keyTime: "t", keyN: "n", keyModule: "m",
}

func (k key) domain() spell.Domain { return withKey[k] }

// withKey lists the domains that have a key. A domain of [spell.Domains] that is missing
// here is refused.
var withKey = [domains]spell.Domain{
	keyCPU: spell.CPU, keyDRAM: spell.DRAM, keyGPU: spell.GPU, keyDisk: spell.Disk, keyFans: spell.Fans, keyNet: spell.Net,
}

// keysOf lists the keys of a matrix' domains, in their order.
func keysOf(list []spell.Domain) ([]key, error) {
	keys := make([]key, len(list))
	for i, d := range list {
		k := slices.Index(withKey[:], d)
		if k < 0 {
			return nil, fmt.Errorf("domain %q has no key; the domains are %s", d, joined(withKey[:]))
		}
		keys[i] = key(k)
	}
	return keys, nil
}

// unknownKey returns the fault of an unknown word, and suggests the keys that are allowed
// there.
func unknownKey(word string, known []string) fault {
	what := fmt.Sprintf("key %q is not known", word)
	for _, i := range suggestion.Nearest(word, known, 1) {
		what += "; did you mean " + known[i] + "?"
	}
	return fault{what, "the keys are " + joined(known)}
}

func joined[T ~string](list []T) string {
	var b strings.Builder
	for i, word := range list {
		if i > 0 {
			b.WriteString(", ")
		}
		b.WriteString(string(word))
	}
	return b.String()
}
