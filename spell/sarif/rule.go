package sarif

type tool struct {
	Driver driver `json:"driver"`
}

type driver struct {
	Name        string       `json:"name"`
	Version     string       `json:"version,omitempty"`
	Description message      `json:"shortDescription"`
	Language    string       `json:"language"`
	Rules       []descriptor `json:"rules"`
}

type descriptor struct {
	ID            string         `json:"id"`
	Name          string         `json:"name"`
	Short         message        `json:"shortDescription"`
	Full          message        `json:"fullDescription"`
	Help          message        `json:"help"`
	Configuration configuration  `json:"defaultConfiguration"`
	Properties    map[string]any `json:"properties"`
}

type configuration struct {
	Level string `json:"level"`
}

const (
	full = "The function stands out by what it used while it was measured. Red are the first functions that together reach half of the sum of what the ranking follows, yellow the next up to 0.95 of it and all with a tenth of the energy, unless the settings say otherwise. The ranking follows the energy, weighted by the energy per call, or what the setting order says: energy alone, or psi, SPELL's global similarity of energy, executions and running time together."

	help = `A result says what stands out, and what usually helps:

- Much energy in few executions: a better algorithm or data structure.
- Many cheap executions: batch the calls, cache the result, exit loops early.
- Much waiting: the function does not compute; look at what it waits for.
- More energy than its share of the running time: it drives the machine into a higher power state.

Energy is per round, the mean of the rounds, without what the function calls. An estimate says that it is one. "Below resolution" means that the energy is too uncertain to rely on.

Measure before and after a change, and compare: spell-lsp compare base.json head.json.`
)

const (
	budgetFull = "A comment above the function limits its energy, time or calls, and what was measured is beyond that, with its whole interval. Energy and time include what the function calls."

	budgetHelp = `A budget is a comment directly above a function or test: //spell:budget 25mJ/call, 2ms/call. Make the function cheaper, or change the budget where the higher cost is meant.`
)

func theTool(o Options) tool {
	return tool{driver{
		Name: "spell-lsp", Version: o.Version, Language: "en",
		Description: text("Finds the functions that waste energy."),
		Rules: []descriptor{{
			ID: rule, Name: "EnergyLeak", Short: text("The function wastes energy"), Full: text(full),
			Help:          message{Text: help, Markdown: help},
			Configuration: configuration{"warning"},
			Properties:    map[string]any{"tags": []string{"energy", "performance"}},
		}, {
			ID: budgetRule, Name: "EnergyBudget", Short: text("The function costs more than its budget"), Full: text(budgetFull),
			Help:          message{Text: budgetHelp, Markdown: budgetHelp},
			Configuration: configuration{"error"},
			Properties:    map[string]any{"tags": []string{"energy", "performance"}},
		}},
	}}
}
