package main

import (
	"context"
	"os"
	"os/signal"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"spell-lsp/spell/atomicfile"
)

// echoTime is how long the same signal counts as one: timeout(1) and a terminal that
// is closed signal a process, and then its whole group.
const echoTime = 200 * time.Millisecond

// interrupts end the process when a signal asks for it: at once, unless the command
// has said with endsItself that it holds something to be saved. Then the first signal
// cancels the context of the command, and the second ends the process. So no command
// can swallow a signal, whatever read, write or computation it is stuck in.
type interrupts struct {
	cancel  context.CancelFunc
	orderly atomic.Int32 // calls of endsItself that are not over
}

type interruptsKey struct{}

// catchInterrupts gives the context of the command. An interrupted process ends with
// exitInterrupted.
func catchInterrupts(ctx context.Context) context.Context {
	i := &interrupts{}
	ctx, i.cancel = context.WithCancel(context.WithValue(ctx, interruptsKey{}, i))
	signals := make(chan os.Signal, 16)
	signal.Notify(signals, endings()...)
	go i.watch(signals)
	return ctx
}

// endings are the signals that ask the process to end. A closed terminal is one of
// them, unless nohup has said that it shall not matter.
func endings() []os.Signal {
	list := []os.Signal{os.Interrupt, syscall.SIGTERM}
	if !signal.Ignored(syscall.SIGHUP) {
		list = append(list, syscall.SIGHUP)
	}
	return list
}

func (i *interrupts) watch(signals <-chan os.Signal) {
	first := <-signals
	if i.orderly.Load() > 0 {
		i.cancel()
		caught := time.Now()
		for again := range signals {
			if again != first || time.Since(caught) > echoTime {
				break
			}
		}
	}
	signal.Reset(endings()...) // where a file system hangs, one more signal kills
	atomicfile.Abandon()
	os.Exit(exitInterrupted)
}

// endsItself says that until over is called the command looks at its context and ends
// by itself, because it has children or holds what must be saved.
func endsItself(ctx context.Context) (over func()) {
	i, ok := ctx.Value(interruptsKey{}).(*interrupts)
	if !ok {
		return func() {}
	}
	i.orderly.Add(1)
	return sync.OnceFunc(func() { i.orderly.Add(-1) })
}
