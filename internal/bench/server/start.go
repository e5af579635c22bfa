package main

import (
	"context"
	"time"

	"spell-lsp/internal/bench/harness"
)

const startBar = 50 * time.Millisecond

// start times a server from before its process exists to its answer to
// initialize. Both are started in turns; the first start of each warms the
// file cache and does not count.
func (b *bench) start(ctx context.Context) (*harness.Table, error) {
	t := &harness.Table{
		Title:  "Start: from the process to the answer to initialize",
		About:  "The folder is that of the large module. The files that a server is made of are in the file cache. Milliseconds.",
		Header: []string{"server", "starts", "median", "p99", "longest"},
	}
	s := session{folders: []string{b.large.dir}, watch: true}
	var own, peer []time.Duration
	for i := range b.starts + 1 {
		if i%10 == 0 {
			harness.Progress("start: %d of %d", i, b.starts)
		}
		took, err := startOnce(ctx, b.spell, s)
		if err != nil {
			return nil, err
		}
		if i > 0 {
			own = append(own, took)
		}
		if b.gopls == "" {
			continue
		}
		if took, err = startOnce(ctx, b.peer, s); err != nil {
			return nil, err
		}
		if i > 0 {
			peer = append(peer, took)
		}
	}
	t.Row(append([]string{"spell-lsp"}, spread(own)...)...)
	if b.gopls != "" {
		t.Row(append([]string{"gopls"}, spread(peer)...)...)
	}
	t.AtMost("initialize, p99, ms", "%.1f", inMS(p99(own)), inMS(startBar))
	return t, nil
}

func startOnce(ctx context.Context, start starter, s session) (time.Duration, error) {
	o, err := start(ctx, s)
	if err != nil {
		return 0, err
	}
	defer o.quit(ctx)
	return o.ready.Sub(o.started), nil
}
