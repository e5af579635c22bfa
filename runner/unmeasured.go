package runner

import (
	"context"
	"fmt"

	"spell-lsp/instrument"
	"spell-lsp/runner/execution"
	"spell-lsp/runner/scratch"
)

// Outputs builds the tests of one package as they are, and executes the program once for each regular expression of
// tests, as go test -run takes it. The result is what each execution printed: first all lines that begin with mark, then
// the others, shortened. Nothing is measured. Of p, Dir, Patterns, Tags,
// Buffers, Cache, Timeout and Progress count.
func Outputs(ctx context.Context, p Params, tests []string, mark string) ([]string, error) {
	if err := supported(); err != nil {
		return nil, err
	}
	m, err := newMeasurement(p)
	if err != nil {
		return nil, err
	}
	defer m.end()
	program, err := m.buildUnmeasured(ctx)
	if err != nil {
		return nil, err
	}
	outputs := make([]string, len(tests))
	for i, run := range tests {
		o := execution.Options{Args: []string{"-test.run=" + run}, Timeout: m.Timeout, GOROOT: m.build.GOROOT}
		if outputs[i], err = execution.Output(ctx, program, o, mark); err != nil {
			return nil, err
		}
	}
	return outputs, nil
}

// buildUnmeasured builds the test program of the only package.
func (m *measurement) buildUnmeasured(ctx context.Context) (program execution.Program, err error) {
	if err := m.makeScratch(); err != nil {
		return program, err
	}
	overlay, err := scratch.Sub(m.scratch, "overlay")
	if err != nil {
		return program, err
	}
	m.build, err = instrument.Prepare(ctx, instrument.Params{
		Dir: m.Dir, Patterns: m.Patterns, Sampled: true, Tags: m.Tags, Buffers: m.Buffers, Temp: overlay, Cache: m.Cache,
		Run: execution.RunCommand, Progress: m.tell,
	})
	if err != nil {
		return program, err
	}
	programs, _, err := execution.Compile(ctx, execution.Source{Build: m.build, Dir: m.Dir, Scratch: m.scratch, Tags: m.Tags, Buffers: m.Buffers})
	if err != nil {
		return program, err
	}
	if len(programs) != 1 {
		return program, fmt.Errorf("%v: %d packages have tests, and not one", m.Patterns, len(programs))
	}
	return programs[0], nil
}
