package lsp

import (
	"context"
	"maps"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"go.lsp.dev/protocol"
	"go.lsp.dev/uri"
)

// courtesy is how long after an edit its file is published: what an editor asks for
// at each key is answered first, and keys that come together are published once.
const courtesy = 10 * time.Millisecond

// publishSoon wakes publishLoop.
func (s *session) publishSoon() {
	select {
	case s.wake <- struct{}{}:
	default: // it is about to look anyway
	}
}

// publishPolitely wakes publishLoop when others had time to be served.
func (s *session) publishPolitely() {
	if s.polite.CompareAndSwap(false, true) {
		time.AfterFunc(courtesy, func() {
			s.polite.Store(false)
			s.publishSoon()
		})
	}
}

// flush waits until what is due now was published.
func (s *session) flush(ctx context.Context) {
	done := make(chan struct{})
	s.mu.Lock()
	s.flushes = append(s.flushes, done)
	s.mu.Unlock()
	s.publishSoon()
	select {
	case <-done:
	case <-ctx.Done():
	}
}

// publishLoop publishes the diagnostics of the files that are due. There is
// one such loop, so the last diagnostics of a file that the client gets are
// those of its last state. It is apart from the goroutine that reads because a
// client may write much before it reads again.
func (s *session) publishLoop(ctx context.Context) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-s.wake:
		}
		s.publishDue(ctx)
	}
}

// What the client is told to ask for again.
const (
	diagnosticsAgain = "refreshing diagnostics"
	lensesAgain      = "refreshing code lenses"
	hintsAgain       = "refreshing inlay hints"
)

// publishDue is one turn of publishLoop. Whatever happens, who waits for a flush is
// released.
func (s *session) publishDue(ctx context.Context) {
	t := s.takeDue()
	defer func() {
		for _, f := range t.flushes {
			close(f)
		}
	}()
	defer s.keepGoing()
	if s.publishAll(ctx, &t) {
		s.tasks.Go(ctx, diagnosticsAgain, s.refreshDiagnostics)
	}
	if t.restyle || s.unlike {
		s.unlike = false
		s.client.tellChanged(ctx)
	}
	if t.restyle {
		s.tasks.Go(ctx, lensesAgain, s.client.refreshLenses)
		s.tasks.Go(ctx, hintsAgain, s.client.refreshHints)
	}
}

// lateRefresh is when lenses are refreshed a second time after all was cleared.
const lateRefresh = time.Second

// refreshLate refreshes lenses once more after a while. VS Code waits a little before
// it asks for them, and forgets it where the editor loses the focus meanwhile, as it
// may when a report is closed: lenses of what is no more would stay.
func (s *session) refreshLate(ctx context.Context) {
	select {
	case <-time.After(lateRefresh):
		s.client.refreshLenses(ctx)
	case <-ctx.Done():
	}
}

// A turn is what publishLoop does at once.
type turn struct {
	due       []string
	rewritten map[string]bool // those of due that changed on disk
	related   bool            // callers are told, also if only in diagnostics that are sent
	flushes   []chan struct{}
	restyle   bool
}

// takeDue takes what is to be done in one turn. What changes later is due again.
func (s *session) takeDue() turn {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.flushes) > 0 {
		maps.Copy(s.due, s.later)
		clear(s.later)
	}
	t := turn{due: slices.Sorted(maps.Keys(s.due)), rewritten: s.rewritten, related: s.client.abilities().pulled.related, flushes: s.flushes, restyle: s.restyle}
	clear(s.due)
	s.rewritten, s.flushes, s.restyle = map[string]bool{}, nil, false
	return t
}

// keepGoing is deferred where a panic must not end publishing.
func (s *session) keepGoing() {
	if p := recover(); p != nil {
		_ = s.tasks.Panicked("publishing", p) // nobody waits for it
	}
}

// publishAll publishes files, those first that the user has open, and reports
// whether what the client asked for itself is not true any more.
func (s *session) publishAll(ctx context.Context, t *turn) (again bool) {
	paths := s.openFirst(t.due)
	at := s.locator()
	at.ahead(ctx, paths)
	for _, path := range paths {
		s.client.Room(ctx)
		if ctx.Err() != nil {
			break
		}
		again = s.publishSafely(ctx, path, at, t) || again
	}
	s.mu.Lock()
	s.around = nil // it may be large
	s.mu.Unlock()
	return again
}

