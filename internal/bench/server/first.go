package main

import (
	"context"
	"time"

	"spell-lsp/internal/bench/harness"
)

// firstLoads is how many servers load the large run.
const firstLoads = 10

// first times a hover requested as soon as a large run is loaded, while the open files
// get their diagnostics.
func (b *bench) first(ctx context.Context) (*harness.Table, error) {
	t := &harness.Table{
		Title:  "The first hover after a large run was loaded",
		About:  "Asked for when the answer to the load has come; a new server each time. Milliseconds.",
		Header: []string{"hover", "times", "median", "p99", "longest"},
	}
	name, err := b.large.save()
	if err != nil {
		return nil, err
	}
	var hovers []time.Duration
	for i := range firstLoads {
		harness.Progress("first: %d of %d", i, firstLoads)
		took, err := b.firstHover(ctx, name)
		if err != nil {
			return nil, err
		}
		hovers = append(hovers, took)
	}
	t.Row(append([]string{"first"}, spread(hovers)...)...)
	t.AtMost("first hover, median, ms", "%.1f", inMS(harness.Median(hovers)), inMS(latencyBar))
	return t, nil
}

func (b *bench) firstHover(ctx context.Context, run string) (time.Duration, error) {
	o, err := b.spell(ctx, session{folders: []string{b.large.dir}, watch: true})
	if err != nil {
		return 0, err
	}
	defer o.quit(ctx)
	d, err := o.openFile(b.large.files[0])
	if err == nil {
		err = o.load(ctx, run)
	}
	if err != nil {
		return 0, err
	}
	asked := time.Now()
	a, err := o.ask(ctx, "textDocument/hover", map[string]any{"textDocument": d.id(), "position": d.name(0)})
	return a.at.Sub(asked), err
}
