package execution

import (
	"bytes"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"net/http"
	"regexp"
	"time"

	"spell-lsp/runner/scenario"
)

// readyPatience is how long a program may take to be ready.
var readyPatience = time.Minute

const (
	readyPoll = 20 * time.Millisecond
	readyTry  = time.Second // for one attempt
)

// unanswered returns an error where something answers already, before the program is started: it
// would be taken for the program.
func unanswered(ctx context.Context, r *scenario.Ready) *ScenarioError {
	if r == nil || r.Line != nil {
		return nil
	}
	if answers(ctx, r) != nil {
		return nil //nolint:nilerr // nobody has it
	}
	return &ScenarioError{What: fmt.Sprintf("something answers at %s before the program is started: end it, or let the program use another port", r)}
}

// answers tries once whether the program is ready; the error says why it is not.
func answers(ctx context.Context, r *scenario.Ready) error {
	ctx, cancel := context.WithTimeout(ctx, readyTry)
	defer cancel()
	if r.Address != "" {
		conn, err := (&net.Dialer{}).DialContext(ctx, "tcp", r.Address)
		if err == nil {
			err = conn.Close()
		}
		return err
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, r.URL, nil)
	if err != nil {
		return err
	}
	here := func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse } // a redirect is an answer
	response, err := localClient(here).Do(request)
	if err != nil {
		return err
	}
	if err := response.Body.Close(); err != nil {
		return err
	}
	if response.StatusCode >= http.StatusInternalServerError {
		return errors.New(response.Status)
	}
	return nil
}

// localClient asks programs on this machine, which have certificates of their own: any will do. No
// connection is kept. redirected is told of each redirect.
func localClient(redirected func(to *http.Request, from []*http.Request) error) *http.Client {
	return &http.Client{
		Transport:     &http.Transport{DisableKeepAlives: true, TLSClientConfig: &tls.Config{InsecureSkipVerify: true}}, //nolint:gosec // as above
		CheckRedirect: redirected,
	}
}

// awaitReady waits until the program is ready, and begins the measured time. It returns what the
// groups of the expression matched. ctx ends with the program.
func (c *conductor) awaitReady(ctx context.Context) (groups []string, fault *ScenarioError) {
	if c.Ready == nil {
		return nil, nil
	}
	limit := time.NewTimer(readyPatience)
	defer limit.Stop()
	ready := make(<-chan []string)
	try := make(<-chan time.Time)
	if c.found != nil {
		ready = c.found
	} else {
		ticker := time.NewTicker(readyPoll)
		defer ticker.Stop()
		try = ticker.C
	}
	for {
		select {
		case groups = <-ready:
			return groups, c.begin()
		case <-try:
			if answers(ctx, c.Ready) == nil {
				return nil, c.begin()
			}
		case <-limit.C:
			return c.lastLook(ctx)
		case <-ctx.Done():
			return nil, c.neverReady()
		}
	}
}

// lastLook decides when the patience is over. On a busy machine this process, too, may have had to
// wait, so that the look before is long ago.
func (c *conductor) lastLook(ctx context.Context) (groups []string, fault *ScenarioError) {
	why := ""
	if c.found != nil {
		select {
		case groups = <-c.found:
			return groups, c.begin()
		default:
		}
	} else {
		err := answers(ctx, c.Ready)
		if err == nil {
			return nil, c.begin()
		}
		why = ": " + err.Error()
	}
	if ctx.Err() != nil {
		return nil, c.neverReady()
	}
	return nil, &ScenarioError{fmt.Sprintf("it was not ready after %v: it was to show %s%s", readyPatience, c.Ready, why), true}
}

// neverReady is the error of a program that has ended before.
func (c *conductor) neverReady() *ScenarioError {
	return &ScenarioError{fmt.Sprintf("it ended before it was ready (%s)", c.Ready), true}
}

// begin begins the measured time.
func (c *conductor) begin() *ScenarioError {
	from, err := c.moment(monotonic())
	if err != nil {
		return &ScenarioError{What: err.Error()}
	}
	c.from = from
	return nil
}

// A lineFinder looks for the first line that matches.
type lineFinder struct {
	expression *regexp.Regexp // nil when it was found
	line       []byte
	found      chan []string // gets what the groups matched, the first that did
}

// longestLine bounds what is kept of a line that does not end.
const longestLine = 64 << 10

// add takes what is printed. A line counts when it has ended: before, a group could be cut.
func (f *lineFinder) add(text []byte) {
	for f.expression != nil && len(text) > 0 {
		piece, rest, ended := bytes.Cut(text, []byte("\n"))
		text = rest
		f.line = append(f.line, piece[:min(len(piece), longestLine-len(f.line))]...)
		if !ended {
			break
		}
		if groups := f.expression.FindSubmatch(f.line); groups != nil {
			list := make([]string, len(groups))
			for i, g := range groups {
				list[i] = string(g)
			}
			select {
			case f.found <- list:
			default: // the other stream was first
			}
			f.expression = nil
		}
		f.line = f.line[:0]
	}
}
