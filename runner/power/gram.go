package power

import (
	"slices"

	"gonum.org/v1/gonum/floats"
)

const denseShare = 4 // a block is dense if more than one term in denseShare is not 0

// A gram holds sums of products (Gram matrices) over the blocks of one level.
type gram struct {
	xx     []float64 // terms x stride; the product of terms i and j is at (i,j) plus (j,i)
	stride int
	xy     []float64 // terms x domains
	yy     []float64 // domains
	blocks int
}

func (g *gram) resize(terms, domains int) {
	xx := make([]float64, terms*terms)
	for i := range g.stride {
		copy(xx[i*terms:], g.xx[i*g.stride:(i+1)*g.stride])
	}
	xy := make([]float64, terms*domains)
	copy(xy, g.xy)
	if g.yy == nil {
		g.yy = make([]float64, domains)
	}
	g.xx, g.stride, g.xy = xx, terms, xy
}

// add adds a block. For a block with many terms it is cheaper to go through all terms in
// order.
func (g *gram) add(b *block) {
	g.blocks++
	if denseShare*len(b.terms) > g.stride {
		g.addDense(b)
	} else {
		g.addSparse(b)
	}
	d := len(b.joules)
	for _, t := range b.terms {
		xy := g.xy[int(t)*d : (int(t)+1)*d]
		for k, y := range b.joules {
			xy[k] += b.x[t] * y
		}
	}
	for k, y := range b.joules {
		g.yy[k] += y * y
	}
}

func (g *gram) addDense(b *block) {
	for _, t := range b.terms {
		i := int(t)
		floats.AddScaled(g.xx[i*g.stride+i:(i+1)*g.stride], b.x[i], b.x[i:g.stride])
	}
}

func (g *gram) addSparse(b *block) {
	values := b.gather()
	for i, t := range b.terms {
		x := values[i]
		row := g.xx[int(t)*g.stride : (int(t)+1)*g.stride]
		row[t] += x * x
		xs := values[i+1:]
		for j, u := range b.terms[i+1:] {
			row[u] += x * xs[j]
		}
	}
}

// fold adds a term to another and leaves it empty.
func (g *gram) fold(from, to int) {
	at := func(i, j int) *float64 { return &g.xx[i*g.stride+j] }
	*at(to, to) += *at(from, from) + 2*g.product(from, to)
	*at(from, from), *at(from, to), *at(to, from) = 0, 0, 0
	for i := range g.stride {
		if i != to && i != from {
			*at(to, i) += *at(from, i) + *at(i, from)
			*at(from, i), *at(i, from) = 0, 0
		}
	}
	d := len(g.yy)
	for k := range d {
		g.xy[to*d+k] += g.xy[from*d+k]
		g.xy[from*d+k] = 0
	}
}

func (g *gram) clone() gram {
	c := *g
	c.xx, c.xy, c.yy = slices.Clone(g.xx), slices.Clone(g.xy), slices.Clone(g.yy)
	return c
}

// A block is the sum of some ticks.
type block struct {
	x      []float64 // by term
	terms  []int32   // where x is not 0
	values []float64 // of x at terms; buffer of gather
	joules []float64 // by domain
	parts  int       // blocks of the level below
}

func (b *block) resize(terms, domains int) {
	x := make([]float64, terms)
	copy(x, b.x)
	b.x = x
	if b.joules == nil {
		b.joules = make([]float64, domains)
	}
}

func (b *block) put(term int32, x float64) {
	if b.x[term] == 0 {
		b.terms = append(b.terms, term)
	}
	b.x[term] += x
}

func (b *block) join(part *block) {
	for _, t := range part.terms {
		b.put(t, part.x[t])
	}
	for d, j := range part.joules {
		b.joules[d] += j
	}
	b.parts++
}

func (b *block) gather() []float64 {
	b.values = b.values[:0]
	for _, t := range b.terms {
		b.values = append(b.values, b.x[t])
	}
	return b.values
}

func (b *block) fold(from, to int32) {
	i := slices.Index(b.terms, from)
	if i < 0 {
		return
	}
	b.terms = slices.Delete(b.terms, i, i+1)
	x := b.x[from]
	b.x[from] = 0
	b.put(to, x)
}

func (b *block) clear() {
	for _, t := range b.terms {
		b.x[t] = 0
	}
	b.terms, b.parts = b.terms[:0], 0
	clear(b.joules)
}

func (b *block) clone() block {
	c := *b
	c.x, c.terms, c.joules, c.values = slices.Clone(b.x), slices.Clone(b.terms), slices.Clone(b.joules), nil
	return c
}

func (g *gram) product(i, j int) float64 {
	if i == j {
		return g.xx[i*g.stride+i]
	}
	return g.xx[i*g.stride+j] + g.xx[j*g.stride+i]
}
