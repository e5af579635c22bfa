package benchfmt

import (
	"encoding/json"
	"fmt"
	"io"
	"strconv"

	"spell-lsp/spell/record"
)

// An entry is a benchmark of github-action-benchmark's tool customSmallerIsBetter. The action
// compares entries of the same name, whatever their units are.
type entry struct {
	Name  string  `json:"name"`
	Unit  string  `json:"unit"`
	Value float64 `json:"value"`
	Range string  `json:"range,omitempty"` // half of the 95 % interval of Value
	Extra string  `json:"extra,omitempty"` // lines that the chart shows with the point
}

// WriteGitHub writes the means of an analysed run as JSON for github-action-benchmark. The unit is in
// the name of an entry, so that the action compares no estimates with measured joules.
func WriteGitHub(w io.Writer, r *record.Run, o Options) error {
	extra := fmt.Sprintf("energy: %s\nmeter: %s\nrounds: %d", origin(r), text(meterOf(r)), r.Rounds)
	entries := []entry{}
	for _, x := range resultsOf(r, o.Top) {
		for _, v := range x.values {
			if v.part {
				continue
			}
			e := entry{Name: x.kind + " " + text(x.id) + " - " + v.unit, Unit: v.unit, Value: v.mean, Extra: extra}
			if v.half > 0 {
				e.Range = "± " + strconv.FormatFloat(v.half, 'g', 3, 64)
			}
			entries = append(entries, e)
		}
	}
	encoder := json.NewEncoder(w)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	if err := encoder.Encode(entries); err != nil {
		return fmt.Errorf("writing the benchmark entries: %w", err)
	}
	return nil
}
