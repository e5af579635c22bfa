package execution

import (
	"os"
	"testing"

	"spell-lsp/runner/sampler"
)

func TestMain(m *testing.M) {
	if sampler.Called() {
		os.Exit(sampler.Main())
	}
	os.Exit(m.Run())
}
