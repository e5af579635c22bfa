// Command frames prints what the runtime says of addresses of its own code: one line for
// each address, relative to main.main, with the frames there, the innermost first.
package main

import (
	"bufio"
	"fmt"
	"os"
	"reflect"
	"runtime"
	"strings"
)

type list[T any] struct{ items []T }

// Add is a method of a generic type.
//
//go:noinline
func (l *list[T]) Add(items ...T) {
	for _, item := range items {
		l.items = append(l.items, twice(func() T { return item }))
	}
}

// twice is inlined into Add, and calls a function literal.
func twice[T any](f func() T) T {
	keep(f())
	return f()
}

var kept any

func keep(v any) { kept = v }

func main() {
	var l list[int]
	l.Add(1, 2, 3)
	var words list[string]
	words.Add("a")
	out := bufio.NewWriter(os.Stdout)
	defer out.Flush()
	zero := reflect.ValueOf(main).Pointer()
	low, high := bounds(zero)
	for pc := low; pc < high; pc += 13 {
		print(out, zero, pc)
	}
}

// bounds are the first and the last address around which there are functions without gaps.
func bounds(pc uintptr) (low, high uintptr) {
	const page = 4096
	low, high = pc, pc
	for runtime.FuncForPC(low-page) != nil {
		low -= page
	}
	for runtime.FuncForPC(high+page) != nil {
		high += page
	}
	return low, high
}

func print(out *bufio.Writer, zero, pc uintptr) {
	next := runtime.FuncForPC(pc + 1)
	if runtime.FuncForPC(pc) == nil || next == nil || next.Entry() == pc+1 {
		return // the return address would be that of another function
	}
	// CallersFrames takes return addresses, and expands inlined calls where another address
	// follows, if only an invalid one.
	frames := runtime.CallersFrames([]uintptr{pc + 1, 1})
	var texts []string
	for {
		frame, more := frames.Next()
		texts = append(texts, fmt.Sprintf("%s %s:%d", frame.Function, frame.File, frame.Line))
		if !more {
			break
		}
	}
	fmt.Fprintf(out, "%d\t%s\n", int64(pc)-int64(zero), strings.Join(texts, "\t"))
}
