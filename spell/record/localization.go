package record

// A Localization says how well the tests can tell the components apart. See
// spell.Diagnosability; all shares are from 0 to 1.
type Localization struct {
	Density           float64     `json:"density"`
	NormalizedDensity float64     `json:"normalized_density"`
	Diversity         float64     `json:"diversity"`
	Uniqueness        float64     `json:"uniqueness"`
	DDU               float64     `json:"ddu"`
	NotRun            int         `json:"not_run"` // components that no test ran
	Groups            []Ambiguity `json:"ambiguity_groups"`
}

// An Ambiguity is two components and more that exactly the same tests ran.
type Ambiguity struct {
	Components []string `json:"components"` // their IDs
	Tests      int      `json:"tests"`      // that ran them
	Advice     string   `json:"advice"`     // which test would separate them
}
