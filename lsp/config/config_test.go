package config

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"spell-lsp/spell/settings"
)

// A client that is slow is waited for, one that never answers is not waited for forever,
// and the answer to an earlier question does not end the wait.
func TestAwait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := New()
		first := c.Ask()
		begun := time.Now()
		if late := c.Await(t.Context()); !late || time.Since(begun) != answerWait {
			t.Errorf("a client that never answers: late %v after %v", late, time.Since(begun))
		}
		second := c.Ask()
		waited := make(chan bool)
		go func() { waited <- c.Await(t.Context()) }()
		synctest.Wait()
		if c.Answer(first, &Answers{Window: json.RawMessage(`{"meter":"rapl"}`)}, true) {
			t.Error("the answer to an earlier question counts")
		}
		synctest.Wait()
		select {
		case <-waited:
			t.Fatal("the answer to an earlier question ends the wait")
		default:
		}
		if !c.Answer(second, &Answers{Window: json.RawMessage(`{"meter":"model"}`)}, true) {
			t.Error("the answer to the last question does not count")
		}
		if late := <-waited; late {
			t.Error("the answer was there in time")
		}
		if got := c.In(t.TempDir(), "").Settings.Meter; got != "model" {
			t.Errorf("meter %q", got)
		}
		c.Ask()
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if late := c.Await(ctx); late {
			t.Error("a cancelled wait reports that the answer is late")
		}
	})
}

// The nearest configuration file counts, up to the open folder and not above it.
func TestFileDir(t *testing.T) {
	root := t.TempDir()
	open, inner := filepath.Join(root, "open"), filepath.Join(root, "open", "a", "b")
	if err := os.MkdirAll(inner, 0o700); err != nil {
		t.Fatal(err)
	}
	put := func(dir string) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(dir, settings.FileName), []byte("meter: rapl\n"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	put(root)
	if got := FileDir(inner, open); got != inner {
		t.Errorf("a file above the open folder counts: %s", got)
	}
	put(open)
	if got := FileDir(inner, open); got != open {
		t.Errorf("the file of the open folder is not found: %s", got)
	}
	put(filepath.Dir(inner))
	if got := FileDir(inner, open); got != filepath.Dir(inner) {
		t.Errorf("the nearest file is not found: %s", got)
	}
	if got := FileDir(inner, ""); got != inner {
		t.Errorf("where no folder is open: %s", got)
	}
}

// An error is shown once, and again when it comes back after it was mended.
func TestComplain(t *testing.T) {
	c, dir := New(), t.TempDir()
	answer := func(text string) error {
		c.Answer(c.Ask(), &Answers{Window: json.RawMessage(text)}, true)
		return c.In(dir, dir).Err
	}
	for i, step := range []struct {
		settings  string
		bad, show bool
	}{
		{`{"metre":1}`, true, true}, {`{"metre":1}`, true, false}, {`{}`, false, false}, {`{"metre":1}`, true, true},
	} {
		err := answer(step.settings)
		if (err != nil) != step.bad || len(c.Bad()) > 0 != step.bad {
			t.Fatalf("step %d: %v, bad folders %v", i, err, c.Bad())
		}
		if err != nil && c.Complain(err) != step.show {
			t.Errorf("step %d: the error is shown: %v", i, !step.show)
		}
	}
	c.Forget(dir)
	if len(c.Bad()) > 0 {
		t.Error("a folder that was closed is still bad")
	}
	if !c.Complain(errors.New("another")) {
		t.Error("another error is not shown")
	}
}

// Where the workspace is not trusted, settings that need trust are left out and named once.
func TestUntrusted(t *testing.T) {
	c, dir := New(), t.TempDir()
	c.Initialize(false, json.RawMessage(`{"meter":"model","tags":["x"]}`))
	got := c.In(dir, dir)
	if got.Err != nil || c.Trusted() || len(got.Ignored) == 0 {
		t.Fatalf("%+v", got)
	}
	if news := c.NewlyIgnored(got.Ignored); !slices.Equal(news, got.Ignored) {
		t.Errorf("told: %q of %q", news, got.Ignored)
	}
	if news := c.NewlyIgnored(got.Ignored); len(news) > 0 {
		t.Errorf("told again: %q", news)
	}
}

// Nearly every request needs the settings: a file that did not change is not read again.
// One that changed just now may do so again within the same step of the file system's
// clock.
func TestSettingsFileIsReadOnce(t *testing.T) {
	for _, c := range []struct {
		why          string
		first, later time.Duration // how long ago it was changed
		want         string
	}{
		{"nothing tells of a change", 2 * time.Hour, 2 * time.Hour, "none"},
		{"another time", 2 * time.Hour, time.Hour, "rapl"},
		{"a file that is younger than a step of the clock", -time.Hour, -time.Hour, "rapl"},
	} {
		var f files
		dir, now := t.TempDir(), time.Now()
		for _, step := range []struct {
			meter string
			ago   time.Duration
			want  string
		}{{"none", c.first, "none"}, {"rapl", c.later, c.want}} {
			file := filepath.Join(dir, settings.FileName)
			if err := os.WriteFile(file, []byte("meter: "+step.meter+"\n"), 0o600); err != nil {
				t.Fatal(err)
			}
			if err := os.Chtimes(file, now.Add(-step.ago), now.Add(-step.ago)); err != nil {
				t.Fatal(err)
			}
			if got, err := f.load(dir); err != nil || got.Meter != step.want {
				t.Errorf("%s: meter %q, must be %q (%v)", c.why, got.Meter, step.want, err)
			}
		}
	}
}
