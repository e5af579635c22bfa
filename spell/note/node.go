package note

// Codes: what a reader must know of the machines that ran the rounds of one run.
const (
	RanOnNodesCode        Code = "node.ran"
	NodeDiffersCode       Code = "node.differs"
	NodeOfAnotherKindCode Code = "node.another-kind"
	NodeMetersDifferCode  Code = "node.meters-differ"
	OnNodeCode            Code = "node.said"
	NodeEndedCode         Code = "node.ended"
	NodesDifferCode       Code = "comparison.nodes-differ"
)

// RanOnNodes says: the rounds ran on these nodes.
func RanOnNodes(rounds int, nodes []string) Note {
	return Note{RanOnNodesCode, Args{"rounds": float64(rounds), "nodes": nodes}}
}

// NodeDiffers says: the rounds of a node cost more or less than those of the others; quantity is energy or time.
func NodeDiffers(node, quantity string, relative float64) Note {
	return Note{NodeDiffersCode, Args{"node": node, "quantity": quantity, "cost_change": relative}}
}

// NodeOfAnotherKind says: the rounds of a node do not count, as it differs from the others in kind.
func NodeOfAnotherKind(node string, rounds int, differences []Note) Note {
	return Note{NodeOfAnotherKindCode, Args{"node": node, "rounds": float64(rounds), "differences": differences}}
}

// NodeMetersDiffer says: nodes have different meters, or know different domains by function.
func NodeMetersDiffer(most, other string) Note {
	return Note{NodeMetersDifferCode, Args{"base_meter": most, "head_meter": other}}
}

// OnNode says: a fact is about one node.
func OnNode(node string, fact Note) Note {
	return Note{OnNodeCode, Args{"node": node, "fact": fact}}
}

// NodeEnded says: a part of the measurement ended before all of its rounds were complete, for that reason.
// node is "" where none had been given to it.
func NodeEnded(node, reason string) Note {
	return Note{NodeEndedCode, Args{"node": node, "reason": reason}}
}

// NodesDiffer says: two runs are of different nodes.
func NodesDiffer(base, head []string) Note {
	return Note{NodesDifferCode, Args{"base_nodes": base, "head_nodes": head}}
}
