package meter

import (
	"slices"
	"time"

	"spell-lsp/spell/note"
	"spell-lsp/spell/record"
)

// SharePeriod is the interval at which a host fills the counter of a virtual machine: QEMU reads
// its own every second (MSR_ENERGY_THREAD_SLEEP_US in target/i386/kvm/vmsr_energy.h).
const SharePeriod = time.Second

// HostsShare is the description of a counter that a host fills for its virtual machine: a part of
// the host's own energy, by the CPU time of the virtual processors
// (https://www.qemu.org/docs/master/specs/rapl-msr.html). That is an estimate. It says nothing of
// the power of single functions, and next to nothing is used by a machine whose processors are idle.
func (i Info) HostsShare() Info {
	i.Source, i.Resolution = record.Estimated, SharePeriod
	i.Resolutions, i.CoreCPUs = nil, nil
	i.IdleW, i.Whole = make([]float64, len(i.Domains)), slices.Repeat([]bool{true}, len(i.Domains))
	i.Notes = append(slices.Clone(i.Notes), note.HostsShare())
	return i
}
