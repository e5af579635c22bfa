package execution

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"

	"github.com/google/pprof/profile"

	"spell-lsp/runner/attribution"
	"spell-lsp/runner/children"
	"spell-lsp/spell/capture"
	"spell-lsp/spell/gosource"
	"spell-lsp/spell/regularfile"
)

// A ServingError says why a process did not serve its CPU profile.
type ServingError struct {
	URL string
	Err error
}

func (e *ServingError) Error() string { return fmt.Sprintf("%s: %v", e.URL, e.Err) }
func (e *ServingError) Unwrap() error { return e.Err }

// AttachProfile is Attach for a process that may not be sampled, by CPU profiles that it serves at
// a URL, one for each part, of whole seconds. What they say has no times within a part. Where it runs
// and does not serve one, the error is a *ServingError beside the parts before.
func (m *Meter) AttachProfile(ctx context.Context, p Program, pid int, url, name string, s Sampling, part time.Duration, parts int, complete func(int), model *attribution.Model) (list []*Execution, ended bool, err error) {
	taken := newSampling(s)
	model.Pool()
	w := m.newWatch(p, nil, nil, model)
	w.joined = true
	w.began(pid)
	edges := []int64{taken.cut(monotonic())}
	for len(edges) <= parts && err == nil {
		var served *profile.Profile
		if served, err = serveProfile(ctx, url, part); err == nil {
			taken.addProfile(served, gosource.RuntimeName(p.Path, p.Path), edges[len(edges)-1])
			edges = append(edges, taken.cut(monotonic()))
			complete(len(edges) - 1)
		}
	}
	if ended = err != nil && ctx.Err() == nil && children.Ends(pid); ended || ctx.Err() != nil {
		err = nil // that is why it was not served
	}
	w.ended()
	e := w.stop()
	switch {
	case w.fault != nil && !ended:
		return nil, false, errors.Join(w.fault, err)
	case len(edges) < 2 && err == nil:
		return nil, ended, errors.Join(ErrNoTime, ctx.Err())
	case len(edges) < 2:
		return nil, false, err
	}
	return taken.parts(e, edges, name), ended, err
}

// servePatience is how much longer than the profile its answer may take.
const servePatience = 10 * time.Second

// serveProfile gets a CPU profile of the next part.
func serveProfile(ctx context.Context, url string, part time.Duration) (*profile.Profile, error) {
	ctx, cancel := context.WithTimeout(ctx, part+servePatience)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, fmt.Sprintf("%s?seconds=%d", url, part/time.Second), nil)
	if err != nil {
		return nil, &ServingError{url, err}
	}
	response, err := localClient(sameHost).Do(request)
	if err != nil {
		return nil, &ServingError{url, err}
	}
	defer response.Body.Close() //nolint:errcheck // it was only read
	if response.StatusCode != http.StatusOK {
		said := make([]byte, 200)
		n, _ := io.ReadFull(response.Body, said) // in most cases it is shorter
		return nil, &ServingError{url, fmt.Errorf("%s: %s", response.Status, capture.Text(strings.TrimSpace(string(said[:n]))))}
	}
	served, err := profile.Parse(io.LimitReader(response.Body, regularfile.MaxProfile))
	if err == nil && (len(served.SampleType) != 2 || served.SampleType[1].Type != "cpu") {
		err = errors.New("what it serves is no CPU profile")
	}
	if err != nil {
		return nil, &ServingError{url, err}
	}
	return served, nil
}

// addProfile books the samples of a CPU profile of what followed an edge. main is the import path
// of package main.
func (s *sampling) addProfile(p *profile.Profile, main string, edge int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, one := range p.Sample {
		found := framesOf(one)
		id := s.place(s.placeOf(found, main, isCut(found)))
		s.addSum(id, edge+1, sum{ns: uint64(one.Value[1]), samples: uint64(one.Value[0])})
		s.stats.Samples, s.stats.NS = s.stats.Samples+int(one.Value[0]), s.stats.NS+one.Value[1]
	}
}

// sameHost follows redirects to the same host only: another one is not the process.
func sameHost(to *http.Request, from []*http.Request) error {
	const most = 10
	if to.URL.Hostname() != from[0].URL.Hostname() || len(from) > most {
		return http.ErrUseLastResponse
	}
	return nil
}