// publishSafely publishes a file, and what names its components if that is related
// information. A panic leaves the other files to be published.
func (s *session) publishSafely(ctx context.Context, path string, at *locator, t *turn) (again bool) {
	defer s.keepGoing()
	again = s.publish(ctx, path, at)
	if t.related {
		s.follow(path, at.view(path), t.rewritten[path])
	}
	changed, open := s.relooked(path, at.view(path))
	s.unlike = s.unlike || changed
	if open {
		s.mu.Lock()
		s.restyle = true
		s.mu.Unlock()
		s.publishSoon()
	}
	return again
}

func (s *session) openFirst(paths []string) []string {
	var open, rest []string
	for _, path := range paths {
		if s.document(path) != nil {
			open = append(open, path)
		} else {
			rest = append(rest, path)
		}
	}
	return append(open, rest...)
}

// ahead begins to make the views of files, on the processors that publishing
// leaves: most of the work is parsing.
func (l *locator) ahead(ctx context.Context, paths []string) {
	var next atomic.Int64
	views := make([]func() *view, len(paths))
	for i, path := range paths {
		views[i] = sync.OnceValue(func() *view { return l.session.view(path) })
		l.views[path] = views[i]
	}
	for range min(len(paths), runtime.GOMAXPROCS(0)) - 1 {
		l.session.tasks.Go(ctx, "looking at files", func(ctx context.Context) {
			for i := next.Add(1); int(i) < len(views) && ctx.Err() == nil; i = next.Add(1) {
				views[i]()
			}
		})
	}
}

// Pushes are the files whose diagnostics were sent, and what was. The lock is held
// while they are sent, so that nothing is sent twice or taken back too early; it is
// taken before the session's.
type pushes struct {
	mu    sync.Mutex
	shown map[string]pushed
}

// pushed is what the client was sent of a file.
type pushed struct {
	uri      uri.URI   // what the client was told that the file is called
	document *document // as it stood, nil if it was not open
	id       string    // see resultID; "" if it is not known
}

// publish sends the diagnostics of a file, unless the client asks for those of
// it by itself: then it reports whether it must ask again.
func (s *session) publish(ctx context.Context, path string, at *locator) (again bool) {
	params := protocol.PublishDiagnosticsParams{URI: s.uriOf(path), Diagnostics: []protocol.Diagnostic{}}
	can := s.client.abilities()
	v := at.view(path)
	if v != nil && v.document != nil {
		params.URI = v.document.uri
		if !can.noVersions {
			params.Version = protocol.NewOptional(v.document.version)
		}
	}
	if v != nil && s.pulled(v.document) == nil {
		params.Diagnostics = v.diagnostics(can.pushed, at)
	}
	s.pushes.mu.Lock()
	defer s.pushes.mu.Unlock()
	if v != nil {
		if p := s.pulled(v.document); p != nil { // perhaps only just now
			s.takeBack(ctx, path)
			return s.outdated(p, v, at)
		}
	}
	var d *document
	if v != nil {
		d = v.document
	}
	s.push(ctx, path, d, &params)
	return false
}

// push sends diagnostics, if there are or were any, and the client does not have
// the same already. It is told anew of each version of a document, for some clients
// lose those of a part of the text that is edited, and perhaps a second time. The
// caller holds the lock of pushes.
func (s *session) push(ctx context.Context, path string, d *document, params *protocol.PublishDiagnosticsParams) {
	before, ok := s.pushes.shown[path]
	if !ok && len(params.Diagnostics) == 0 {
		return
	}
	now := pushed{uri: params.URI, document: d}
	if d == nil || ok && before.document == d { // not at each edit: it costs as much as sending them
		if id, err := resultID(params.Diagnostics); err == nil {
			now.id = id
		}
	}
	if ok && now == before && now.id != "" {
		return
	}
	if ok && before.uri != params.URI {
		s.client.publish(ctx, &protocol.PublishDiagnosticsParams{URI: before.uri, Diagnostics: []protocol.Diagnostic{}})
	}
	s.client.publish(ctx, params)
	if len(params.Diagnostics) == 0 {
		delete(s.pushes.shown, path)
		return
	}
	if s.pushes.shown == nil {
		s.pushes.shown = map[string]pushed{}
	}
	s.pushes.shown[path] = now
}

// takeBack takes back the diagnostics that were sent for a file. The caller
// holds the lock of pushes.
func (s *session) takeBack(ctx context.Context, path string) {
	if before, ok := s.pushes.shown[path]; ok {
		s.client.publish(ctx, &protocol.PublishDiagnosticsParams{URI: before.uri, Diagnostics: []protocol.Diagnostic{}})
		delete(s.pushes.shown, path)
	}
}
