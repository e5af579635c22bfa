package toolkit

import (
	"fmt"
	"math"
	"math/bits"
	"slices"

	"spell-lsp/spell"
)

// calls adds up the calls of a trace, test by test. Time and energy between two events are
// charged to the innermost open call.
type calls struct {
	TraceOptions
	file string
	componentNames
	results

	begun  int    // line of the test's first event, 0 = none yet
	keys   []key  // the domains of the test
	given  keySet // keys, and the time if it is given
	last   event  // the previous event
	stack  []call
	begins []float64 // by call on the stack, then by key: the energy at its entry
	tally  []tally   // by component
	ran    []int32   // components with a tally
}

// A call is an open call.
type call struct {
	component int32
	line      int     // of its entry
	beginMS   float64 // the clock at its entry
	selfMS    float64 // so far; negative while the clock was set back
}

// maxOpen limits the open calls, because a trace whose calls never end must not exhaust the
// memory.
const maxOpen = 1 << 22

// A tally is the sum of the calls of a component in one test.
type tally struct {
	n                 float64
	open              int // calls on the stack
	timeMS, cumTimeMS float64
	energy, cumEnergy [domains]float64
}

func (c *calls) errorAt(e *event, what, do string) error {
	return errorAt(c.file, e.place, fault{what, do})
}

// enter opens a call.
func (c *calls) enter(e *event) error {
	if err := c.advance(e); err != nil {
		return err
	}
	component, err := c.component(e, c.file)
	if err != nil {
		return err
	}
	for int(component) >= len(c.tally) {
		c.tally = append(c.tally, tally{})
	}
	if len(c.stack) == maxOpen {
		return c.errorAt(e, fmt.Sprintf("more than %d calls are open", maxOpen), "write < name [ t = 75 ] where a call ends")
	}
	of := &c.tally[component]
	if of.n == 0 {
		c.ran = append(c.ran, component)
	}
	of.n++
	of.open++
	c.stack = append(c.stack, call{component: component, line: e.place.line, beginMS: e.timeMS})
	for _, k := range c.keys {
		c.begins = append(c.begins, e.energy[k])
	}
	return nil
}

// leave closes the innermost call.
func (c *calls) leave(e *event) error {
	if err := c.advance(e); err != nil {
		return err
	}
	if len(c.stack) == 0 {
		return c.errorAt(e, fmt.Sprintf("the exit of %q, where no call is open", unescape(string(e.name))), "write its entry before it")
	}
	top := &c.stack[len(c.stack)-1]
	if !c.is(top.component, e) {
		return c.errorAt(e, fmt.Sprintf("the exit of %s, where %s, entered in line %d, was not left", nameOf(e), c.names[top.component], top.line),
			"write exits from the innermost call outwards, also where an exception or a return skips the probe")
	}
	if err := c.clock(e, top); err != nil {
		return err
	}
	c.add(e, top)
	c.stack = c.stack[:len(c.stack)-1]
	c.begins = c.begins[:len(c.begins)-len(c.keys)]
	return nil
}

// advance charges time and energy since the previous event.
func (c *calls) advance(e *event) error {
	if err := c.sameKeys(e); err != nil {
		return err
	}
	if open := len(c.stack); open > 0 {
		top := &c.stack[open-1]
		top.selfMS += e.timeMS - c.last.timeMS
		of := &c.tally[top.component]
		for _, k := range c.keys {
			gained := e.energy[k] - c.last.energy[k]
			if gained < 0 {
				return c.errorAt(e, fmt.Sprintf("%s goes down from %v to %v within %s, entered in line %d", k, c.last.energy[k], e.energy[k], c.names[top.component], top.line),
					"a counter that wraps or is reset has to go on from where it was: add what it had to what follows")
			}
			of.energy[k] += gained
		}
	}
	c.last.energy, c.last.timeMS = e.energy, e.timeMS
	return nil
}

// sameKeys checks that all events of a test have the same keys: a missing reading is unknown
// rather than 0.
func (c *calls) sameKeys(e *event) error {
	given := e.given &^ (1 << keyModule)
	if c.begun == 0 {
		c.begun, c.given = e.place.line, given
		c.keys = append(c.keys[:0], e.keys...)
		c.learn(e.keys)
	}
	if given == c.given {
		return nil
	}
	k := key(bits.TrailingZeros16(uint16(given ^ c.given)))
	what := fmt.Sprintf("no reading of %s, which the test has in line %d", k, c.begun)
	if given.has(k) {
		what = fmt.Sprintf("a reading of %s, which the test does not have in line %d", k, c.begun)
	}
	return c.errorAt(e, what, "give all entries and exits of a test the same keys")
}

// clock checks the time of a call that ends with e. The times of its callees were checked
// before.
func (c *calls) clock(e *event, of *call) error {
	if e.timeMS < of.beginMS {
		return c.errorAt(e, fmt.Sprintf("%s ends at t = %v, before it began at %v in line %d", c.names[of.component], e.timeMS, of.beginMS, of.line),
			"take the time of one clock, that is not set meanwhile")
	}
	if of.selfMS >= 0 {
		return nil
	}
	if rounding := 1e-13 * max(e.timeMS, of.beginMS); of.selfMS < -rounding {
		return c.errorAt(e, fmt.Sprintf("%s, entered in line %d, takes %v ms less than the calls inside it", c.names[of.component], of.line, -of.selfMS),
			"take the time of one clock, that is not set meanwhile")
	}
	of.selfMS = 0
	return nil
}

// add adds the call that ends with e to the tally of its component.
func (c *calls) add(e *event, ended *call) {
	of := &c.tally[ended.component]
	of.open--
	of.timeMS += ended.selfMS
	if of.open > 0 && !c.EachCall {
		return // counted by its outermost call
	}
	of.cumTimeMS += e.timeMS - ended.beginMS
	begins := c.begins[len(c.begins)-len(c.keys):]
	for i, k := range c.keys {
		of.cumEnergy[k] += e.energy[k] - begins[i]
	}
}

// endTest turns the tallies into cells.
func (c *calls) endTest(e *event) error {
	if open := len(c.stack); open > 0 {
		top := c.stack[open-1]
		return c.errorAt(e, fmt.Sprintf("the test ends, but %s, entered in line %d, was not left", c.names[top.component], top.line),
			"write the exit of every call, also where an exception or a return skips the probe")
	}
	if len(c.titles) == math.MaxInt32 {
		return c.errorAt(e, "too many tests", "divide the file")
	}
	slices.Sort(c.ran)
	for _, j := range c.ran {
		of := &c.tally[j]
		if !of.fits() {
			return c.errorAt(e, fmt.Sprintf("the readings of %s add up to more than %v", c.names[j], float64(spell.MaxValue)), "give joules and milliseconds")
		}
		c.addCell(j, of)
		*of = tally{}
	}
	c.ran, c.begun = c.ran[:0], 0
	c.titles = append(c.titles, e.title)
	return nil
}

// fits reports whether a matrix can hold t.
func (t *tally) fits() bool {
	return t.timeMS <= spell.MaxValue && t.cumTimeMS <= spell.MaxValue &&
		slices.Max(t.energy[:]) <= spell.MaxValue && slices.Max(t.cumEnergy[:]) <= spell.MaxValue
}

// finish ends the last test, unless nothing follows the last semicolon.
func (c *calls) finish(e *event) (*Trace, error) {
	if c.begun > 0 {
		if err := c.endTest(e); err != nil {
			return nil, err
		}
	}
	if len(c.names) == 0 {
		return nil, errorAt(c.file, position{1, 1}, fault{"the file has no call", eventForm})
	}
	return c.trace(c.names), nil
}
