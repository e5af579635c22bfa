package spell

// Structure is the size and coupling of a function in its source, as SPELL's paper shows them beside
// energy (table 4). The zero value stands for one that is not known: the complexity of a function is
// at least 1. Components of other kinds have none.
type Structure struct {
	// Complexity is McCabe's (1976): 1 and the if, for, case and communication clauses but for default,
	// && and || of the function, with those of the literals that it declares.
	Complexity int `json:"complexity,omitempty"`
	// LinesOfCode are the lines from the function's name to the closing brace that have more than
	// blanks and comments.
	LinesOfCode int `json:"lines_of_code,omitempty"`
	// FanIn are the other functions of the measured packages that call it, FanOut those that it calls:
	// each once, where the call's target is known from the source. Calls of interface methods and of
	// functions in variables are not.
	FanIn  int `json:"fan_in,omitempty"`
	FanOut int `json:"fan_out,omitempty"`
}

// Known tells whether the structure is known.
func (s Structure) Known() bool { return s.Complexity > 0 }

// A StructureCorrelation says how far the energy of functions and one figure of their structure rise and
// fall together. Both correlations are from -1 to 1.
type StructureCorrelation struct {
	Of         string  `json:"of"`         // complexity, lines_of_code, fan_in or fan_out
	Components int     `json:"components"` // functions whose structure is known and that ran
	Spearman   float64 `json:"spearman"`
	// SpearmanCI is the 95 % interval. Pearson has none: it would rest on energies that are normally
	// distributed.
	SpearmanCI [2]float64 `json:"spearman_ci"`
	Pearson    float64    `json:"pearson"`
}
