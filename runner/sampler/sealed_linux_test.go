package sampler

import (
	"testing"

	"spell-lsp/runner/meter"
)

// Programs under test inherit the memory. What they wrote into it would be taken for
// readings, and cutting it would kill the sampler and its parent.
func TestMemoryIsTheSamplersOnly(t *testing.T) {
	s, err := Open("none", meter.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if s.file.Truncate(1) == nil || s.file.Truncate(1<<30) == nil {
		t.Error("its size could be changed")
	}
	if _, err := s.file.WriteAt([]byte("x"), pageSize); err == nil {
		t.Error("it could be written")
	}
	if data, err := mapped(s.file, memorySize); err == nil {
		unmap(data)
		t.Error("it could be mapped for writing")
	}
}
