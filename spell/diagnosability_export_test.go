package spell

// DiagnoseIn is Diagnose with a number of workers, however small the matrix is.
func DiagnoseIn(m *Matrix, workers int) Diagnosability { return m.diagnose(workers) }
