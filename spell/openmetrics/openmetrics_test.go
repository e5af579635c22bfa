package openmetrics_test

import (
	"bytes"
	"errors"
	"strings"
	"testing"

	"spell-lsp/internal/recordtest"
	"spell-lsp/spell/openmetrics"
	"spell-lsp/spell/record"
)

func written(t *testing.T, r *record.Run, o openmetrics.Options) string {
	t.Helper()
	var b bytes.Buffer
	if err := openmetrics.Write(&b, r, o); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestGolden(t *testing.T) {
	for name, run := range recordtest.All() {
		t.Run(name, func(t *testing.T) {
			recordtest.Golden(t, name+".txt", written(t, run(), openmetrics.Options{}))
		})
	}
}

type brokenPipe struct{}

func (brokenPipe) Write([]byte) (int, error) { return 0, errors.New("broken pipe") }

func TestWriteError(t *testing.T) {
	if err := openmetrics.Write(brokenPipe{}, recordtest.Park(), openmetrics.Options{}); err == nil || !strings.Contains(err.Error(), "broken pipe") {
		t.Errorf("the error is %v", err)
	}
}
