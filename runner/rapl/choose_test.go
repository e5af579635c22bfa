package rapl

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"spell-lsp/spell/note"
	"spell-lsp/spell/wording"
)

const wrap = "262143328850"

// The total contains every package and its memory once, whatever the numbers of the zones
// are and however often they occur in the powercap class.
func TestChoose(t *testing.T) {
	tests := []struct {
		why      string
		tree     []string
		want     []string // folder: domain, none for a zone that is in no sum
		warnings []string // a substring of each
	}{
		{
			why: "laptop: core and uncore are parts of the package, psys includes it",
			tree: []string{
				"zone intel-rapl:0 psys 10 " + wrap,
				"zone intel-rapl:1 package-0 10 " + wrap,
				"zone intel-rapl:1:0 core 10 " + wrap,
				"zone intel-rapl:1:1 uncore 10 " + wrap,
			},
			want: []string{"intel-rapl:1: cpu", "intel-rapl:0: "},
		},
		{
			why: "psys of the second package, and its repetition",
			tree: []string{
				"zone intel-rapl:0 package-0 10 " + wrap,
				"zone intel-rapl:1 psys-1 10 " + wrap,
				"zone intel-rapl-mmio:0 psys-1 10 " + wrap,
			},
			want: []string{"intel-rapl:0: cpu", "intel-rapl:1: "},
		},
		{
			why: "two sockets with memory; package 1 was registered first",
			tree: []string{
				"zone intel-rapl:0 package-1 10 " + wrap,
				"zone intel-rapl:0:0 dram 10 " + wrap,
				"zone intel-rapl:1 package-0 10 " + wrap,
				"zone intel-rapl:1:0 core 10 " + wrap,
				"zone intel-rapl:1:1 dram 10 " + wrap,
			},
			want: []string{"intel-rapl:0: cpu", "intel-rapl:1: cpu", "intel-rapl:0:0: dram", "intel-rapl:1:1: dram"},
		},
		{
			why: "subzones exist only as folders inside their parent",
			tree: []string{
				"zone intel-rapl:0 package-0 10 " + wrap,
				"zone intel-rapl:0/intel-rapl:0:0 core 10 " + wrap,
				"zone intel-rapl:0/intel-rapl:0:1 dram 10 " + wrap,
			},
			want: []string{"intel-rapl:0: cpu", "intel-rapl:0:1: dram"},
		},
		{
			why: "the layout of the kernel: the class has links to nested folders",
			tree: []string{
				"zone ../dev/intel-rapl:0 package-0 10 " + wrap,
				"zone ../dev/intel-rapl:0/intel-rapl:0:0 dram 10 " + wrap,
				"../dev/intel-rapl/power x",
				"README x",
				"link intel-rapl ../dev/intel-rapl",
				"link intel-rapl:0 ../dev/intel-rapl:0",
				"link intel-rapl:0:0 ../dev/intel-rapl:0/intel-rapl:0:0",
				"link ../dev/intel-rapl:0/subsystem ../../powercap",
			},
			want: []string{"intel-rapl:0: cpu", "intel-rapl:0:0: dram"},
		},
		{
			why: "subzones exist both in the class and as folders inside their parent",
			tree: []string{
				"zone intel-rapl:0 package-0 10 " + wrap,
				"zone intel-rapl:0:0 dram 10 " + wrap,
				"zone intel-rapl:0/intel-rapl:0:0 dram 10 " + wrap,
			},
			want: []string{"intel-rapl:0: cpu", "intel-rapl:0:0: dram"},
		},
		{
			why: "a second link to the same zone",
			tree: []string{
				"zone intel-rapl:0 package-0 10 " + wrap,
				"link intel-rapl:1 intel-rapl:0",
			},
			want: []string{"intel-rapl:0: cpu"},
		},
		{
			why: "intel-rapl-mmio repeats package 0 and its memory, although it is listed first",
			tree: []string{
				"zone intel-rapl-mmio:0 package-0 10 " + wrap,
				"zone intel-rapl-mmio:0:0 dram 10 " + wrap,
				"zone intel-rapl:0 package-0 10 " + wrap,
				"zone intel-rapl:0:0 dram 10 " + wrap,
			},
			want:     []string{"intel-rapl:0: cpu", "intel-rapl:0:0: dram"},
			warnings: []string{"intel-rapl-mmio:0 (package-0) repeats package 0", "intel-rapl-mmio:0:0 (dram) repeats"},
		},
		{
			why: "intel-rapl-mmio repeats a package whose zones are its dies",
			tree: []string{
				"zone intel-rapl-mmio:0 package-0 10 " + wrap,
				"zone intel-rapl:0 package-0-die-0 10 " + wrap,
				"zone intel-rapl:1 package-0-die-1 10 " + wrap,
			},
			want:     []string{"intel-rapl:0: cpu", "intel-rapl:1: cpu"},
			warnings: []string{"intel-rapl-mmio:0 (package-0) repeats package 0"},
		},
		{
			why:  "only intel-rapl-mmio",
			tree: []string{"zone intel-rapl-mmio:0 package-0 10 " + wrap},
			want: []string{"intel-rapl-mmio:0: cpu"},
		},
		{
			why: "sixteen packages: numbers of zones are hexadecimal",
			tree: []string{
				"zone intel-rapl:9 package-9 10 " + wrap,
				"zone intel-rapl:a package-10 10 " + wrap,
				"zone intel-rapl:a:0 dram 10 " + wrap,
				"zone intel-rapl:f package-15 10 " + wrap,
			},
			want: []string{"intel-rapl:9: cpu", "intel-rapl:a: cpu", "intel-rapl:f: cpu", "intel-rapl:a:0: dram"},
		},
		{
			why: "a core zone for every core",
			tree: []string{
				"zone intel-rapl:0 package-0 10 " + wrap,
				"zone intel-rapl:0:0 core 10 " + wrap,
				"zone intel-rapl:0:1 core 10 " + wrap,
			},
			want: []string{"intel-rapl:0: cpu"},
		},
		{
			why: "the same package twice in one control type",
			tree: []string{
				"zone intel-rapl:0 package-0 10 " + wrap,
				"zone intel-rapl:1 package-0 10 " + wrap,
			},
			want:     []string{"intel-rapl:0: cpu"},
			warnings: []string{"intel-rapl:1 (package-0) repeats package 0"},
		},
		{
			why: "a zone with an unknown name",
			tree: []string{
				"zone intel-rapl:0 package-0 10 " + wrap,
				"zone intel-rapl:1 gpu 10 " + wrap,
			},
			want:     []string{"intel-rapl:0: cpu"},
			warnings: []string{`intel-rapl:1 is not counted: its name "gpu" is not known`},
		},
		{
			why: "a dram zone that is not below its package",
			tree: []string{
				"zone intel-rapl:0 package-0 10 " + wrap,
				"zone intel-rapl:1 dram 10 " + wrap,
			},
			want: []string{"intel-rapl:0: cpu", "intel-rapl:1: dram"},
		},
		{
			why: "a zone without a name file, and a link to a folder that is gone",
			tree: []string{
				"zone intel-rapl:0 package-0 10 " + wrap,
				"zone intel-rapl:1 package-1 10 " + wrap,
				"rm intel-rapl:1/name",
				"link intel-rapl:2 gone",
			},
			want:     []string{"intel-rapl:0: cpu"},
			warnings: []string{"intel-rapl:1 is not counted", "intel-rapl:2 is not counted"},
		},
	}
	for _, tt := range tests {
		t.Run(tt.why, func(t *testing.T) {
			root := tree(t, tt.tree...)
			zones, notFound, err := discover(root)
			if err != nil {
				t.Fatal(err)
			}
			choices, notes := choose(zones)
			var got []string
			for _, c := range choices {
				got = append(got, filepath.Base(c.zone.path)+": "+string(c.domain))
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("chosen zones (-want +got):\n%s", diff)
			}
			checkWarnings(t, append(notFound, notes...), tt.warnings)
		})
	}
}

func checkWarnings(t *testing.T, notes []note.Note, want []string) {
	t.Helper()
	got := wording.Texts(notes)
	if len(got) != len(want) {
		t.Fatalf("%d warnings, want %d:\n%s", len(got), len(want), strings.Join(got, "\n"))
	}
	for i := range want {
		if !strings.Contains(got[i], want[i]) {
			t.Errorf("warning %q does not say %q", got[i], want[i])
		}
	}
}
