package instrument

import (
	"strings"
	"testing"

	"spell-lsp/spell"
)

func named(ids ...string) []spell.Component {
	var list []spell.Component
	for _, id := range ids {
		list = append(list, spell.Component{ID: id, Kind: spell.KindFunction})
	}
	return list
}

// Nobody types a whole import path: the end of a name is enough where it says
// which function is meant. Where it does not, nothing may be measured.
func TestChosenFunction(t *testing.T) {
	components := append(named(
		"example.com/park.(*Park).Add",
		"example.com/park.Park.Size",
		"example.com/park.Sort",
		"",
		"example.com/v2.1/park.Sort",
		"example.com/list.(*List).Size",
		"example.com/list.init.0",
	), spell.Component{ID: "example.com/park.Sort#for1", Kind: spell.KindBlock})
	for _, test := range []struct{ name, want string }{
		{"example.com/park.(*Park).Add", "example.com/park.(*Park).Add"},
		{"(*Park).Add", "example.com/park.(*Park).Add"},
		{"Park.Add", "example.com/park.(*Park).Add"},
		{"Add", "example.com/park.(*Park).Add"},
		{"park.Park.Add", "example.com/park.(*Park).Add"},
		{"(*Park).Size", "example.com/park.Park.Size"},
		{"example.com/park.Sort", "example.com/park.Sort"},
		{"1/park.Sort", "example.com/v2.1/park.Sort"},
		{"init.0", "example.com/list.init.0"},

		{"Size", `the function "Size" could be any of example.com/park.Park.Size, example.com/list.(*List).Size: name more of one`},
		{"park.Sort", `the function "park.Sort" could be any of example.com/park.Sort, example.com/v2.1/park.Sort: name`},
		{"ark.Add", `no function "ark.Add" is measured; did you mean example.com/park.(*Park).Add?`},
		{"Park.Ad", `no function "Park.Ad" is measured; did you mean example.com/park.(*Park).Add?`},
		{"add", `no function "add" is measured; did you mean example.com/park.(*Park).Add?`},
		{"Sort#for1", `no function "Sort#for1" is measured`},
		{"Compress", `no function "Compress" is measured: name one of the packages' functions`},
		{"", `no function "" is measured`},
		{"..", `no function ".." is measured`},
	} {
		i, err := chosenFunction(components, test.name)
		if err != nil {
			if !strings.HasPrefix(err.Error(), test.want) {
				t.Errorf("%q: got  %v\nwant %s", test.name, err, test.want)
			}
			continue
		}
		if components[i].ID != test.want {
			t.Errorf("%q: got %s, want %s", test.name, components[i].ID, test.want)
		}
	}
}

func TestChosenFunctionAmongMany(t *testing.T) {
	var ids []string
	for _, c := range "abcdefghijkl" {
		ids = append(ids, "m/"+string(c)+".F")
	}
	_, err := chosenFunction(named(ids...), "F")
	if err == nil || !strings.HasSuffix(err.Error(), "m/g.F, m/h.F, 4 more: name more of one") {
		t.Errorf("got %v", err)
	}
}
