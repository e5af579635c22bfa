// Savedrun keeps a run record as if a folder had just been measured, so that tests of
// editors start from a result:
//
//	savedrun STORE FOLDER <RECORD
package main

import (
	"fmt"
	"os"

	"spell-lsp/spell/record/recordjson"
	"spell-lsp/spell/store"
)

func main() {
	if err := save(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "savedrun:", err)
		os.Exit(1)
	}
}

func save(args []string) error {
	if len(args) != 2 {
		return fmt.Errorf("%d arguments, want the folders of the store and of the module", len(args))
	}
	run, err := recordjson.Read(os.Stdin)
	if err != nil {
		return err
	}
	return store.Open(args[0]).Save(args[1], "", run)
}
