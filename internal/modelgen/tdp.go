package main

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"spell-lsp/runner/model/cpuname"
)

func tdpTable() table {
	return table{
		what:    "Thermal design power of processors in watts, by the maker's name.",
		project: "CodeCarbon, https://github.com/mlco2/codecarbon",
		file:    "codecarbon/data/hardware/cpu_power.csv",
		licence: "MIT",
		columns: []string{"name", "tdp_w", "list"},
		rows:    tdpRows,
	}
}

// A processor is a row of CodeCarbon's list.
type processor struct {
	name, key string // key is the same for all spellings of the name
	watts     float64
}

// tdpRows returns the rows of Intel's and AMD's processors. It leaves out rows
// without usable watts, processors whose rows disagree, and names without a maker,
// which could belong to either: a missing estimate does less harm than a wrong one.
func tdpRows(input [][]string) ([][]string, []omission, error) {
	if err := checkHead(input, "Name", "TDP"); err != nil {
		return nil, nil, err
	}
	var list []processor
	noWatts := omission{why: fmt.Sprintf("without watts from %d to %d", least, most)}
	noMaker := omission{why: "that name no maker"}
	for i, row := range input[1:] {
		name := strings.Join(strings.Fields(row[0]), " ")
		key := cpuname.Normal(name)
		watts, err := parseWatts(row[1])
		switch {
		case name == "":
			return nil, nil, fmt.Errorf("line %d has no name", i+2)
		case err != nil || watts < least:
			noWatts.names = append(noWatts.names, name)
		case !strings.HasPrefix(key, "amd ") && !strings.HasPrefix(key, "intel "):
			noMaker.names = append(noMaker.names, name)
		default:
			list = append(list, processor{name, key, watts})
		}
	}
	list, disagree := agreed(list)
	if len(list) == 0 {
		return nil, nil, errors.New("no row can be used")
	}
	rows := make([][]string, len(list))
	for i, p := range list {
		rows[i] = []string{p.name, strconv.FormatFloat(p.watts, 'f', -1, 64), "codecarbon"}
	}
	return rows, []omission{noWatts, noMaker, disagree}, nil
}

// agreed returns the processors by name, each once, without those whose rows have
// different watts.
func agreed(list []processor) ([]processor, omission) {
	slices.SortFunc(list, func(a, b processor) int {
		return cmp.Or(cmp.Compare(a.key, b.key), cmp.Compare(a.name, b.name), cmp.Compare(a.watts, b.watts))
	})
	disagree := omission{why: "whose rows disagree"}
	var kept []processor
	for from := 0; from < len(list); {
		to := from + 1
		same := true
		for to < len(list) && list[to].key == list[from].key {
			same = same && list[to].watts == list[from].watts
			to++
		}
		if same {
			kept = append(kept, list[from])
		} else {
			disagree.names = append(disagree.names, list[from].name)
		}
		from = to
	}
	slices.SortFunc(kept, func(a, b processor) int { return cmp.Compare(a.name, b.name) })
	return kept, disagree
}
