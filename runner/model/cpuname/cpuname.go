// Package cpuname normalises names of processors, which the kernel, vendors and
// published lists write in different ways. It knows no processor itself.
package cpuname

import (
	"regexp"
	"slices"
	"strings"
)

var (
	marks     = strings.NewReplacer("(r)", " ", "(tm)", " ", "®", " ", "™", " ", "(c)", " ")
	coreCount = regexp.MustCompile(`^([0-9]+|dual|triple|quad|six|eight|twelve|sixteen)-cores?$`)
)

// Normal reduces a processor's name to what identifies it, so that names
// from the maker's lists and from /proc/cpuinfo can be compared for equality:
// "11th Gen Intel(R) Core(TM) i7-11700K @ 3.60GHz" and "Intel Core i7-11700K"
// both become "intel core i7-11700k". Names that differ in a suffix stay
// different: they are different processors.
func Normal(name string) string {
	name = marks.Replace(strings.ToLower(name))
	name, _, _ = strings.Cut(name, "@")
	words := strings.Fields(name)
	for i, w := range words {
		if w == "with" || w == "w/" { // "with Radeon Graphics"
			words = words[:i]
			break
		}
	}
	if len(words) > 2 && strings.HasSuffix(words[0], "th") && words[1] == "gen" {
		words = words[2:]
	}
	words = slices.DeleteFunc(words, func(w string) bool {
		return w == "cpu" || w == "processor" || coreCount.MatchString(w)
	})
	if n := len(words); n > 1 && words[n-1] == "0" { // "Xeon(R) CPU E5-2670 0 @ ...": the first version
		words = words[:n-1]
	}
	return strings.Join(words, " ")
}
