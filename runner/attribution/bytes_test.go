package attribution

import (
	"math"
	"testing"

	"spell-lsp/instrument/probe"
	"spell-lsp/spell"
	"spell-lsp/spell/record"
)

// byBytes are powers with a meter of 1 nJ a byte read, 2 nJ a byte written, and 4 nJ a byte on
// the network.
func byBytes(components int) *Powers {
	w := NewModel(Machine{
		Domains: []spell.Domain{spell.CPU, spell.Disk, spell.Net},
		PerByte: [][2]float64{{}, {1e-9, 2e-9}, {4e-9, 4e-9}},
	}, components, true).Powers()
	w.idleW = []float64{0, 0, 0}
	return w
}

// Why: the host's share of a virtual machine's energy says nothing of functions. All of it must be a
// part of its own, beside bytes that are divided, and nothing of it may be in any other part.
func TestEnergyThatIsNotDivided(t *testing.T) {
	const second = 1e9
	w := NewModel(Machine{
		Domains: []spell.Domain{spell.CPU, spell.Disk}, Whole: []bool{true, false}, Counter: true, WholeMachine: true, UpdateNS: []int64{second, second},
		PerByte: [][2]float64{{}, {1e-9, 2e-9}},
	}, 2, true)
	w.SetRest(Rest{IdleW: []float64{0, 0}})
	p := w.Powers()
	if p.Divides(0) || !p.Divides(1) {
		t.Errorf("the host's share is divided: %t, bytes are: %t", p.Divides(0), p.Divides(1))
	}
	v := &Interval{
		Counts: map[int]probe.Count{
			0: {SelfNS: 0.1 * second},
			1: {N: 1, SelfNS: 0.6 * second, CumNS: 0.6 * second, Moved: probe.Moved{Stored: 1e9, BelowStored: 1e9}},
		},
		Joules: []float64{7, 2}, LengthNS: second, ProgramNS: second, OthersNS: 0.2 * second, ChildrenNS: 0.1 * second,
	}
	shares, parts := NewTotals(2, nil).Attribute(v, p)
	if s := shares[0]; s.Joules[0] != 0 || s.CumJoules[0] != 0 || s.Joules[1] != 2 || s.SelfNS == 0 {
		t.Errorf("the function has %+v", s)
	}
	for name, part := range parts {
		want := 0.0
		if name == record.NotByFunction {
			want = 7
		}
		if part.Joules[0] != want {
			t.Errorf("%s has %g J of the host's share, want %g", name, part.Joules[0], want)
		}
	}
	if _, is := parts[record.NotByFunction]; !is {
		t.Error("the host's share is in no part")
	}
}

// Energy of bytes belongs to whoever moved them: to Save and not to Spin, which has the time, nor to
// Load, whose bytes the page cache had. What the counter gained beyond that is a part of its own, and
// the energy of the processor is divided as without bytes.
func TestEnergyOfBytes(t *testing.T) {
	const second = 1e9
	const save, spin, load, all = 0, 1, 2, 3
	for name, tt := range map[string]struct {
		disk, net                                   float64 // gained
		save, load, send, code, strays, none, other float64 // joules of the disk, but for send and other
	}{
		"as counted":              {disk: 13, net: 6, save: 8, send: 4, code: 2, strays: 2, none: 1, other: 2},
		"the counter gained less": {disk: 6, net: 2, save: 4, send: 2, code: 1, strays: 1},
		"nothing was gained":      {},
	} {
		t.Run(name, func(t *testing.T) {
			v := &Interval{
				Counts: map[int]probe.Count{
					0:                    {Moved: probe.Moved{Fetched: 2e9}},
					1 + save:             {N: 1, SelfNS: 0.06 * second, CumNS: 0.06 * second, Moved: probe.Moved{Written: 5e9, Stored: 4e9, BelowStored: 4e9}},
					1 + spin:             {N: 1, SelfNS: 0.94 * second, CumNS: second, Moved: probe.Moved{BelowStored: 4e9}},
					1 + load:             {N: 1, Moved: probe.Moved{Read: 9e9, Sent: 7e8, Wire: 1e9, BelowWire: 1e9}},
					probe.StraysRow(all): {Moved: probe.Moved{Stored: 1e9}},
				},
				Joules: []float64{10, tt.disk, tt.net}, LengthNS: second, ProgramNS: second,
			}
			shares, parts := NewTotals(all, nil).Attribute(v, byBytes(all))
			of := func(part record.Part, domain int) float64 {
				if p, ok := parts[part]; ok {
					return p.Joules[domain]
				}
				return 0
			}
			for what, pair := range map[string][2]float64{
				"Save, disk":                 {shares[save].Joules[1], tt.save},
				"Save, disk, with callees":   {shares[save].CumJoules[1], tt.save},
				"Save, processor":            {shares[save].Joules[0], 0.6},
				"Spin, disk":                 {shares[spin].Joules[1], 0},
				"Spin, disk, with callees":   {shares[spin].CumJoules[1], tt.save},
				"Spin, processor":            {shares[spin].Joules[0], 9.4},
				"Load, disk":                 {shares[load].Joules[1], 0},
				"Load, network":              {shares[load].Joules[2], tt.send},
				"test code, disk":            {of(record.TestCode, 1), tt.code},
				"ended tests, disk":          {of(record.Strays, 1), tt.strays},
				"moved by no function, disk": {of(record.MovedByNone, 1), tt.none},
				"moved by no function, net":  {of(record.MovedByNone, 2), tt.other},
				"bytes read":                 {shares[load].Moved.ReadBytes, 9e9},
				"bytes sent":                 {shares[load].Moved.SentBytes, 7e8},
				"bytes written":              {shares[save].Moved.WrittenBytes, 5e9},
			} {
				if got, want := pair[0], pair[1]; math.Abs(got-want) > 1e-9 {
					t.Errorf("%s: %v, want %v", what, got, want)
				}
			}
			for d := range v.Joules {
				var sum float64
				for _, s := range shares {
					sum += s.Joules[d]
				}
				for _, p := range parts {
					sum += p.Joules[d]
				}
				if math.Abs(sum-v.Joules[d]) > 1e-9 {
					t.Errorf("components and parts add up to %v J in domain %d, the counter gained %v J", sum, d, v.Joules[d])
				}
			}
		})
	}
}
