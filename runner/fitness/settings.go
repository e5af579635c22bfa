package fitness

// A Setting is a value of the kernel that keeps a machine steady.
type Setting struct {
	File  string // in sysfs
	Value string
}

// Settings hold the frequency: the governor performance, where the driver has it, and no turbo.
// Threads that share a core stay: without them the machine has half of its processors.
func Settings(m Machine) (list []Setting) {
	for _, p := range m.Policies {
		if p.has("performance") {
			list = append(list, Setting{p.governorFile(), "performance"})
		}
	}
	if m.Turbo != nil {
		for _, file := range m.Turbo.Files {
			list = append(list, Setting{file, m.Turbo.Off})
		}
	}
	return list
}
