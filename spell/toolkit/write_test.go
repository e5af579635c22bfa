package toolkit_test

import (
	"bytes"
	"errors"
	"io"
	"math"
	"math/rand/v2"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"spell-lsp/spell"
	"spell-lsp/spell/toolkit"
)

func writeMatrix(t *testing.T, m *spell.Matrix) string {
	t.Helper()
	var b bytes.Buffer
	if err := toolkit.WriteMatrix(&b, m); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestWriteMatrix(t *testing.T) {
	unknown := small()
	unknown.Domains, unknown.Energy = nil, nil
	zero := numbered(1, 1, spell.CPU)
	zero.Add(spell.Cell{}, 0)
	turned := small()
	turned.Cells[0], turned.Cells[2] = turned.Cells[2], turned.Cells[0]
	turned.Energy[0], turned.Energy[2] = turned.Energy[2], turned.Energy[0]
	all := numbered(1, 2, spell.Net, spell.DRAM, spell.CPU, spell.GPU, spell.Disk, spell.Fans)
	all.Add(spell.Cell{Component: 1, N: 1e21, TimeMS: 1e-7}, 1, 2e-300, 0, 4, math.Copysign(0, -1), 1e60)
	const rows = "[ [ cpu = 37, n = 1, t = 75 ] [ cpu = 61, n = 2, t = 102 ] ]\n[ _ [ cpu = 38.25, n = 3, t = 77.5 ] ]\n"
	for _, test := range []struct {
		name string
		m    *spell.Matrix
		want string
	}{
		{"as in the toolkit's README", small(), rows},
		{"cells in another order", turned, rows},
		{"no domains", unknown, "[ [ n = 1, t = 75 ] [ n = 2, t = 102 ] ]\n[ _ [ n = 3, t = 77.5 ] ]\n"},
		{"zero is no empty cell", zero, "[ [ cpu = 0.0, n = 00, t = 0.0 ] ]\n"},
		{"no cells", numbered(2, 3, spell.CPU), "[ _ _ _ ]\n[ _ _ _ ]\n"},
		{"no exponents", all, "[ _ [ net = 1, ram = 0." + strings.Repeat("0", 299) + "2, cpu = 0.0, gpu = 4, disk = 0.0, fans = 1" + strings.Repeat("0", 60) +
			", n = 1" + strings.Repeat("0", 21) + ", t = 0.0000001 ] ]\n"},
	} {
		if diff := cmp.Diff(test.want, writeMatrix(t, test.m)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", test.name, diff)
		}
	}
}

// Every value comes back to the last bit, and so do empty cells, empty and zero
// rows and columns, domains that are 0 throughout, and their order.
func TestWriteMatrixLosesNothing(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	value := func() float64 {
		if rng.IntN(4) == 0 {
			return float64(rng.IntN(3))
		}
		return math.Pow(10, 360*rng.Float64()-300)
	}
	for domains := range len(spell.Domains()) + 1 {
		m := numbered(20, 10)
		for _, d := range rng.Perm(len(spell.Domains()))[:domains] {
			m.Domains = append(m.Domains, spell.Domains()[d])
		}
		for i := range 20 {
			for j := range 9 { // the last component ran in no test
				c := spell.Cell{Test: int32(i), Component: int32(j), N: value(), TimeMS: value()}
				joules := make([]float64, domains)
				for d := 1; d < domains; d++ { // the first domain is 0
					joules[d] = value()
				}
				switch {
				case i%5 == 1 || rng.IntN(3) == 0: // some tests ran nothing
				case i%5 == 2 || j == 4: // and some values are all 0
					c.N, c.TimeMS = 0, 0
					clear(joules)
					m.Add(c, joules...)
				default:
					m.Add(c, joules...)
				}
			}
		}
		text := writeMatrix(t, m)
		if diff := cmp.Diff(m, readMatrix(t, text)); diff != "" {
			t.Errorf("%d domains (-want +got):\n%s", domains, diff)
		}
		if exponent := regexp.MustCompile(`[0-9][eE]`).FindString(text); exponent != "" {
			t.Errorf("%d domains: there is an exponent", domains)
		}
	}
}

// What could not be read again is not written.
func TestWriteMatrixRefuses(t *testing.T) {
	for _, test := range []struct {
		name   string
		change func(m *spell.Matrix)
		want   string
	}{
		{"not valid", func(m *spell.Matrix) { m.Cells[0].N = -1 }, `test "t1", component "c1": n is -1, must be a number from 0 to 1e+60`},
		{"unknown domain", func(m *spell.Matrix) { m.Domains[0] = "steam" }, `domain "steam" has no key; the domains are cpu, dram, gpu, disk, fans, net`},
		{"no test", func(m *spell.Matrix) { *m = *numbered(0, 2) }, "the format needs a test and a component; write CSV or JSON"},
		{"no component", func(m *spell.Matrix) { *m = *numbered(2, 0) }, "the format needs a test and a component; write CSV or JSON"},
	} {
		m := small()
		test.change(m)
		var b bytes.Buffer
		err := toolkit.WriteMatrix(&b, m)
		if want := "writing a matrix for the SPELL toolkit: " + test.want; err == nil || err.Error() != want {
			t.Errorf("%s: error %v, want %s", test.name, err, want)
		}
		if b.Len() > 0 {
			t.Errorf("%s: wrote %q all the same", test.name, b.String())
		}
	}
}

type full struct{}

var errFull = errors.New("disk full")

func (full) Write([]byte) (int, error) { return 0, errFull }

// An output that takes no more is reported by both writers, whether that shows
// on the way or at the end.
func TestWritersReportTheOutputsError(t *testing.T) {
	large := small()
	for i := range 5000 {
		large.Tests = append(large.Tests, "u"+strconv.Itoa(i))
		large.Add(spell.Cell{Test: int32(i + 2), N: 1}, 1)
	}
	often := small()
	often.Cells[0].N = 5000
	for name, write := range map[string]func(io.Writer, *spell.Matrix) error{"matrix": toolkit.WriteMatrix, "trace": toolkit.WriteTrace} {
		for _, m := range []*spell.Matrix{small(), large, often} {
			if err := write(full{}, m); !errors.Is(err, errFull) {
				t.Errorf("%s: error %v, want %v", name, err, errFull)
			}
		}
	}
}
