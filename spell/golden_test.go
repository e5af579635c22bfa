package spell_test

import (
	"bytes"
	"encoding/json"
	"math"
	"os"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"spell-lsp/spell"
	"spell-lsp/spell/csvmatrix"
	"spell-lsp/spell/toolkit"
)

// published is what a table of the paper or the thesis must give. Arrays are
// in the order of its components or tests.
type published struct {
	Oracle        spell.Oracle
	Tests         []string
	Components    []string
	Phi           map[string][]float64
	Psi           []float64
	PsiPrinted    []float64 `json:"psi_printed"`
	PsiOfProducts []float64 `json:"psi_sum_of_products"`
	Ranking       []string
	ByEnergy      []string `json:"average_energy_ranking"`
	Tolerance     float64
}

func readTable(t *testing.T, name string) (*spell.Matrix, published) {
	t.Helper()
	m, _, err := csvmatrix.Read(bytes.NewReader(readFile(t, name+".csv")), name)
	if err != nil {
		t.Fatal(err)
	}
	var want published
	if err := json.Unmarshal(readFile(t, name+".expected.json"), &want); err != nil {
		t.Fatal(err)
	}
	return m, want
}

func readFile(t *testing.T, name string) []byte {
	t.Helper()
	text, err := os.ReadFile("testdata/golden/" + name)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// byName returns the rows of a ranking by component ID.
func byName(m *spell.Matrix, r spell.Ranking) map[string]spell.Row {
	rows := map[string]spell.Row{}
	for _, row := range r.Rows {
		rows[m.Components[row.Component].ID] = row
	}
	return rows
}

func names(m *spell.Matrix, rows []spell.Row) []string {
	var list []string
	for _, row := range rows {
		list = append(list, m.Components[row.Component].ID)
	}
	return list
}

func near(t *testing.T, what string, got, want, tolerance float64) {
	t.Helper()
	if !(math.Abs(got-want) <= tolerance) {
		t.Errorf("%s = %v, want %v within %v", what, got, want, tolerance)
	}
}

// The published tables are what makes this SPELL and not something like it.
func TestPublishedTables(t *testing.T) {
	for _, name := range []string{"spell-table2-parking", "thesis-table3", "thesis-table9"} {
		t.Run(name, func(t *testing.T) {
			m, want := readTable(t, name)
			ranking := spell.Rank(m, spell.Options{Oracle: want.Oracle})
			rows := byName(m, ranking)
			for i, c := range want.Components {
				row := rows[c]
				near(t, c+" psi", row.Psi, want.Psi[i], want.Tolerance)
				near(t, c+" phi n", row.Phi.N, want.Phi["n"][i], want.Tolerance)
				near(t, c+" phi time", row.Phi.Time, want.Phi["time"][i], want.Tolerance)
				for d, domain := range ranking.Domains {
					near(t, c+" phi "+string(domain), row.Phi.Energy[d], want.Phi[string(domain)][i], want.Tolerance)
				}
			}
			if diff := cmp.Diff(want.Ranking, names(m, ranking.Rows)); diff != "" {
				t.Errorf("ranking (-want +got):\n%s", diff)
			}
			if len(want.Phi) != len(m.Domains)+2 || len(m.Components) != len(want.Components) || ranking.Remarks != nil {
				t.Errorf("table has domains %v, %d components, remarks %v", m.Domains, len(m.Components), ranking.Remarks)
			}
		})
	}
}

// The tables were checked by hand down to the products of single cells, with
// energy in the unit that the table prints.
func TestPublishedProducts(t *testing.T) {
	tables := []struct {
		name, component string
		oracle          spell.Oracle
		perJoule        float64
		ofComponent     []float64 // by test
		ofOracle        []float64
	}{{
		"spell-table2-parking", "addCars", spell.SumOfProducts, 1,
		[]float64{3722.1888, 609.6, 760.912, 445.1776, 3976.686},
		[]float64{26883.4104, 53264.7336, 74925.4472, 817.7784, 97853.1418},
	}, {
		"thesis-table3", "c1", spell.ProductOfSums, 1000,
		[]float64{943.5, 2984.52, 893.52, 2792.76, 1989.0},
		[]float64{40174.4, 102325.72, 28684.44, 86651.04, 230589.7},
	}}
	for _, table := range tables {
		m, want := readTable(t, table.name)
		cells, tests := spell.Globals(m, spell.Options{Oracle: table.oracle})
		for i, test := range want.Tests {
			at := slices.IndexFunc(m.Cells, func(c spell.Cell) bool {
				return m.Tests[c.Test] == test && m.Components[c.Component].ID == table.component
			})
			near(t, test+" g of "+table.component, cells[at]*table.perJoule, table.ofComponent[i], want.Tolerance)
			near(t, test+" g of the oracle", tests[i]*table.perJoule, table.ofOracle[i], want.Tolerance)
		}
	}
}

// The paper prints psi made from cells that it does not round; the printed
// cells give the same up to 0.0014.
func TestPaperPrintsPsiOfUnroundedCells(t *testing.T) {
	m, want := readTable(t, "spell-table2-parking")
	rows := byName(m, spell.Rank(m, spell.Options{}))
	for i, c := range want.Components {
		near(t, c, rows[c].Psi, want.PsiPrinted[i], 0.0014)
	}
}

// Under the other oracle the same table gives the toolkit's psi, and the same
// order and zones as under its own.
func TestOraclesDifferByOneFactor(t *testing.T) {
	m, want := readTable(t, "thesis-table3")
	sop := spell.Rank(m, spell.Options{Oracle: spell.SumOfProducts})
	pos := spell.Rank(m, spell.Options{Oracle: spell.ProductOfSums})
	rows := byName(m, sop)
	for i, c := range want.Components {
		near(t, c, rows[c].Psi, want.PsiOfProducts[i], want.Tolerance)
	}
	for i := range sop.Rows {
		a, b := sop.Rows[i], pos.Rows[i]
		if a.Component != b.Component || a.Zone != b.Zone {
			t.Errorf("rank %d: component %d %s under one oracle, %d %s under the other", i+1, a.Component, a.Zone, b.Component, b.Zone)
		}
		near(t, "factor", b.Psi/a.Psi, pos.Rows[0].Psi/sop.Rows[0].Psi, 1e-14)
	}
}

// Energy alone ranks otherwise: that is the thesis' case for psi.
func TestEnergyAloneRanksOtherwise(t *testing.T) {
	m, want := readTable(t, "thesis-table3")
	rows := spell.Rank(m, spell.Options{}).Rows
	slices.SortFunc(rows, func(a, b spell.Row) int {
		if a.Joules[0] > b.Joules[0] {
			return -1
		}
		return 1
	})
	if diff := cmp.Diff(want.ByEnergy, names(m, rows)); diff != "" {
		t.Errorf("order by energy (-want +got):\n%s", diff)
	}
}

// The example of the original toolkit's README, to the digits that it prints.
func TestToolkitREADME(t *testing.T) {
	m, err := toolkit.ReadMatrix(bytes.NewReader(readFile(t, "toolkit-readme.spell")), "toolkit-readme.spell")
	if err != nil {
		t.Fatal(err)
	}
	want := []float64{.24664244922, .46778672348, .14496411045, .14060671685}
	ranking := spell.Rank(m, spell.Options{})
	if len(ranking.Rows) != len(want) {
		t.Fatalf("%d rows, want %d", len(ranking.Rows), len(want))
	}
	for _, row := range ranking.Rows {
		near(t, m.Components[row.Component].ID, row.Psi, want[row.Component], 1e-10)
	}
}
