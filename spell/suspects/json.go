package suspects

import (
	"io"

	"spell-lsp/spell"
	"spell-lsp/spell/jsonform"
	"spell-lsp/spell/wording"
)

// Schema names the version of what [JSON] writes.
const Schema = "spell-lsp/suspects/v1"

// JSON writes one object:
//
//	{
//	 "schema": "spell-lsp/suspects/v1",
//	 "name": "matrix.txt",
//	 "coefficient": "ochiai",
//	 "tests": 6,
//	 "failed": 1,
//	 "components": 13,
//	 "diagnosability": {
//	  "tests": 6, "not_run": 1,
//	  "density": 0.5, "normalized_density": 1, "diversity": 0.9, "uniqueness": 0.6, "ddu": 0.54,
//	  "groups": [
//	   {"components": ["a", "b"], "tests": 6, "advice": "..."}
//	  ]
//	 },
//	 "suspects": [
//	  {"rank": 1, "score": 0.7, "tied": true, "component": "a", "package": "p", "file": "p/a.go", "line": 12,
//	   "executed_failed": 1, "executed_passed": 1, "not_executed_failed": 0, "not_executed_passed": 4}
//	 ]
//	}
//
// tests, failed and components are numbers; diagnosability.tests is the number of tests that
// ran some component, not_run the number of components that no test ran. A group consists of
// components that the same tests ran; its tests is the number of these tests. Shares and scores
// are from 0 to 1. Every component is in suspects once, the most suspicious
// first; equal scores have an equal rank and are tied. name, package, file and
// line are left out where they are not known. Lists are never null. Members may
// be added; these stay.
func JSON(w io.Writer, r Result) error {
	return jsonform.Write(w, "the suspects as JSON", r.document())
}

type document struct {
	Schema         string            `json:"schema"`
	Name           string            `json:"name,omitempty"`
	Coefficient    spell.Coefficient `json:"coefficient"`
	Tests          int               `json:"tests"`
	Failed         int               `json:"failed"`
	Components     int               `json:"components"`
	Diagnosability diagnosability    `json:"diagnosability"`
	Suspects       []suspect         `json:"suspects"`
}

type diagnosability struct {
	Tests             int     `json:"tests"`
	NotRun            int     `json:"not_run"`
	Density           float64 `json:"density"`
	NormalizedDensity float64 `json:"normalized_density"`
	Diversity         float64 `json:"diversity"`
	Uniqueness        float64 `json:"uniqueness"`
	DDU               float64 `json:"ddu"`
	Groups            []group `json:"groups"`
}

type group struct {
	Components []string `json:"components"`
	Tests      int      `json:"tests"`
	Advice     string   `json:"advice"`
}

type suspect struct {
	Rank              int     `json:"rank"`
	Score             float64 `json:"score"`
	Tied              bool    `json:"tied"`
	Component         string  `json:"component"`
	Package           string  `json:"package,omitempty"`
	File              string  `json:"file,omitempty"`
	Line              int     `json:"line,omitempty"`
	ExecutedFailed    int     `json:"executed_failed"`
	ExecutedPassed    int     `json:"executed_passed"`
	NotExecutedFailed int     `json:"not_executed_failed"`
	NotExecutedPassed int     `json:"not_executed_passed"`
}

func (r *Result) document() document {
	of := &r.Diagnosability
	d := document{
		Schema: Schema, Name: r.Name, Coefficient: r.Coefficient,
		Tests: len(r.Tests), Failed: r.Failed, Components: len(r.Components),
		Diagnosability: diagnosability{
			Tests: of.Tests, NotRun: of.NotRun, Density: of.Density, NormalizedDensity: of.NormalizedDensity,
			Diversity: of.Diversity, Uniqueness: of.Uniqueness, DDU: of.DDU, Groups: []group{},
		},
		Suspects: []suspect{},
	}
	for _, g := range of.Groups {
		d.Diagnosability.Groups = append(d.Diagnosability.Groups, r.group(g))
	}
	for _, s := range r.Suspects {
		c := &r.Components[s.Component]
		d.Suspects = append(d.Suspects, suspect{
			Rank: s.Rank, Score: s.Score, Tied: s.Tied, Component: c.ID, Package: c.Package, File: c.File, Line: max(0, c.Line),
			ExecutedFailed: s.ExecutedFailed, ExecutedPassed: s.ExecutedPassed,
			NotExecutedFailed: s.NotExecutedFailed, NotExecutedPassed: s.NotExecutedPassed,
		})
	}
	return d
}

func (r *Result) group(of spell.AmbiguityGroup) group {
	g := group{Tests: of.Tests, Advice: wording.Advice("", of, r.component, r.test)}
	for _, j := range of.Components {
		g.Components = append(g.Components, r.component(j))
	}
	return g
}
