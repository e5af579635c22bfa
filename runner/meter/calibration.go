package meter

// A Calibration has watts for the meter model that were fitted on this machine. It is plain data, so
// that a privileged process which reads the meter needs to open no file of its user.
type Calibration struct {
	IdleW   float64
	BusyW   float64 // for each second of CPU time; 0 where there is no calibration
	Weighed bool    // BusyW is that at the base frequency
	Basis   string  // when, by what, how well
	Unused  string  // why one that was found is not used; "" otherwise
}

// UsualRoots says whether everything is read where the system has it.
func (o Options) UsualRoots() bool {
	o.Calibration = Calibration{}
	return o == Options{}
}
