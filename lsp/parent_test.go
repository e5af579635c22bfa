package lsp_test

import (
	"os"
	"os/exec"
	"testing"

	"spell-lsp/internal/lsptest"
)

// sleeper starts a process in the role of the editor.
func sleeper(t *testing.T) *exec.Cmd {
	t.Helper()
	cmd := exec.Command("sleep", "1000")
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { kill(cmd) })
	return cmd
}

func kill(cmd *exec.Cmd) {
	_ = cmd.Process.Kill() // it may be gone
	_ = cmd.Wait()         // it was killed
}

// When the editor is killed, one of its children may hold the stream open. The server must end
// all the same, after its measurement has ended.
func TestEndOfTheEditorsProcess(t *testing.T) {
	editor := sleeper(t)
	e, s, m, call := startSlow(t, func(e *lsptest.Editor) { e.ProcessID = editor.Process.Pid })
	e.MustCall("textDocument/hover", anywhere)
	kill(editor)
	e.Gone()
	if err := s.wait(); err != nil {
		t.Errorf("Serve: %v", err)
	}
	if n := m.cleaned.Load(); n != 1 {
		t.Errorf("%d measurements have ended before the server", n)
	}
	<-call.Done()
}

// The process ID in initialize may be that of a process on another machine. If there is no such
// process at the start, the server does not end.
func TestUnknownEditorProcess(t *testing.T) {
	gone := sleeper(t)
	kill(gone)
	for _, pid := range []int{gone.Process.Pid, os.Getpid(), 1 << 30, -1} {
		e, s := serve(t, lspOptions(newLab(nil)))
		e.ProcessID = pid
		e.Start()
		e.Settle()
		e.MustCall("textDocument/hover", anywhere)
		e.Quit()
		if err := s.wait(); err != nil {
			t.Errorf("process %d: %v", pid, err)
		}
	}
}
