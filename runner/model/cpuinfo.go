package model

import (
	"bufio"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"spell-lsp/runner/model/cpuname"
)

// A CPU describes the processors of a machine as /proc/cpuinfo does. In a virtual
// machine it is what the virtual machine shows.
type CPU struct {
	Vendor   string // GenuineIntel, AuthenticAMD, ...
	Name     string // as the maker writes it, "" if unknown
	Family   int
	Model    int
	Stepping int
	Threads  int  // logical processors
	Packages int  // 1 if unknown
	Virtual  bool // the hypervisor flag is set
}

// parseCPUInfo reads the format of /proc/cpuinfo on x86: a block of "key: value" lines
// for each logical processor. Other architectures have other keys; only the number of
// their processors is known.
func parseCPUInfo(r io.Reader) (CPU, error) {
	cpu := CPU{}
	packages := map[string]bool{}
	lines := bufio.NewScanner(r)
	lines.Buffer(nil, 1<<20) // the flags have several thousand characters
	for lines.Scan() {
		key, value, ok := strings.Cut(lines.Text(), ":")
		if !ok {
			continue
		}
		key, value = strings.TrimSpace(key), strings.TrimSpace(value)
		switch key {
		case "processor":
			cpu.Threads++
		case "physical id":
			packages[value] = true
		default:
			cpu.set(key, value)
		}
	}
	if err := lines.Err(); err != nil {
		return CPU{}, fmt.Errorf("reading the processors: %w", err)
	}
	cpu.Packages = max(len(packages), 1)
	return cpu, nil
}

// set stores a value that is the same for all processors.
func (c *CPU) set(key, value string) {
	number := func() int {
		n, err := strconv.Atoi(value)
		if err != nil {
			return -1 // no table has it
		}
		return n
	}
	switch key {
	case "vendor_id":
		c.Vendor = value
	case "model name":
		c.Name = value
	case "cpu family":
		c.Family = number()
	case "model":
		c.Model = number()
	case "stepping":
		c.Stepping = number()
	case "flags":
		c.Virtual = c.Virtual || slices.Contains(strings.Fields(value), "hypervisor")
	}
}

var (
	number = regexp.MustCompile(`[0-9]{3}`)
	client = regexp.MustCompile(`\b(core|pentium|celeron|atom|ryzen|threadripper|athlon)\b`)
)

// hidden reports whether the name identifies at best a family, not a processor:
// "Intel(R) Xeon(R) Processor @ 2.50GHz".
func (c CPU) hidden() bool { return !number.MatchString(cpuname.Normal(c.Name)) }

// client reports whether the name is that of a desktop or mobile processor.
// Some share family and model with a server's.
func (c CPU) client() bool { return client.MatchString(cpuname.Normal(c.Name)) }

// server reports whether the name, though hidden, is that of a server's
// processor.
func (c CPU) server() bool {
	return strings.Contains(c.Name, "Xeon") || strings.Contains(c.Name, "EPYC")
}
