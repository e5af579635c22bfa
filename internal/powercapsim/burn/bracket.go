package burn

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"sync"
	"time"
)

// BracketVariable names the environment variable that holds the folder of a
// powercap zone. With it, Enter and Exit read its counter around each call.
const BracketVariable = "POWERCAPSIM_BRACKET"

// A Bracket is a call between entry and exit.
type Bracket struct {
	function int
	uj       uint64
	at       time.Duration
	open     bool
}

// Enter begins a call of a function.
func Enter(function int) Bracket {
	z := zone()
	if z == nil {
		return Bracket{}
	}
	return Bracket{function, z.read(), time.Since(start), true}
}

// Exit adds the increase of the counter and the elapsed time to the function's
// account. They include callees, and whatever else ran on the machine.
func (b Bracket) Exit() {
	if !b.open {
		return
	}
	z := zone()
	gained := z.gained(b.uj)
	f := &own().accounts.Functions[b.function]
	f.BracketUJ.Add(gained)
	f.BracketNS.Add(uint64(time.Since(start) - b.at))
}

// A counter is the energy counter of a zone.
type counter struct {
	file    *os.File
	rangeUJ uint64
}

// zone is the counter of the zone that the environment names; nil for none.
var zone = sync.OnceValue(func() *counter {
	dir := os.Getenv(BracketVariable)
	if dir == "" {
		return nil
	}
	f, err := os.Open(filepath.Join(dir, "energy_uj"))
	if err == nil {
		var text []byte
		if text, err = os.ReadFile(filepath.Join(dir, "max_energy_range_uj")); err == nil {
			z := &counter{file: f}
			if z.rangeUJ, err = strconv.ParseUint(string(bytes.TrimSpace(text)), 10, 64); err == nil {
				return z
			}
		}
	}
	panic(fmt.Sprintf("burn: %s: %v", BracketVariable, err))
})

// gained is the increase of the counter since it showed before.
func (c *counter) gained(before uint64) uint64 {
	now := c.read()
	if now < before {
		now += c.rangeUJ
	}
	return now - before
}

func (c *counter) read() uint64 {
	var text [24]byte
	n, _ := c.file.ReadAt(text[:], 0) // shorter than text: the end of the file is no error
	uj, err := strconv.ParseUint(string(bytes.TrimSpace(text[:n])), 10, 64)
	if err != nil {
		panic(fmt.Sprintf("burn: reading the counter: %v", err))
	}
	return uj
}
