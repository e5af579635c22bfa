package comparison

import (
	"fmt"
	"strings"

	"spell-lsp/spell/record"
)

// A Cause says why two runs are not compared.
type Cause string

// The causes.
const (
	Granularity Cause = "granularity" // one is by function, the other by file
	Meters      Cause = "meters"      // one is measured, the other estimated
	Machines    Cause = "machines"    // they ran on different ones
)

// A Refusal says why two runs are not compared, and what to do.
type Refusal struct {
	Cause  Cause
	Reason string // a sentence without its full stop
	Remedy string
}

func (r *Refusal) Error() string { return r.Reason + ": " + r.Remedy }

// refuse says why two runs must not be compared, or if that is allowed, the
// caveats of doing so.
func refuse(base, head *record.Run, o Options) ([]string, error) {
	caveats := []string{}
	if base.Granularity != head.Granularity {
		return nil, &Refusal{Granularity,
			fmt.Sprintf("BASE is by %s, HEAD by %s", base.Granularity, head.Granularity),
			"compare at one granularity: measure both with the same --granularity"}
	}
	if a, b := origin(base), origin(head); a != b {
		reason := fmt.Sprintf("the energy of BASE is %s (meter %s), that of HEAD is %s (meter %s)", a, base.Meter.Name, b, head.Meter.Name)
		if !o.AcrossMeters {
			return nil, &Refusal{Meters, reason, "measure both with the same --meter, or say --across-meters to compare them all the same"}
		}
		caveats = append(caveats, upper(reason)+": what differs may be the meters alone.")
	}
	if differ := Differ(base.Host, head.Host); len(differ) > 0 {
		reason := "BASE and HEAD were measured on different machines (" + strings.Join(differ, "; ") + ")"
		if !o.AcrossMachines {
			return nil, &Refusal{Machines, reason, "measure both on one machine, or say --across-machines to compare them all the same"}
		}
		caveats = append(caveats, reason+": what differs may be the machines alone.")
	}
	return caveats, nil
}

// origin is how the energies of a run came to be, in words.
func origin(r *record.Run) string {
	switch o := r.Meter.Origin(); {
	case !hasEnergy(r):
		return "not known"
	case o == "":
		return "of unknown origin"
	default:
		return string(o)
	}
}

func hasEnergy(r *record.Run) bool {
	return r.Meter.Source != record.NoEnergy && len(r.Meter.Domains) > 0
}

// commonSource is the source of both; "" where it is not known or differs.
func commonSource(base, head *record.Run) record.Source {
	if a := base.Meter.Origin(); a == head.Meter.Origin() {
		return a
	}
	return ""
}

// Differ lists in what two machines differ, as far as both are known: what was measured
// on them is not compared then.
func Differ(a, b record.Host) []string {
	var differ []string
	note := func(what, a, b string) {
		if a != b && a != "" && b != "" {
			differ = append(differ, fmt.Sprintf("%s %s and %s", what, a, b))
		}
	}
	note("processor", a.CPU, b.CPU)
	if a.Cores > 0 && b.Cores > 0 {
		note("cores", fmt.Sprint(a.Cores), fmt.Sprint(b.Cores))
	}
	note("system", a.OS, b.OS)
	note("architecture", a.Arch, b.Arch)
	if a.CPU != "" && b.CPU != "" && a.Virtual != b.Virtual {
		differ = append(differ, "one of them virtual")
	}
	return differ
}

func upper(s string) string { return strings.ToUpper(s[:1]) + s[1:] }
