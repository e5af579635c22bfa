package cpuname_test

import (
	"testing"

	"spell-lsp/runner/model/cpuname"
)

// The kernel's name of a processor and the name in its maker's list become the same. Names
// of different processors stay different.
func TestNormal(t *testing.T) {
	tests := []struct{ name, want string }{
		{"Intel(R) Core(TM) i7-8550U CPU @ 1.80GHz", "intel core i7-8550u"},
		{"Intel Core i7-8550U", "intel core i7-8550u"},
		{"11th Gen Intel(R) Core(TM) i7-11700K @ 3.60GHz", "intel core i7-11700k"},
		{"Intel(R) Xeon(R) CPU E5-2680 v4 @ 2.40GHz", "intel xeon e5-2680 v4"},
		{"Intel(R) Xeon(R) CPU E5-2670 0 @ 2.60GHz", "intel xeon e5-2670"},
		{"INTEL(R) XEON(R) PLATINUM 8592+", "intel xeon platinum 8592+"},
		{"Intel® Xeon® Gold 6338 Processor", "intel xeon gold 6338"},
		{"AMD EPYC 7551P 32-Core Processor", "amd epyc 7551p"},
		{"AMD Ryzen 7 1700 Eight-Core Processor", "amd ryzen 7 1700"},
		{"AMD Ryzen 5 3500U with Radeon Vega Mobile Gfx", "amd ryzen 5 3500u"},
		{"AMD Ryzen AI 9 HX 370 w/ Radeon 890M", "amd ryzen ai 9 hx 370"},
		{"AMD Ryzen Threadripper PRO 5995WX 64-Cores", "amd ryzen threadripper pro 5995wx"},
		{"Intel(R) N100", "intel n100"},
		{"", ""},
		{"@", ""},
	}
	for _, tt := range tests {
		if got := cpuname.Normal(tt.name); got != tt.want {
			t.Errorf("Normal(%q) = %q, want %q", tt.name, got, tt.want)
		}
	}
}
