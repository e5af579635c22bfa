package main

import (
	"context"
	"fmt"
	"io"
	"os"

	"spell-lsp/spell/atomicfile"
)

// stuckVariable makes a process of the test binary one of stuckCommands.
const stuckVariable = "SPELL_TEST_STUCK"

// stuckCommands never end by themselves. They say when they are stuck.
var stuckCommands = map[string]func(){
	"saving": func() {
		ctx := catchInterrupts(context.Background())
		endsItself(ctx)
		fmt.Println("holding")
		<-ctx.Done()
		fmt.Println("saving")
		select {}
	},
	"saved": func() {
		ctx := catchInterrupts(context.Background())
		over := endsItself(ctx)
		over()
		over() // a second time, as a deferred call does
		fmt.Println("showing")
		select {}
	},
	"writing": func() {
		catchInterrupts(context.Background())
		t, err := atomicfile.Find(os.Args[1])
		if err != nil {
			panic(err)
		}
		panic(t.Write(func(w io.Writer) error {
			fmt.Fprint(w, "half of the new")
			fmt.Println("writing")
			select {}
		}))
	},
}
