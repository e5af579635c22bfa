package collections

import (
	"iter"
	"math/rand/v2"
)

// A treap is a binary search tree that is balanced by chance: it is a heap by the random priorities of its
// nodes (Seidel and Aragon, "Randomized Search Trees", 1996).
type treap struct {
	root   *node
	random *rand.PCG
}

type node struct {
	value       int
	priority    uint64 // at least those of the children
	left, right *node
}

// newTreap is an empty tree, whose shape depends on nothing but the values.
func newTreap() *treap { return &treap{random: rand.NewPCG(1, 2)} }

func (t *treap) Contains(v int) bool {
	n := t.root
	for n != nil && n.value != v {
		if v < n.value {
			n = n.left
		} else {
			n = n.right
		}
	}
	return n != nil
}

// Insert goes down to where the priority belongs, and splits what is below.
func (t *treap) Insert(v int) bool {
	if t.Contains(v) {
		return false
	}
	added := &node{value: v, priority: t.random.Uint64()}
	at := &t.root
	for *at != nil && (*at).priority >= added.priority {
		if v < (*at).value {
			at = &(*at).left
		} else {
			at = &(*at).right
		}
	}
	added.left, added.right = split(*at, v)
	*at = added
	return true
}

// split divides a tree into the values below v and those above.
func split(n *node, v int) (below, above *node) {
	switch {
	case n == nil:
		return nil, nil
	case n.value < v:
		n.right, above = split(n.right, v)
		return n, above
	}
	below, n.left = split(n.left, v)
	return below, n
}

// Remove joins the two subtrees of the node in its place.
func (t *treap) Remove(v int) bool {
	at := &t.root
	for *at != nil && (*at).value != v {
		if v < (*at).value {
			at = &(*at).left
		} else {
			at = &(*at).right
		}
	}
	if *at == nil {
		return false
	}
	*at = join((*at).left, (*at).right)
	return true
}

// join makes one tree of two, of which all values of the first are smaller.
func join(a, b *node) *node {
	switch {
	case a == nil:
		return b
	case b == nil:
		return a
	case a.priority >= b.priority:
		a.right = join(a.right, b)
		return a
	}
	b.left = join(a, b.left)
	return b
}

// All yields the values in ascending order.
func (t *treap) All() iter.Seq[int] {
	return func(yield func(int) bool) { t.root.each(yield) }
}

func (n *node) each(yield func(int) bool) bool {
	return n == nil || n.left.each(yield) && yield(n.value) && n.right.each(yield)
}
