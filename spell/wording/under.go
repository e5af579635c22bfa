package wording

import "cmp"

// ByTime says that energy is shared among callers by time, and why. reason is that of the run
// record; "" if there is none.
func ByTime(reason string) string { return cmp.Or(byTimeWords[reason], "by time") }

var byTimeWords = map[string]string{
	"alike":       "by time: no difference shown",
	"interleaved": "by time: callers change too fast to tell",
	"few":         "by time: too few samples",
}

// NotComponent names a caller or callee that is no component; unknown says that the stack was cut
// in front of it.
func NotComponent(unknown bool) string {
	if unknown {
		return "a caller that is not known"
	}
	return "tests and what is not measured"
}
