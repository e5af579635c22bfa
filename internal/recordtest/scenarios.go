package recordtest

import "spell-lsp/spell/record"

// Scenarios is Park as if programs had been measured in place of tests: a service that was told
// to stop, a program that ended by itself, and one that failed.
func Scenarios() *record.Run {
	r := Estimated()
	served, done, failed := 143, 0, 3
	rename := func(i int, name string, code *int) *record.Test {
		t := &r.Tests[i]
		t.Name, t.Package, t.ExitCode = Module+"/cmd/park."+name, Module+"/cmd/park", code
		return t
	}
	serve := rename(0, "serve", &served)
	serve.Unattributed[record.OutsideCode] = record.Unattributed{TimeMS: 55, EnergyJ: record.Energy{"cpu": 0.25}}
	serve.UnattributedJ["cpu"] += 0.25
	serve.EnergyJ["cpu"] += 0.25
	rename(1, "convert", &done)
	rename(2, "broken", &failed).Output = "park: no such town: Nowhere\n"
	r.Tests = r.Tests[:3]
	r.Settings = map[string]any{"scenarios": map[string]any{
		"serve":   map[string]any{"exec": "./cmd/park -serve :8080", "ready": "8080", "load": "hey -n 100 http://localhost:8080/", "for": "30s", "stop": "SIGINT"},
		"convert": map[string]any{"exec": "./cmd/park big.xml"},
		"broken":  map[string]any{"exec": "./cmd/park Nowhere"},
	}}
	return Analyzed(r)
}

// Service is Scenarios with the first of them alone.
func Service() *record.Run {
	r := Scenarios()
	r.Tests = r.Tests[:1]
	all, _ := r.Settings["scenarios"].(map[string]any)
	r.Settings = map[string]any{"scenarios": map[string]any{"serve": all["serve"]}}
	var cells []record.Cell
	for k, cell := range r.Matrix.Cells {
		if cell.Test == 0 {
			cells = append(cells, record.Cell{C: int(cell.Component), N: cell.N, TimeMS: cell.TimeMS, EnergyJ: r.Matrix.Energy(k)})
		}
	}
	r.Matrix = record.MatrixOf(r.Meter.Domains, cells...)
	return Analyzed(r)
}
