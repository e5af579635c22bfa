package remote

import (
	"compress/gzip"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"

	"spell-lsp/instrument"
	"spell-lsp/runner"
	"spell-lsp/runner/content"
	"spell-lsp/runner/execution"
	"spell-lsp/runner/sampler"
	"spell-lsp/spell/note"
	"spell-lsp/spell/ownership"
	"spell-lsp/spell/record"
	"spell-lsp/spell/regularfile"
)

// The files of bundles.
const (
	bundledJob     = "job.%d.json.gz"
	bundledContent = "content" // of all bundles of a folder
)

// WriteBundle writes a job into a folder, with all that machines need that carry it out without a connection,
// where [Bundled.Measure] does. A folder may have several bundles: number is that of this one. name is that of the
// machines, for messages; with ignored, files that git ignores go along. The folder is made if it is missing; only
// this user may be able to change it.
func WriteBundle(ctx context.Context, dir string, number int, name string, ignored bool, j runner.Job) error {
	p := packing{name: name, ignored: ignored}
	message, err := p.pack(ctx, &j)
	if err != nil {
		return err
	}
	if err := p.addCounting(ctx, message, &j); err != nil {
		return err
	}
	store, err := content.OpenStore(ctx, filepath.Join(dir, bundledContent))
	if err != nil {
		return err
	}
	defer store.Close()
	for _, hash := range store.Missing(message.hashes()) {
		if err := p.put(ctx, store, hash); err != nil {
			return err
		}
	}
	return writeJob(filepath.Join(dir, fmt.Sprintf(bundledJob, number)), message)
}

// addCounting builds the programs that count calls now, as nobody can be asked for them later.
func (p *packing) addCounting(ctx context.Context, message *job, j *runner.Job) error {
	if j.Params.Mode != runner.ModeSample || !j.Params.Counts {
		return nil
	}
	var pkgs []instrument.Package
	for _, of := range j.Programs {
		pkgs = append(pkgs, of.Package)
	}
	built, said, err := j.Supply.Counting(ctx, pkgs)
	message.CountingSaid = said
	if err != nil {
		message.CountingError = err.Error()
		return ctx.Err()
	}
	message.Counting, err = p.add(ctx, built)
	return err
}

// hashes are those of all content of a job.
func (j *job) hashes() (all []string) {
	for _, f := range j.Folders {
		all = append(all, f.Tree.Hashes()...)
	}
	for _, p := range slices.Concat(j.Programs, j.Counting) {
		all = append(all, p.Hash)
	}
	return all
}

func (p *packing) put(ctx context.Context, store *content.Store, hash string) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	r, size, err := p.read(hash)
	if err != nil {
		return err
	}
	defer r.Close() //nolint:errcheck // it is only read
	return store.Put(hash, size, r)
}

func writeJob(name string, message *job) error {
	f, err := os.OpenFile(name, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	w := gzip.NewWriter(f)
	return errors.Join(json.NewEncoder(w).Encode(message), w.Close(), f.Close())
}

// A Bundled is a job in a folder, as [WriteBundle] writes it.
type Bundled struct {
	workplace
	built []execution.Program // those of the measurement, once they are laid out
}

// ReadBundle reads the job of a bundle, and lays out its files. Close must be called, also if measuring fails.
func ReadBundle(ctx context.Context, dir string, number int) (*Bundled, error) {
	if err := ownership.Check(dir); err != nil {
		return nil, err
	}
	b := &Bundled{}
	if err := b.readJob(filepath.Join(dir, fmt.Sprintf(bundledJob, number))); err != nil {
		return nil, fmt.Errorf("reading the job: %w", err)
	}
	if err := b.open(ctx, filepath.Join(dir, bundledContent)); err != nil {
		return nil, err
	}
	if err := b.layTree(); err != nil {
		b.close()
		return nil, err
	}
	return b, nil
}

func (b *Bundled) readJob(name string) error {
	f, err := regularfile.Open(name)
	if err != nil {
		return err
	}
	defer f.Close()
	r, err := gzip.NewReader(f)
	if err != nil {
		return err
	}
	if err := json.NewDecoder(io.LimitReader(r, maxPacked)).Decode(&b.job); err != nil {
		return err
	}
	if b.job.Task == nil {
		return errors.New("it has no task: it is of another version")
	}
	return nil
}

// Close removes what was laid out.
func (b *Bundled) Close() { b.close() }

// Params are those of the measurement. They may be changed before it.
func (b *Bundled) Params() *runner.Params { return &b.job.Task.Params }

// Measure carries out the job, which may be done several times in the mode instrument. It is as of [runner.Task.Measure].
func (b *Bundled) Measure(ctx context.Context, kept func(*record.Run)) (*record.Run, error) {
	b.Params().Others = sampler.Others
	return b.job.Task.Measure(ctx, b.base, b, kept)
}

// Compile is as of [runner.Supply].
func (b *Bundled) Compile(context.Context) ([]execution.Program, []note.Note, error) {
	if b.built == nil {
		built, err := b.executable("main", b.job.Programs)
		if err != nil {
			return nil, nil, err
		}
		b.built = built
	}
	return slices.Clone(b.built), b.job.Notes, nil
}

// Plain is as of [runner.Supply]: a bundle has no programs that are run unmeasured.
func (b *Bundled) Plain(context.Context, []instrument.Package) ([]execution.Program, error) {
	return nil, errors.New("the job was sent without programs that are not measured")
}

// Counting is as of [runner.Supply].
func (b *Bundled) Counting(_ context.Context, pkgs []instrument.Package) ([]execution.Program, string, error) {
	if b.job.CountingError != "" {
		return nil, b.job.CountingSaid, errors.New(b.job.CountingError)
	}
	list := slices.DeleteFunc(slices.Clone(b.job.Counting), func(p program) bool {
		return !slices.ContainsFunc(pkgs, func(of instrument.Package) bool { return of.Path == p.Path })
	})
	built, err := b.executable(kindCounting, list)
	return built, b.job.CountingSaid, err
}
