package model

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// block returns the text of one processor in /proc/cpuinfo.
func block(processor, physical, name, family, model, stepping, flags string) string {
	return "processor\t: " + processor + "\nvendor_id\t: GenuineIntel\ncpu family\t: " + family + "\nmodel\t\t: " + model +
		"\nmodel name\t: " + name + "\nstepping\t: " + stepping + "\ncpu MHz\t\t: 2600.000\nphysical id\t: " + physical +
		"\ncpu cores\t: 2\nflags\t\t: fpu vme " + flags + " sse\npower management:\n\n"
}

func TestParseCPUInfo(t *testing.T) {
	tests := []struct {
		why  string
		text string
		want CPU
	}{
		{
			why: "two packages of two threads",
			text: block("0", "0", "Intel(R) Xeon(R) Gold 6230R CPU @ 2.10GHz", "6", "85", "7", "") + block("1", "1", "Intel(R) Xeon(R) Gold 6230R CPU @ 2.10GHz", "6", "85", "7", "") +
				block("2", "0", "Intel(R) Xeon(R) Gold 6230R CPU @ 2.10GHz", "6", "85", "7", "") + block("3", "1", "Intel(R) Xeon(R) Gold 6230R CPU @ 2.10GHz", "6", "85", "7", ""),
			want: CPU{Vendor: "GenuineIntel", Name: "Intel(R) Xeon(R) Gold 6230R CPU @ 2.10GHz", Family: 6, Model: 85, Stepping: 7, Threads: 4, Packages: 2},
		},
		{
			why:  "a virtual machine",
			text: block("0", "0", "Intel(R) Xeon(R) Processor @ 2.50GHz", "6", "85", "7", "hypervisor"),
			want: CPU{Vendor: "GenuineIntel", Name: "Intel(R) Xeon(R) Processor @ 2.50GHz", Family: 6, Model: 85, Stepping: 7, Threads: 1, Packages: 1, Virtual: true},
		},
		{
			why:  "a flag that only contains the word",
			text: block("0", "0", "X", "6", "85", "7", "nohypervisor"),
			want: CPU{Vendor: "GenuineIntel", Name: "X", Family: 6, Model: 85, Stepping: 7, Threads: 1, Packages: 1},
		},
		{
			why:  "ARM, without names",
			text: "processor\t: 0\nBogoMIPS\t: 243.75\nCPU implementer\t: 0x41\nCPU part\t: 0xd0c\n\nprocessor\t: 1\nCPU part\t: 0xd0c\n",
			want: CPU{Threads: 2, Packages: 1},
		},
		{
			why:  "an unknown stepping, as in virtual machines",
			text: "processor : 0\nstepping : unknown\n",
			want: CPU{Threads: 1, Packages: 1, Stepping: -1},
		},
		{why: "empty", text: "", want: CPU{Packages: 1}},
		{why: "no colon", text: "nothing\n", want: CPU{Packages: 1}},
	}
	for _, tt := range tests {
		got, err := parseCPUInfo(strings.NewReader(tt.text))
		if err != nil {
			t.Errorf("%s: %v", tt.why, err)
		}
		if diff := cmp.Diff(tt.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tt.why, diff)
		}
	}
	if _, err := parseCPUInfo(strings.NewReader("flags : " + strings.Repeat("x", 2<<20))); err == nil {
		t.Error("a line of two megabytes is accepted")
	}
}

func FuzzParseCPUInfo(f *testing.F) {
	f.Add(block("0", "0", "Intel(R) Xeon(R) Processor", "6", "85", "7", "hypervisor"))
	f.Add("processor:0\nmodel name::\nflags:")
	t, err := load()
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(test *testing.T, text string) {
		cpu, err := parseCPUInfo(strings.NewReader(text))
		if err != nil {
			return
		}
		e := t.choose(cpu)
		if e.known() != (e.idleW > 0 && e.busyW > 0) {
			test.Errorf("%q gives tier %s with %v W idle and %v W busy", text, e.tier, e.idleW, e.busyW)
		}
	})
}
