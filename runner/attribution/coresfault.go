package attribution

// A CoresFault is why counters of cores are not believed, and none of them is used.
type CoresFault struct {
	FrozenCPU        int     // a processor of a core whose counter stood still while the program ran there; -1 for none
	CoresJ, PackageJ float64 // J, of all cores together and of the package's counter, which should have more
}

const (
	// frozenS is the running time on a core after which its counter must have changed, in s; AMD's change each millisecond.
	frozenS = 0.1
	// mostOfPackage is the most of the package's energy that all cores may have: their counters change at moments of their own.
	mostOfPackage = 1.02
)

// A coreWatch looks for faults of the counters of cores.
type coreWatch struct {
	seconds, coresJ, packageJ float64
	stillS                    []float64 // by core: running time since its counter changed
	frozen                    []bool    // by core
}

func newCoreWatch(cores int) coreWatch {
	return coreWatch{stillS: make([]float64, cores), frozen: make([]bool, cores)}
}

// add looks at a tick: its length, the energy of the package and by core, and what ran on which core.
func (w *coreWatch) add(seconds, packageJ float64, joules []float64, placed []coreEntry) {
	w.seconds, w.packageJ, w.coresJ = w.seconds+seconds, w.packageJ+packageJ, w.coresJ+sum(joules)
	for _, e := range placed {
		w.stillS[e.core] += e.seconds
	}
	for core, j := range joules {
		if j != 0 {
			w.stillS[core] = 0
		}
		w.frozen[core] = w.frozen[core] || w.stillS[core] > frozenS
	}
}

// coresFault is what was found so far, nil for nothing.
func (m *Model) coresFault() *CoresFault {
	if m.cores == nil {
		return nil
	}
	w := &m.cores.watch
	f := CoresFault{FrozenCPU: -1, CoresJ: w.coresJ, PackageJ: w.packageJ}
	for core, frozen := range w.frozen {
		if frozen {
			f.FrozenCPU = m.machine.CoreCPUs[core][0]
			return &f
		}
	}
	if w.seconds > frozenS && w.coresJ > mostOfPackage*w.packageJ {
		return &f
	}
	return nil
}

// CoresFault is why the counters of cores are not used, nil without such a cause.
func (w *Powers) CoresFault() *CoresFault { return w.coresFault }
