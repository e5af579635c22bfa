// Package config says what is configured for a folder: what its configuration file says,
// over that what the client says, and of both, where the workspace is not trusted, the
// harmless part only. It keeps what the client has said and what the user has been told
// of it; it asks nobody and shows nothing.
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

// answerWait is how long a client is waited for that was asked for its settings.
const answerWait = 3 * time.Second

// A Config is what is configured in one session. Its methods may be called by several
// goroutines.
type Config struct {
	files files

	mu      sync.Mutex
	client  client            // replaced, never changed
	told    json.RawMessage   // by a notification since the client last answered: of use if it cannot be asked
	asked   int               // counts questions: only the answer to the last one counts
	ready   chan struct{}     // closed when the answer to the last question is there
	bad     map[string]string // what is wrong with the settings of a folder, by its path
	shown   map[string]bool   // of that what the user has seen
	ignored map[string]bool   // keys of settings that need trust, once the user was told so
}

// A client is what a client configures, later over earlier.
type client struct {
	trusted bool
	initial json.RawMessage // with initialize
	Answers
}

// Answers are a client's settings: of the window, and in place of these of each folder
// that it was asked for, by the folder's path.
type Answers struct {
	Window  json.RawMessage
	Folders map[string]json.RawMessage
}

// A Result is what is configured for a folder.
type Result struct {
	Settings settings.Settings
	Ignored  []string // keys of settings that are not read for want of trust
	Err      error    // what is wrong; nothing may be measured by the Settings then
}

// New makes the configuration of a client that has said nothing yet, which is trusted.
func New() *Config {
	return &Config{
		client: client{trusted: true}, ready: make(chan struct{}),
		bad: map[string]string{}, shown: map[string]bool{}, ignored: map[string]bool{},
	}
}

// Initialize takes what the client says of itself before it is asked anything.
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

// In resolves the settings of a folder that is in the given open folder, which is ""
// for none, and notes what is wrong with them.
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

// Over lays what the client says over other settings, for an open folder, which is ""
// for none. It returns base where what the client says is wrong.
func (c *Config) Over(base settings.Settings, open string) (settings.Settings, error) {
	return c.current().over(base, open)
}

// CheckWindow says what is wrong with the settings of a window without folders.
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

// Tell takes what a notification says of the settings of all servers. Where those of
// others are all, it changes nothing.
func (c *Config) Tell(all json.RawMessage) {
	own := sectionOf(all)
	if own == nil {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.told = own
}

// sectionOf finds the server's settings among all that a client tells: by the
// name of their section, or without it. It is nil if those of others are all.
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

// Ask numbers a question to the client. It must be called in the order of the wire.
func (c *Config) Ask() (question int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.asked++
	select {
	case <-c.ready:
		c.ready = make(chan struct{})
	default: // there are those who wait already
	}
	return c.asked
}

// Answer takes the answer to a question, and reports whether it counts: it does not if
// the client was asked again since. Without an answer, which is nil, what is known
// stays; of a client that cannot be asked it is what it has told.
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

// Await waits until the client has answered, or ctx ends, but not for long: the client
// may never do so. It reports whether that was too long.
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

// Bad lists the folders with whose settings something was wrong, sorted. "" stands for a
// window without folders.
func (c *Config) Bad() []string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return slices.Sorted(maps.Keys(c.bad))
}

// Forget forgets what was wrong with the settings of a folder, which was closed.
func (c *Config) Forget(dir string) { c.assess(dir, nil) }

// assess notes what is wrong with the settings of a folder, nil for nothing. Who
// mends a mistake and makes it again is to be told again.
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

// Complain reports whether the user is to be told what is wrong: once until it is
// mended.
func (c *Config) Complain(err error) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	seen := c.shown[err.Error()]
	c.shown[err.Error()] = true
	return !seen
}

// NewlyIgnored is what of the keys that are not read the user was not told yet, and
// takes it for told.
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
