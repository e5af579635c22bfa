//go:build go1.23

package xpath_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/antchfx/xpath"
)

type node struct {
	kind                                xpath.NodeType
	name, value                         string
	parent, first, last, previous, next *node
}

func (n *node) add(kind xpath.NodeType, name, value string) *node {
	child := &node{kind: kind, name: name, value: value, parent: n, previous: n.last}
	if n.last == nil {
		n.first = child
	} else {
		n.last.next = child
	}
	n.last = child
	return child
}

// A cursor has a document by its number, so that two cursors are compared by value.
type cursor struct {
	all []*node
	at  int
}

func number(root *node, all []*node, of map[*node]int) []*node {
	of[root] = len(all)
	all = append(all, root)
	for child := root.first; child != nil; child = child.next {
		all = number(child, all, of)
	}
	return all
}

var numbers = make(map[*node]int)

func (c *cursor) node() *node { return c.all[c.at] }

func (c *cursor) to(n *node) bool {
	if n == nil {
		return false
	}
	c.at = numbers[n]
	return true
}

func (c *cursor) NodeType() xpath.NodeType  { return c.node().kind }
func (c *cursor) LocalName() string         { return c.node().name }
func (c *cursor) Prefix() string            { return "" }
func (c *cursor) Copy() xpath.NodeNavigator { other := *c; return &other }
func (c *cursor) MoveToRoot()               { c.at = 0 }
func (c *cursor) MoveToParent() bool        { return c.to(c.node().parent) }
func (c *cursor) MoveToNextAttribute() bool { return false }
func (c *cursor) MoveToChild() bool         { return c.to(c.node().first) }
func (c *cursor) MoveToNext() bool          { return c.to(c.node().next) }
func (c *cursor) MoveToPrevious() bool      { return c.to(c.node().previous) }

func (c *cursor) MoveToFirst() bool {
	if c.node().parent == nil {
		return false
	}
	return c.to(c.node().parent.first)
}

func (c *cursor) MoveTo(other xpath.NodeNavigator) bool {
	c.at = other.(*cursor).at
	return true
}

func (c *cursor) Value() string {
	var b strings.Builder
	var write func(n *node)
	write = func(n *node) {
		b.WriteString(n.value)
		for child := n.first; child != nil; child = child.next {
			write(child)
		}
	}
	write(c.node())
	return b.String()
}

func document() *cursor {
	root := &node{kind: xpath.RootNode}
	list := root.add(xpath.ElementNode, "list", "")
	for i := range 60 {
		section := list.add(xpath.ElementNode, "section", "")
		for j := range 8 {
			section.add(xpath.ElementNode, "title", "").add(xpath.TextNode, "", fmt.Sprint("title ", i, j))
			section.add(xpath.ElementNode, "para", "").add(xpath.TextNode, "", fmt.Sprint("some  text ", i, j))
		}
	}
	return &cursor{all: number(root, nil, numbers)}
}

func count(t *testing.T, c *cursor, expr string, want int) {
	t.Helper()
	n := 0
	for nodes := xpath.Select(c.Copy(), expr); nodes.MoveNext(); {
		n++
	}
	if n != want {
		t.Fatalf("%s selects %d", expr, n)
	}
}

func TestWorkloadSpace(t *testing.T) {
	c := document()
	for range 60 {
		count(t, c, "//para[normalize-space(.) = 'some text 3 5']", 1)
	}
}

func TestWorkloadQueries(t *testing.T) {
	c := document()
	for range 60 {
		count(t, c, "//section/title", 480)
		count(t, c, "//para[contains(., 'text 3')]", 88)
		count(t, c, "//section[position() < 5]/para[starts-with(., 'some')]", 32)
		count(t, c, "//title/following-sibling::para", 2160)
	}
}
