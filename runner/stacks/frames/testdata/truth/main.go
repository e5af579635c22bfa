// Command truth computes in functions of which it is known how much each of them computes. It
// begins when it is told to on standard input.
//
//	truth shares N          N rounds, in which the functions compute as often as their names say
//	truth threads N         so many threads that compute as much as each other
//	truth wait N            so many threads that wait until the end of standard input
//	truth child             the same as shares 20, in a child process
//	truth collect           allocates, so that the garbage collector runs
//	truth calls             makes system calls, and computes; prints the CPU time of both in ns
//	truth forever           computes until it is killed, or the end of standard input
package main

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime"
	"runtime/debug"
	"strconv"
	"sync"
	"sync/atomic"
	"syscall"
	"unsafe"
)

// unit is the number of iterations in a unit of work.
const unit = 400_000

// work has no frame: frame pointers do not lead to its caller.
//
//go:noinline
func work(n int) (x uint64) {
	x = 88172645463325252
	for range n {
		x ^= x << 13
		x ^= x >> 7
		x ^= x << 17
	}
	return x
}

var sink uint64

//go:noinline
func Three(n int) {
	for range 3 {
		sink += work(n)
	}
}

//go:noinline
func One(n int) { sink += work(n) }

// Inlined is inlined into main.
func Inlined(n int) { sink += work(n) }

type number interface{ int | int32 }

//go:noinline
func Generic[T number](n T) { sink += work(int(n)) }

type T struct{ n int }

//go:noinline
func (t *T) Method() { sink += work(t.n) }

// Literal computes in a function literal. As Literal is inlined, the name of the literal,
// main.shares.Literal.func1, does not tell whose it is.
func Literal(n int) func() {
	return func() { sink += work(n) }
}

// Value is called through a wrapper that the compiler makes for the pointer.
func (t T) Value() { sink += work(t.n) }

type valuer interface{ Value() }

//go:noinline
func later(c chan int, done chan bool) {
	for n := range c {
		sink += work(n)
		done <- true
	}
}

func shares(rounds int) {
	c, done := make(chan int), make(chan bool)
	random := uint32(1)
	for round := range rounds {
		// The length of a round varies, so that it has no rhythm that samples could have, too.
		random = random*1664525 + 1013904223
		n := unit/2 + int(random>>8)%unit
		Three(n)
		One(n)
		Inlined(n)
		Generic(n)
		Generic(int32(n))
		(&T{n}).Method()
		Literal(n)()
		var v valuer = &T{n}
		v.Value()
		if round == 1 {
			go later(c, done)
		}
		if round > 0 {
			c <- n
			<-done
		}
	}
}

//go:noinline
func Thread(n int) {
	runtime.LockOSThread()
	for range n {
		sink += work(unit)
	}
}

func threads(n int) {
	var all sync.WaitGroup
	for range n {
		all.Add(1)
		go func() {
			defer all.Done()
			Thread(150)
		}()
	}
	all.Wait()
}

func wait(n int) {
	var all sync.WaitGroup
	for range n {
		all.Add(1)
		go func() {
			runtime.LockOSThread()
			all.Done()
			select {}
		}()
	}
	all.Wait()
	fmt.Println("waiting")
	io.Copy(io.Discard, os.Stdin)
}

// chain has n goroutines run at once, on threads most of which were started by another of them.
func chain(n int, in io.Reader) {
	runtime.GOMAXPROCS(n)
	var all sync.WaitGroup
	var running atomic.Int64
	for range n {
		all.Go(func() {
			for running.Add(1); running.Load() < int64(n); {
			}
		})
	}
	all.Wait()
	fmt.Println("chained")
	io.Copy(io.Discard, in)
}

func child() {
	cmd := exec.Command(os.Args[0], "shares", "20")
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
	if err := cmd.Run(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// Calls makes system calls that take long in the kernel, for what they do in user space.
//
//go:noinline
func Calls(n int) {
	buf := make([]byte, 4096)
	for range n {
		if _, err := syscall.Pread(zeros, buf, 0); err != nil {
			panic(err)
		}
	}
}

var zeros int

// calls runs functions in turns, and measures them by the clock of the thread.
func calls() {
	runtime.LockOSThread()
	var err error
	if zeros, err = syscall.Open("/dev/zero", syscall.O_RDONLY, 0); err != nil {
		panic(err)
	}
	var inCalls, inOne int64
	for range 300 {
		before := cpu()
		Calls(1000)
		between := cpu()
		One(unit)
		inCalls, inOne = inCalls+between-before, inOne+cpu()-between
	}
	fmt.Println(inCalls, inOne)
}

// cpu is the CPU time of the thread, ns.
func cpu() int64 {
	const threadClock = 3 // CLOCK_THREAD_CPUTIME_ID
	var t syscall.Timespec
	if _, _, errno := syscall.RawSyscall(syscall.SYS_CLOCK_GETTIME, threadClock, uintptr(unsafe.Pointer(&t)), 0); errno != 0 {
		panic(errno)
	}
	return t.Nano()
}

type tree struct{ left, right *tree }

//go:noinline
func Grow(depth int) *tree {
	if depth == 0 {
		return nil
	}
	return &tree{Grow(depth - 1), Grow(depth - 1)}
}

var root *tree

func main() {
	n := 0
	if len(os.Args) > 2 {
		n, _ = strconv.Atoi(os.Args[2])
	}
	in := bufio.NewReaderSize(os.Stdin, 16)
	if os.Args[1] == "wait" {
		wait(n)
		return
	}
	if os.Args[1] == "child" {
		child()
		return
	}
	fmt.Println("ready")
	in.ReadString('\n')
	switch os.Args[1] {
	case "shares":
		shares(n)
	case "threads":
		threads(n)
	case "chain":
		chain(n, in)
	case "collect":
		debug.SetGCPercent(20)
		for range 12 {
			root = Grow(20)
		}
	case "calls":
		calls()
	case "forever":
		runtime.LockOSThread()
		go func() { // as long as somebody waits for it
			io.Copy(io.Discard, in)
			os.Exit(0)
		}()
		for {
			One(unit)
		}
	}
}
