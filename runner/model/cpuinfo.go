package model

import (
	"bufio"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// A CPU is what /proc/cpuinfo says about the processors of a machine. Where a
// virtual machine hides something, it is what the virtual machine says.
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

// parseCPUInfo reads the format of /proc/cpuinfo on x86: a block of "key:
// value" lines for each logical processor. Other architectures have other keys;
// their processors are counted, no more.
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

// set takes a value that is the same for all processors.
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
	marks     = strings.NewReplacer("(r)", " ", "(tm)", " ", "®", " ", "™", " ", "(c)", " ")
	coreCount = regexp.MustCompile(`^([0-9]+|dual|triple|quad|six|eight|twelve|sixteen)-cores?$`)
	number    = regexp.MustCompile(`[0-9]{3}`)
	client    = regexp.MustCompile(`\b(core|pentium|celeron|atom|ryzen|threadripper|athlon)\b`)
)

// normalName reduces a processor's name to what identifies it, so that names
// from the maker's lists and from /proc/cpuinfo can be compared for equality:
// "11th Gen Intel(R) Core(TM) i7-11700K @ 3.60GHz" and "Intel Core i7-11700K"
// both become "intel core i7-11700k". Names that differ in a suffix stay
// different: they are different processors.
func normalName(name string) string {
	name = marks.Replace(strings.ToLower(name))
	name, _, _ = strings.Cut(name, "@")
	words := strings.Fields(name)
	for i, w := range words {
		if w == "with" || w == "w/" { // "with Radeon Graphics"
			words = words[:i]
			break
		}
	}
	if len(words) > 2 && strings.HasSuffix(words[0], "th") && words[1] == "gen" {
		words = words[2:]
	}
	words = slices.DeleteFunc(words, func(w string) bool {
		return w == "cpu" || w == "processor" || coreCount.MatchString(w)
	})
	if n := len(words); n > 1 && words[n-1] == "0" { // "Xeon(R) CPU E5-2670 0 @ ...": the first version
		words = words[:n-1]
	}
	return strings.Join(words, " ")
}

// hidden reports whether the name names no processor, only a family at best:
// "Intel(R) Xeon(R) Processor @ 2.50GHz".
func (c CPU) hidden() bool { return !number.MatchString(normalName(c.Name)) }

// client reports whether the name is that of a desktop or mobile processor.
// Some share family and model with a server's.
func (c CPU) client() bool { return client.MatchString(normalName(c.Name)) }

// server reports whether the name, though hidden, is that of a server's
// processor.
func (c CPU) server() bool {
	return strings.Contains(c.Name, "Xeon") || strings.Contains(c.Name, "EPYC")
}
