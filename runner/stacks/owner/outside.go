package owner

import "strings"

// An Outside gives a row to a function outside of the workspace, by its name and those of the
// functions that called it up to the workspace, the innermost first, and the row of the function of
// the workspace that called the last of them, 0 for none. Code that is not Go's has no name.
type Outside func(path []string, caller int) (row int, ok bool)

// addOutside adds the rows of functions outside of the workspace that one of it called.
func (r *Rule) addOutside(p *Place, at []int, caller int, stack []Func) {
	path := make([]string, len(at))
	for i, frame := range at {
		path[i] = stack[frame].Name
	}
	for i, frame := range at {
		if row, ok := r.Outside(path[i:], caller); ok {
			p.add(row, frame, stack)
		}
	}
}

// ofProgram leaves of the functions of a goroutine that no function of the workspace is on those
// that a package of the program started; none if it is one of the runtime's own.
func ofProgram(at []int, stack []Func) []int {
	runtimes := func(frame int) bool {
		name := stack[frame].Name
		return strings.HasPrefix(name, "runtime.") || strings.HasPrefix(name, "internal/runtime/")
	}
	for len(at) > 0 && runtimes(at[len(at)-1]) {
		at = at[:len(at)-1]
	}
	return at
}
