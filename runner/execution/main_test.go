package execution

import (
	"os"
	"testing"

	"spell-lsp/runner/sampler"
)

// corruptVariable makes a process of the test binary a program that overwrites the file of
// its probes.
const corruptVariable = "SPELL_TEST_CORRUPT"

func corrupt() {
	if _, err := os.NewFile(3, "probes").WriteString("no header"); err != nil {
		panic(err)
	}
}

func TestMain(m *testing.M) {
	if sampler.Called() {
		os.Exit(sampler.Main())
	}
	if os.Getenv(corruptVariable) != "" {
		corrupt()
		os.Exit(0)
	}
	// Programs that tests start: with the race detector each would sleep for a second at its end.
	os.Setenv("GORACE", os.Getenv("GORACE")+" atexit_sleep_ms=0")
	os.Exit(m.Run())
}
