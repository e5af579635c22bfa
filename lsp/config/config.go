// Package config resolves the settings of a folder. The layers are, later over earlier: the
// defaults, the configuration file, the client's initialization options, and the settings
// that the client tells or answers. Where the workspace is not trusted, settings that need
// trust are left out. The package keeps what the client has said and which problems
// the user has seen; it asks nobody and shows nothing.
package config

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"spell-lsp/spell/settings"
)

// Section is what the server's settings are called in an editor.
const Section = "spell"

// answerWait is how long work waits for a client that was asked for its settings.
const answerWait = 3 * time.Second

// A Config is the configuration of one session. Its methods may be called by several
// goroutines.
type Config struct {
	files files

	mu      sync.Mutex
	client  client            // immutable; replaced as a whole
	told    json.RawMessage   // by a notification since the last answer; counts if the client cannot be asked
	asked   int               // number of questions so far; only the answer to the last one counts
	ready   chan struct{}     // closed when the last question is answered
	bad     map[string]string // errors in the settings of folders, by path; "" for a window without folders
	shown   map[string]bool   // those errors that the user has seen
	ignored map[string]bool   // keys of settings that the user knows to be ignored
}

// A client is what a client has said. It does not change.
type client struct {
	trusted bool
	initial json.RawMessage // with initialize
	Answers
}

// Answers are the settings with which a client answers: those of the window and, in place
// of them, those of folders, by path.
type Answers struct {
	Window  json.RawMessage
	Folders map[string]json.RawMessage
}

// A Result is the configuration of a folder. It does not change.
type Result struct {
	Settings settings.Settings
	Ignored  []string // keys of settings that are left out because the workspace is not trusted
	Err      error    // what is wrong with the settings; nothing may be measured with them
}

// New returns the configuration of a client that has said nothing yet. Its workspace is
// trusted.
func New() *Config {
	return &Config{
		client: client{trusted: true}, ready: make(chan struct{}),
		bad: map[string]string{}, shown: map[string]bool{}, ignored: map[string]bool{},
	}
}

// Initialize records what the client says with the request initialize.
func (c *Config) Initialize(trusted bool, initial json.RawMessage) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.client = client{trusted: trusted, initial: initial}
}

// Trusted reports whether the user trusts the workspace.
func (c *Config) Trusted() bool { return c.current().trusted }

func (c *Config) current() client {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.client
}

// In resolves the settings of a folder inside the open folder open, which is "" if there
// is none, and records what is wrong with them.
func (c *Config) In(dir, open string) Result {
	now := c.current()
	found, err := c.files.load(FileDir(dir, open))
	if err == nil {
		found, err = now.over(found, open)
	}
	c.assess(dir, err)
	if err != nil || now.trusted {
		return Result{Settings: found, Err: err}
	}
	harmless, ignored := found.WithoutTrust()
	return Result{Settings: harmless, Ignored: ignored}
}

// Over applies the settings of the client to base. If they are wrong it returns base and
// the error.
func (c *Config) Over(base settings.Settings, open string) (settings.Settings, error) {
	return c.current().over(base, open)
}

// CheckWindow returns what is wrong with the settings of a window without folders.
func (c *Config) CheckWindow() error {
	_, err := c.Over(settings.Default(), "")
	c.assess("", err)
	return err
}

func (c client) over(base settings.Settings, open string) (settings.Settings, error) {
	current := c.Window
	if of, ok := c.Folders[open]; ok && string(of) != "null" {
		current = of
	}
	result, err := settings.ParseJSON(c.initial, base)
	if err != nil {
		return base, fmt.Errorf("initialization options: %w", err)
	}
	result, err = settings.ParseJSON(current, result)
	if err != nil {
		return base, fmt.Errorf("settings: %w", err)
	}
	return result, nil
}

// Tell records the settings of a notification, which may be those of all servers. A
// notification without settings of this server is ignored.
func (c *Config) Tell(all json.RawMessage) {
	own := sectionOf(all)
	if own == nil {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.told = own
}

// sectionOf returns the settings of this server among all that a client tells, with or
// without the name of the section, or nil.
func sectionOf(all json.RawMessage) json.RawMessage {
	var group map[string]json.RawMessage
	if json.Unmarshal(all, &group) != nil {
		return nil
	}
	if own, ok := group[Section]; ok {
		return own
	}
	for _, k := range settings.Keys() {
		top, _, _ := strings.Cut(k.Name, ".")
		if _, ok := group[top]; ok {
			return all
		}
	}
	return nil
}

// Ask numbers a question to the client. Questions must be numbered in the order in which
// the client sees them.
func (c *Config) Ask() (question int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.asked++
	select {
	case <-c.ready:
		c.ready = make(chan struct{})
	default: // the question before is not answered yet
	}
	return c.asked
}

// Answer records the answer to a question, and reports whether it counts: it does not if
// the client was asked again since. given is nil if there was no answer; then the
// settings stay as they are, or become those that the client told if it cannot be asked.
func (c *Config) Answer(question int, given *Answers, canBeAsked bool) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.asked != question {
		return false
	}
	switch {
	case given != nil:
		c.client.Answers, c.told = *given, nil
	case !canBeAsked && c.told != nil:
		c.client.Answers = Answers{Window: c.told}
	}
	close(c.ready)
	return true
}

// Await waits until the last question is answered or ctx ends. It gives up after 3 s,
// because a client may never answer, and then returns true.
func (c *Config) Await(ctx context.Context) (late bool) {
	limit := time.After(answerWait)
	for {
		c.mu.Lock()
		ready := c.ready
		c.mu.Unlock()
		select {
		case <-ready:
		case <-ctx.Done():
			return false
		case <-limit:
			return true
		}
		c.mu.Lock()
		last := c.ready == ready
		c.mu.Unlock()
		if last {
			return false
		}
	}
}

// Bad lists the folders whose settings are wrong, sorted.
func (c *Config) Bad() []string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return slices.Sorted(maps.Keys(c.bad))
}

// Forget drops what was wrong with the settings of a folder that was closed.
func (c *Config) Forget(dir string) { c.assess(dir, nil) }

// assess records the error in the settings of a folder, or nil. An error that disappears
// and comes back is to be shown again.
func (c *Config) assess(dir string, err error) {
	text := ""
	if err != nil {
		text = err.Error()
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	was := c.bad[dir]
	switch text {
	case was:
		return
	case "":
		delete(c.bad, dir)
	default:
		c.bad[dir] = text
	}
	if !slices.Contains(slices.Collect(maps.Values(c.bad)), was) {
		delete(c.shown, was)
	}
}

// Complain reports whether the user has to be shown an error, and marks it as shown.
func (c *Config) Complain(err error) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	seen := c.shown[err.Error()]
	c.shown[err.Error()] = true
	return !seen
}

// NewlyIgnored returns those of the keys that the user has not been told of, and marks
// them as told.
func (c *Config) NewlyIgnored(keys []string) []string {
	c.mu.Lock()
	defer c.mu.Unlock()
	var news []string
	for _, k := range keys {
		if !c.ignored[k] {
			news = append(news, k)
			c.ignored[k] = true
		}
	}
	return news
}
