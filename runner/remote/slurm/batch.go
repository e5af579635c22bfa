package slurm

import (
	"context"
	"sync"

	"spell-lsp/runner"
	"spell-lsp/spell/record"
)

// A Result is what [runner.Measure] returned.
type Result struct {
	Run *record.Run
	Err error
}

// MeasureAll measures as [runner.Measure] does, all by one array job. They are built here one after another, and
// what is built stays until the job is over.
func (s *Site) MeasureAll(ctx context.Context, all []runner.Params) []Result {
	b := newBatch(s, len(all))
	return b.each(ctx, func(i int) (*record.Run, error) {
		p := all[i]
		p.Site = b
		return runner.Measure(ctx, p)
	})
}

// A batch is a site that submits its jobs once all its measurements have one, or have ended.
type batch struct {
	*Site
	building chan struct{} // full while something is built

	mutex   sync.Mutex
	array   *array // that is being filled
	active  int    // measurements that have not ended
	waiting []request

	carryOut func(context.Context, *array, []request) // answers the requests; tests have another
}

func newBatch(s *Site, n int) *batch {
	return &batch{Site: s, building: make(chan struct{}, 1), active: n, carryOut: carryOutFor}
}

// each calls measure for each measurement of the batch.
func (b *batch) each(ctx context.Context, measure func(i int) (*record.Run, error)) []Result {
	results := make([]Result, b.active)
	var group sync.WaitGroup
	for i := range results {
		group.Go(func() {
			b.building <- struct{}{}
			defer b.leave(ctx)
			results[i].Run, results[i].Err = measure(i)
		})
	}
	group.Wait()
	return results
}

// A request is a measurement that waits for its part of an array.
type request struct {
	*share
	answer chan Result
}

// Measure is as of [runner.Site].
func (b *batch) Measure(ctx context.Context, j runner.Job) (*record.Run, error) {
	r, err := b.request(ctx, j)
	if err != nil {
		return nil, err
	}
	<-b.building
	result := <-r.answer
	b.building <- struct{}{}
	return result.Run, result.Err
}

// request adds a job to the array. With the last one it is submitted.
func (b *batch) request(ctx context.Context, j runner.Job) (r request, err error) {
	b.mutex.Lock()
	defer b.mutex.Unlock()
	if b.array == nil {
		if b.array, err = b.newArray(); err != nil {
			return r, err
		}
	}
	m, err := b.array.share(ctx, j)
	if err != nil {
		return r, err
	}
	r = request{m, make(chan Result, 1)}
	b.waiting = append(b.waiting, r)
	b.submitLast(ctx)
	return r, nil
}

// leave says that a measurement has ended.
func (b *batch) leave(ctx context.Context) {
	<-b.building
	b.mutex.Lock()
	defer b.mutex.Unlock()
	b.active--
	b.submitLast(ctx)
}

// submitLast submits the array if nothing is built any more.
func (b *batch) submitLast(ctx context.Context) {
	if b.active > len(b.waiting) || b.array == nil {
		return
	}
	if len(b.waiting) == 0 { // none could be written
		b.array.remove()
		b.array = nil
		return
	}
	go b.carryOut(ctx, b.array, b.waiting)
	b.array, b.waiting = nil, nil
}

// carryOutFor answers the requests of an array.
func carryOutFor(ctx context.Context, a *array, all []request) {
	results := make([]Result, len(all))
	done, cause := a.carryOut(ctx, all[0].job.Progress)
	for i, r := range all {
		results[i].Run, results[i].Err = a.result(ctx, r.share, done, cause)
	}
	a.remove()
	for i, r := range all {
		r.answer <- results[i]
	}
}
