package runner

import (
	"context"
	"debug/elf"
	"errors"
	"runtime"
	"slices"
	"testing"

	"spell-lsp/instrument/gocmd"
	"spell-lsp/spell/record"
)

// A foreign site has another processor. It only takes what was built.
type foreign struct {
	arch string
	job  Job
	elf  elf.Machine
}

var errTaken = errors.New("it was taken")

func (f *foreign) Platform() gocmd.Platform { return gocmd.Platform{OS: "linux", Arch: f.arch} }
func (f *foreign) Unsampled() error         { return nil }

func (f *foreign) Measure(_ context.Context, j Job) (*record.Run, error) {
	f.job = j
	file, err := elf.Open(j.Programs[0].File())
	if err != nil {
		return nil, err
	}
	defer file.Close()
	f.elf = file.Machine
	return nil, errTaken
}

// Why: most who write Go sit at another system or processor than the machine with the counter. Programs must be built
// for that machine, of the files that are for it, whatever the environment here says.
func TestProgramsAreBuiltForTheMachineThatMeasures(t *testing.T) {
	dir := module(t, map[string]string{
		"go.mod":     "module example.com/m\n\ngo 1.26\n",
		"x_amd64.go": "package m\n\nfunc OnAMD64() {}\n\nfunc f() { OnAMD64() }\n",
		"x_arm64.go": "package m\n\nfunc OnARM64() {}\n\nfunc f() { OnARM64() }\n",
		"x_test.go":  "package m\n\nimport \"testing\"\n\nfunc TestF(t *testing.T) { f() }\n",
	})
	for arch, want := range map[string]struct {
		machine  elf.Machine
		function string
	}{"amd64": {elf.EM_X86_64, "example.com/m.OnAMD64"}, "arm64": {elf.EM_AARCH64, "example.com/m.OnARM64"}} {
		for _, mode := range []string{ModeInstrument, ModeSample} {
			t.Run(arch+" "+mode, func(t *testing.T) {
				if arch != runtime.GOARCH {
					t.Setenv("GOARCH", runtime.GOARCH)
				}
				site := &foreign{arch: arch}
				if _, err := Measure(t.Context(), Params{Dir: dir, Mode: mode, Meter: "model", Site: site}); !errors.Is(err, errTaken) {
					t.Fatal(err)
				}
				var ids []string
				for _, c := range site.job.Build.Components {
					ids = append(ids, c.ID)
				}
				if site.elf != want.machine || !slices.Contains(ids, want.function) || len(ids) != 2 {
					t.Errorf("a program for %v with %q, want one for %v with %s", site.elf, ids, want.machine, want.function)
				}
			})
		}
	}
}
