package text

import (
	"fmt"
	"maps"
	"slices"

	"spell-lsp/spell/record"
)

// programs says how the programs were run that were measured in place of tests: a fact for each
// scenario, or one for a process that was running already.
func (p *sheet) programs() []Fact {
	if p.rowWord == record.TestRow {
		return nil
	}
	if attached, is := p.r.Settings["attach"].(map[string]any); is {
		return []Fact{{p.rowWord, join(said(attached, "", "package"), said(attached, "measured for ", "for"))}}
	}
	scenarios, _ := p.r.Settings["scenarios"].(map[string]any)
	var facts []Fact
	for _, name := range slices.Sorted(maps.Keys(scenarios)) {
		settings, _ := scenarios[name].(map[string]any)
		if exec := said(settings, "", "exec"); exec != "" {
			if name == commandRow {
				name = p.rowWord
			}
			facts = append(facts, Fact{name, join(exec, said(settings, "ready: ", "ready"), said(settings, "load: ", "load"),
				said(settings, "measured for ", "for"), said(settings, "ended by ", "stop"))})
		}
	}
	return facts
}

// commandRow is the name of a scenario that has none, as it was given as a command.
const commandRow = "main"

// said is what a setting says behind a label; "" if it is not set.
func said(settings map[string]any, label, key string) string {
	if value, ok := settings[key]; ok {
		return label + fmt.Sprint(value)
	}
	return ""
}
