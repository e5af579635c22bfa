package virtual

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"spell-lsp/runner/meter"
)

// Why: a counter of a virtual machine is not the machine's own, and a rented real machine must not
// be taken for a virtual one because its vendor also rents those.
func TestMachine(t *testing.T) {
	const hardware, guest = "flags\t\t: fpu vme msr\n", "model name\t: AMD EPYC\nflags\t\t: fpu hypervisor msr\n"
	for name, tt := range map[string]struct {
		files      map[string]string
		is         bool
		hypervisor string
	}{
		"a real machine":         {map[string]string{"proc/cpuinfo": hardware, "sys/class/dmi/id/sys_vendor": "LENOVO\n"}, false, ""},
		"a rented real machine":  {map[string]string{"proc/cpuinfo": hardware, "sys/class/dmi/id/sys_vendor": "Amazon EC2\n"}, false, ""},
		"the flag":               {map[string]string{"proc/cpuinfo": guest}, true, ""},
		"the flag, and a vendor": {map[string]string{"proc/cpuinfo": guest, "sys/class/dmi/id/sys_vendor": "QEMU\n", "sys/class/dmi/id/product_name": "Standard PC\n"}, true, "QEMU Standard PC"},
		"a flag of another name": {map[string]string{"proc/cpuinfo": "flags\t\t: fpu hypervisor_like\n"}, false, ""},
		"Xen":                    {map[string]string{"sys/hypervisor/type": "xen\n"}, true, "xen"},
		"QEMU on arm64":          {map[string]string{"proc/cpuinfo": "Features\t: fp asimd\n", "sys/class/dmi/id/sys_vendor": "QEMU\n"}, true, "QEMU"},
		"long flags":             {map[string]string{"proc/cpuinfo": "flags\t\t: " + strings.Repeat("abc ", 30000) + "hypervisor\n"}, true, ""},
		"nothing":                {nil, false, ""},
	} {
		dir := t.TempDir()
		for file, text := range tt.files {
			path := filepath.Join(dir, file)
			if err := os.MkdirAll(filepath.Dir(path), 0o750); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		is, hypervisor := Machine(meter.Options{ProcRoot: filepath.Join(dir, "proc"), SysRoot: filepath.Join(dir, "sys")})
		if is != tt.is || hypervisor != tt.hypervisor {
			t.Errorf("%s: %t, %q; want %t, %q", name, is, hypervisor, tt.is, tt.hypervisor)
		}
	}
}
