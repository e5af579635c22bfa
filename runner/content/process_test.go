package content

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"spell-lsp/internal/childtest"
)

// The first argument makes the test binary another process that uses a store.
const (
	holder = "hold-the-store"
	sender = "send-to-the-store"
	reader = "read-the-workspace"
)

var roles = map[string]func(dir string) error{holder: hold, sender: sendAll, reader: read}

func TestMain(m *testing.M) {
	if len(os.Args) < 3 {
		os.Exit(m.Run())
	}
	work := roles[os.Args[1]]
	if work == nil {
		os.Exit(m.Run())
	}
	if err := work(os.Args[2]); err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
}

// hold opens a store until its input ends.
func hold(dir string) error {
	s, err := OpenStore(context.Background(), dir)
	if err != nil {
		return err
	}
	fmt.Println("open")
	_, _ = bufio.NewReader(os.Stdin).ReadString('\n') // whatever ends it
	s.Close()
	fmt.Println("closed")
	_, _ = bufio.NewReader(os.Stdin).ReadString('\n')
	return nil
}

const (
	contents = 50
	times    = 20
)

// sendAll is the part of many measurements that concerns the store, and trims it after each.
func sendAll(dir string) error {
	for i := range times {
		if err := sendOnce(dir, i); err != nil {
			return err
		}
		if _, err := Trim(dir, 5); err != nil {
			return err
		}
	}
	return nil
}

// sendOnce sends contents and lays them out.
func sendOnce(dir string, round int) error {
	s, err := OpenStore(context.Background(), dir)
	if err != nil {
		return err
	}
	defer s.Close()
	var tree Tree
	texts := make(map[string]string)
	for i := range contents {
		text := fmt.Sprint((i + round) % (contents + 10))
		hash := hashOf([]byte(text))
		texts[hash] = text
		tree.Entries = append(tree.Entries, Entry{Path: fmt.Sprintf("f%d", i), Kind: File, Perm: 0o644, Size: int64(len(text)), Hash: hash})
	}
	for _, hash := range s.Missing(tree.Hashes()) {
		if err := s.Put(hash, int64(len(texts[hash])), strings.NewReader(texts[hash])); err != nil {
			return err
		}
	}
	to, err := os.MkdirTemp(filepath.Dir(dir), "laid-")
	if err != nil {
		return err
	}
	return s.Lay(tree, to)
}

func read(dir string) error {
	_, err := Scan(context.Background(), dir, Options{Ignored: true})
	return err
}

// Two measurements use one store. While one of them may still need content that was there when it
// asked, the other removes none, however small the limit is; a killed one keeps nobody waiting.
func TestOpenStoresKeepTheirContent(t *testing.T) {
	for name, end := range map[string]func(c *childtest.Child) error{
		"closed": func(c *childtest.Child) error {
			_, err := c.In.Write([]byte("\n"))
			line, err2 := c.Out.ReadString('\n')
			if line != "closed\n" {
				err2 = errors.Join(err2, fmt.Errorf("it printed %q", line))
			}
			return errors.Join(err, err2)
		},
		"killed": func(c *childtest.Child) error {
			err := c.Process.Kill()
			_ = c.Wait() // it says that it was killed
			return err
		},
	} {
		t.Run(name, func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), "store")
			s := openStore(t, dir)
			hash := put(t, s, "x")
			s.Close()
			other := childtest.Start(t, exec.Command(os.Args[0], holder, dir))
			if other.First != "open" {
				t.Fatal(other.First)
			}
			if removed, err := Trim(dir, 0); removed != 0 || err != nil {
				t.Errorf("while another process has the store open: removed %d, %v", removed, err)
			}
			if s := openStore(t, dir); !s.Has(hash) {
				t.Error("the content is gone")
			} else {
				s.Close()
			}
			if err := end(other); err != nil {
				t.Fatal(err)
			}
			if removed, err := Trim(dir, 0); removed != 1 || err != nil {
				t.Errorf("when it has not: removed %d, %v", removed, err)
			}
		})
	}
}

// Processes that send the same content and trim the store at the same time do not disturb each other.
func TestSeveralProcesses(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "store")
	var children []*exec.Cmd
	var said [3]strings.Builder
	for i := range said {
		c := exec.CommandContext(t.Context(), os.Args[0], sender, dir)
		c.Stdout, c.Stderr = &said[i], &said[i]
		if err := c.Start(); err != nil {
			t.Fatal(err)
		}
		children = append(children, c)
	}
	for i, c := range children {
		if err := c.Wait(); err != nil {
			t.Errorf("%v: %s", err, said[i].String())
		}
	}
	laid, err := filepath.Glob(filepath.Join(filepath.Dir(dir), "laid-*"))
	if len(laid) != len(said)*times || err != nil {
		t.Errorf("%d trees were laid out, %v", len(laid), err)
	}
	for _, l := range laid {
		if names, err := os.ReadDir(l); len(names) != contents || err != nil {
			t.Errorf("%s has %d files, %v", l, len(names), err)
		}
	}
}
