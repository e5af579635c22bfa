package note

// Codes: why a meter does not work, or what it leaves out.
const (
	MeterUnusableCode     Code = "meter.unusable"
	MeterNeedsRemedyCode  Code = "meter.needs-remedy"
	ReadUnevenlyCode      Code = "meter.read-unevenly"
	RestDisturbedCode     Code = "meter.rest-disturbed"
	MemoryNotMeasuredCode Code = "meter.memory-not-measured"
	DomainFrozenCode      Code = "meter.domain-frozen"
	CounterLeftOutCode    Code = "meter.counter-left-out"
	SeparateFrozenCode    Code = "meter.separate-frozen"
	SeparateUnreadCode    Code = "meter.separate-unread"
	SeparateMissedCode    Code = "meter.separate-missed"
	CoresUsedCode         Code = "meter.cores-used"
	CoreFrozenCode        Code = "meter.core-frozen"
	CoresExceedCode       Code = "meter.cores-exceed"
	NoJoulesCode          Code = "meter.no-joules"
	NetEstimatedCode      Code = "meter.net-estimated"
	DiskEstimatedCode     Code = "meter.disk-estimated"
	EnergyEstimatedCode   Code = "meter.energy-estimated"
	EnergyFollowsTimeCode Code = "meter.energy-follows-time"
	FollowsFrequencyCode  Code = "meter.follows-frequency"
	FrequencyUnusedCode   Code = "meter.frequency-unused"
	CalibrationUnusedCode Code = "meter.calibration-unused"
	NoMeterAskedForCode   Code = "meter.none-asked-for"
	LaptopMeasuredCode    Code = "meter.laptop-measured"
	BatterySlowCode       Code = "meter.battery-slow"
	MachineMeasuredCode   Code = "meter.machine-measured"
	MemoryIncludedCode    Code = "meter.memory-included"
	PowerIntegratedCode   Code = "meter.power-integrated"
	GPUSlowCode           Code = "meter.gpu-slow"
	GPUIntegratedCode     Code = "meter.gpu-integrated"
	ZoneNotCountedCode    Code = "meter.zone-not-counted"
	ZoneRepeatedCode      Code = "meter.zone-repeated"
	MemoryRepeatedCode    Code = "meter.memory-repeated"
	ZoneMirroredCode      Code = "meter.zone-mirrored"
	EventMirroredCode     Code = "meter.event-mirrored"
	MirrorsUnknownCode    Code = "meter.mirrors-unknown"
	HostsShareCode        Code = "meter.hosts-share"
)

// MeterUnusable says: a meter does not work here, and nothing helps.
func MeterUnusable(meter, why string) Note {
	return Note{MeterUnusableCode, Args{"meter": meter, "reason": why}}
}

// MeterNeedsRemedy says: a meter does not work here; there is a remedy.
func MeterNeedsRemedy(meter, why, remedy string) Note {
	return Note{MeterNeedsRemedyCode, Args{"meter": meter, "reason": why, "remedy": remedy}}
}

// ReadUnevenly says: 99 of 100 readings came within the gap after the one before.
func ReadUnevenly(gap float64) Note {
	return Note{ReadUnevenlyCode, Args{"gap_p99_ms": gap}}
}

// RestDisturbed says: something disturbed each of so many attempts to measure the idle machine.
func RestDisturbed(cause Note, tries int) Note {
	return Note{RestDisturbedCode, Args{"cause": cause, "tries": float64(tries)}}
}

// MemoryNotMeasured says: the energy of the memory is not measured.
func MemoryNotMeasured(err string) Note {
	return Note{MemoryNotMeasuredCode, Args{"error": err}}
}

// DomainFrozen says: the counter of a domain does not move.
func DomainFrozen(domain string) Note {
	return Note{DomainFrozenCode, Args{"domain": domain}}
}

// CounterLeftOut says: of two combined meters, one counts what the other counts already.
func CounterLeftOut(meter, name, other string) Note {
	return Note{CounterLeftOutCode, Args{"meter": meter, "counter": name, "other": other}}
}

// SeparateFrozen says: a counter that would be shown beside the domains did not move while the program ran.
func SeparateFrozen(name string) Note {
	return Note{SeparateFrozenCode, Args{"counter": name}}
}

// SeparateUnread says: a counter that would be shown beside the domains cannot be read.
func SeparateUnread(name, err string) Note {
	return Note{SeparateUnreadCode, Args{"counter": name, "error": err}}
}

// SeparateMissed says: in so many rounds, a counter that is shown beside the domains could not be read.
func SeparateMissed(name string, missed, rounds int) Note {
	return Note{SeparateMissedCode, Args{"counter": name, "missed": float64(missed), "rounds": float64(rounds)}}
}

// CoresUsed says: so many functions of all that ran have a power that counters of single cores told.
func CoresUsed(functions, all int) Note {
	return Note{CoresUsedCode, Args{"functions": float64(functions), "all": float64(all)}}
}

// CoreFrozen says: the counter of the core of a processor did not move while the program ran there, and no such counter is used.
func CoreFrozen(cpu int) Note {
	return Note{CoreFrozenCode, Args{"cpu": float64(cpu)}}
}

