package wording

import "spell-lsp/spell/note"

// nodeTexts: the machines that ran the rounds of one run.
var nodeTexts = map[note.Code]string{
	note.RanOnNodesCode:        "the {rounds:round} ran on {nodes}: intervals count what differs between nodes",
	note.NodeDiffersCode:       "{node} differs: its rounds take {cost_change~} {quantity} than those of the other nodes. Leave it out, or find out why",
	note.NodeOfAnotherKindCode: "{rounds:round} of {node} do not count, because it is not of the kind of the other nodes ({differences;}): ask for nodes of one kind",
	note.NodeMetersDifferCode:  "meter {base_meter} and {head_meter}",
	note.OnNodeCode:            "{node}: {fact}",
	note.NodeEndedCode:         "[{node}: ]not all rounds are complete: {reason}",
	note.NodesDifferCode:       "{@base} ran on {base_nodes}, {@head} on {head_nodes}: a change must be larger than what differs between nodes. If a run used one node only, that difference is not known.",
}
