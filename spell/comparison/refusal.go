package comparison

import (
	"spell-lsp/spell/note"
	"spell-lsp/spell/record"
	"spell-lsp/spell/wording"
)

// A Cause says why two runs are not compared.
type Cause string

// The causes.
const (
	Granularity Cause = "granularity" // one is by function, the other by file
	Meters      Cause = "meters"      // one is measured, the other estimated
	Machines    Cause = "machines"    // they ran on different ones
)

// A Refusal says why two runs are not compared, and what to do. As an error it speaks to
// the command line; Say speaks to others.
type Refusal struct {
	Cause  Cause
	Reason note.Note
	Remedy note.Note
}

func (r *Refusal) Error() string { return r.Say(wording.CommandLine) }

// Say writes the refusal for an audience.
func (r *Refusal) Say(a wording.Audience) string { return a.Text(r.Reason) + ": " + a.Text(r.Remedy) }

// refuse says why two runs must not be compared, or if that is allowed, the
// caveats of doing so.
func refuse(base, head *record.Run, o Options) ([]note.Note, error) {
	caveats := []note.Note{}
	if a, b := string(base.Granularity), string(head.Granularity); a != b {
		return nil, &Refusal{Granularity, note.GranularitiesDiffer(a, b), note.SameGranularity()}
	}
	if a, b := origin(base), origin(head); a != b {
		if !o.AcrossMeters {
			return nil, &Refusal{Meters, note.SourcesDiffer(a, base.Meter.Name, b, head.Meter.Name), note.SameMeter()}
		}
		caveats = append(caveats, note.CompareMeters(a, base.Meter.Name, b, head.Meter.Name))
	}
	if differ := Differ(base.Host, head.Host); len(differ) > 0 {
		if !o.AcrossMachines {
			return nil, &Refusal{Machines, note.MachinesDiffer(differ), note.SameMachine()}
		}
		caveats = append(caveats, note.CompareMachines(differ))
	}
	return caveats, nil
}

// origin names where the energies of a run come from.
func origin(r *record.Run) string {
	switch o := r.Meter.Origin(); {
	case !r.Meter.KnowsEnergy():
		return "not known"
	case o == "":
		return "of unknown origin"
	default:
		return string(o)
	}
}

// commonSource is the source of both; "" if it is not known or differs.
func commonSource(base, head *record.Run) record.Source {
	if a := base.Meter.Origin(); a == head.Meter.Origin() {
		return a
	}
	return ""
}

// Differ lists the differences between two machines, as far as both are known. Runs of
// different machines are not compared.
func Differ(a, b record.Host) []note.Note {
	var list []note.Note
	add := func(a, b string, of func(base, head string) note.Note) {
		if a != b && a != "" && b != "" {
			list = append(list, of(a, b))
		}
	}
	add(a.CPU, b.CPU, note.ProcessorsDiffer)
	if a.Cores > 0 && b.Cores > 0 && a.Cores != b.Cores {
		list = append(list, note.CoresDiffer(a.Cores, b.Cores))
	}
	add(a.OS, b.OS, note.SystemsDiffer)
	add(a.Arch, b.Arch, note.ArchitecturesDiffer)
	if a.CPU != "" && b.CPU != "" && a.Virtual != b.Virtual {
		list = append(list, note.OneVirtual())
	}
	return list
}
