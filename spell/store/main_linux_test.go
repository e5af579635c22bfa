package store_test

import (
	"bufio"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"

	"spell-lsp/spell/store"
)

// childVariable says what a copy of the test binary does: a word and its arguments.
const childVariable = "SPELL_LSP_STORE_TEST"

// TestMain makes the test binary also the writer that tests kill.
func TestMain(m *testing.M) {
	args := strings.Split(os.Getenv(childVariable), "\n")
	switch args[0] {
	case "":
		os.Exit(m.Run())
	case "write":
		fmt.Println(writeRuns(args[1], args[2], args[3]))
	case "full":
		fmt.Println(saveWithLimit(args[1], args[2]))
	default:
		fmt.Println("unknown task", args)
	}
	os.Exit(1)
}

// child is the test binary with a task.
func child(t *testing.T, args ...string) *exec.Cmd {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), self)
	cmd.Env = append(os.Environ(), childVariable+"="+strings.Join(args, "\n"))
	cmd.Stderr = os.Stderr
	return cmd
}

// writeRuns saves runs, names each a baseline called as the writer, and deletes each
// third, until it has made so many or is killed. It prints what is done for good.
func writeRuns(dir, writer, count string) error {
	n, err := strconv.Atoi(count)
	if err != nil {
		return err
	}
	s := store.Open(dir)
	s.Limits = store.Limits{}
	out := bufio.NewWriter(os.Stdout)
	say := func(word, id string) error {
		fmt.Fprintln(out, word, id)
		return out.Flush()
	}
	for i := range n {
		r := runOf(rand.IntN(400))
		if err := s.Save(workspace, writer, r); err != nil {
			return err
		}
		if err := say("saved", r.ID); err != nil {
			return err
		}
		if i%3 == 2 {
			if err := say("deleting", r.ID); err != nil {
				return err
			}
			if err := s.Delete(workspace, r.ID); err != nil {
				return err
			}
			continue
		}
		if err := s.SetBaseline(workspace, writer, r.ID); err != nil {
			return err
		}
		if err := say("named", r.ID); err != nil {
			return err
		}
	}
	return say("done", writer)
}
