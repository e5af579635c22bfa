package sarif_test

import (
	"bytes"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"spell-lsp/internal/recordtest"
	"spell-lsp/spell"
	"spell-lsp/spell/record"
	"spell-lsp/spell/record/ranking"
	"spell-lsp/spell/sarif"
)

func written(t *testing.T, r *record.Run, o sarif.Options) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := sarif.Write(&b, r, o); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func TestGolden(t *testing.T) {
	for name, run := range recordtest.All() {
		t.Run(name, func(t *testing.T) {
			got := written(t, run(), sarif.Options{Version: "v1.2.3"})
			recordtest.Golden(t, name+".sarif", string(got))
		})
	}
}

// What stands beside psi is of the tests that psi is of: what a failed test used changes
// nothing.
func TestFailedTestsDoNotCount(t *testing.T) {
	got, want := written(t, recordtest.Failing(), sarif.Options{}), written(t, recordtest.Park(), sarif.Options{})
	if diff := cmp.Diff(string(want), string(got)); diff != "" {
		t.Errorf("the log (-want +got):\n%s", diff)
	}
	r := recordtest.Failing()
	ranking.Analyze(r, spell.Options{Order: spell.OrderAuto}, true)
	if log := written(t, r, sarif.Options{}); !bytes.Contains(log, []byte(`"n": 120`)) {
		t.Errorf("the failed test is included, but it does not count:\n%s", log)
	}
}

type brokenPipe struct{}

func (brokenPipe) Write([]byte) (int, error) { return 0, errors.New("broken pipe") }

func TestWriteError(t *testing.T) {
	if err := sarif.Write(brokenPipe{}, recordtest.Park(), sarif.Options{}); err == nil || !strings.Contains(err.Error(), "broken pipe") {
		t.Errorf("the error is %v", err)
	}
}
