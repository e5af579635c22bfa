package sampler

import (
	"testing"

	"spell-lsp/runner/meter"
)

// Programs under test inherit the shared memory. If they could write to it, they could forge
// readings. If they could truncate it, they could kill the sampler and its parent.
func TestMemoryIsTheSamplersOnly(t *testing.T) {
	s, err := Open("none", meter.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if s.file.Truncate(1) == nil || s.file.Truncate(1<<30) == nil {
		t.Error("the size can be changed")
	}
	if _, err := s.file.WriteAt([]byte("x"), pageSize); err == nil {
		t.Error("the memory can be written")
	}
	if data, err := mapped(s.file, memorySize); err == nil {
		unmap(data)
		t.Error("the memory can be mapped for writing")
	}
}