// CoresExceed says: the counters of single cores together show more than that of the package, and none of them is used.
func CoresExceed(cores, whole float64) Note {
	return Note{CoresExceedCode, Args{"cores_j": cores, "package_j": whole}}
}

// NoJoules says: the model knows no power of this processor.
func NoJoules(basis string) Note {
	return Note{NoJoulesCode, Args{"basis": basis}}
}

// NetEstimated says: the energy of the network is estimated by bytes.
func NetEstimated(perByte float64) Note {
	return Note{NetEstimatedCode, Args{"byte_j": perByte}}
}

// DiskEstimated says: the energy of disks is estimated by bytes; joules are those of a byte.
func DiskEstimated(kind string, read, write float64, why string) Note {
	return Note{DiskEstimatedCode, Args{"kind": kind, "read_j": read, "write_j": write, "reason": why}}
}

// EnergyEstimated says: the model's energy is estimated; the tier says how well. busyW is for a second of CPU time.
func EnergyEstimated(tier, basis string, busyW float64) Note {
	return Note{EnergyEstimatedCode, Args{"tier": tier, "basis": basis, "busy_w": busyW}}
}

// EnergyFollowsTime says: estimated energy is CPU time times a constant power.
func EnergyFollowsTime() Note {
	return Note{EnergyFollowsTimeCode, Args{}}
}

// FollowsFrequency says: estimated energy is CPU time times a power by the frequency of the processors.
func FollowsFrequency(basis string) Note {
	return Note{FollowsFrequencyCode, Args{"basis": basis}}
}

// FrequencyUnused says: frequencies cannot be read, or lack a base, and the estimate is not weighed by them.
func FrequencyUnused(why string) Note {
	return Note{FrequencyUnusedCode, Args{"reason": why}}
}

// CalibrationUnused says: this machine was calibrated, but not as it is now, or the file cannot be used.
func CalibrationUnused(why string) Note {
	return Note{CalibrationUnusedCode, Args{"reason": why}}
}

// NoMeterAskedFor says: the run was asked to measure no energy.
func NoMeterAskedFor() Note {
	return Note{NoMeterAskedForCode, Args{}}
}

// LaptopMeasured says: the domain cpu is the energy of the whole laptop.
func LaptopMeasured() Note {
	return Note{LaptopMeasuredCode, Args{}}
}

// BatterySlow says: a battery resolves only windows of minutes.
func BatterySlow() Note {
	return Note{BatterySlowCode, Args{}}
}

// MachineMeasured says: the domain cpu is the energy of the whole machine, by one sensor.
func MachineMeasured(sensor string) Note {
	return Note{MachineMeasuredCode, Args{"sensor": sensor}}
}

// MemoryIncluded says: what a sensor counts for processors includes the memory.
func MemoryIncluded(sensor string) Note {
	return Note{MemoryIncludedCode, Args{"sensor": sensor}}
}

// PowerIntegrated says: some sensors give power, which was read at an interval, and no energy.
func PowerIntegrated(powers, sensors int, interval float64) Note {
	return Note{PowerIntegratedCode, Args{"powers": float64(powers), "sensors": float64(sensors), "interval_ms": interval}}
}

// GPUSlow says: the readings of GPUs change too rarely for short calls.
func GPUSlow(gpus int) Note {
	return Note{GPUSlowCode, Args{"gpus": float64(gpus)}}
}

// GPUIntegrated says: some GPUs have no energy counter: their power was read at an interval.
func GPUIntegrated(integrated, gpus int, interval float64) Note {
	return Note{GPUIntegratedCode, Args{"integrated": float64(integrated), "gpus": float64(gpus), "interval_ms": interval}}
}

// ZoneNotCounted says: a powercap zone is not counted.
func ZoneNotCounted(zone, why string) Note {
	return Note{ZoneNotCountedCode, Args{"zone": zone, "reason": why}}
}

// ZoneRepeated says: a powercap zone is of a processor package that another zone counts.
func ZoneRepeated(zone, name, number string) Note {
	return Note{ZoneRepeatedCode, Args{"zone": zone, "name": name, "package": number}}
}

// MemoryRepeated says: a powercap zone is of memory that another zone counts.
func MemoryRepeated(zone string) Note {
	return Note{MemoryRepeatedCode, Args{"zone": zone}}
}

// ZoneMirrored says: a powercap zone shows the counter of another.
func ZoneMirrored(zone, name, original string) Note {
	return Note{ZoneMirroredCode, Args{"zone": zone, "name": name, "original": original}}
}

// EventMirrored says: the perf event of a CPU shows the counter of that of another, on another die.
func EventMirrored(cpu, original, number int) Note {
	return Note{EventMirroredCode, Args{"cpu": float64(cpu), "original": float64(original), "package": float64(number)}}
}

// MirrorsUnknown says: two of the perf events that are added may show one counter.
func MirrorsUnknown(err string) Note {
	return Note{MirrorsUnknownCode, Args{"error": err}}
}

// HostsShare says: the counter is one that the host of a virtual machine fills, with a share of its own energy.
func HostsShare() Note {
	return Note{HostsShareCode, Args{}}
}
