package record

// A CallNode is a component that was seen on the stack above what called it:
// the nodes of a run are a forest, whose roots were called by what is no
// component, as a test or the start of a goroutine. What a component used divides
// among its nodes as their time does. What is no component is left out: its callees
// are those of the component below it. A component that calls itself, without
// another in between, is one node.
type CallNode struct {
	Parent    int     `json:"p"`             // index of the caller's node, less than its own; -1 of a root
	Component int     `json:"c"`             // index into Run.Components; a block's time is its function's
	TimeMS    float64 `json:"time_ms"`       // CPU time per round for which it was on top; 0 if it only called others
	Cut       bool    `json:"cut,omitempty"` // of a root: what called it is not known, as the stack was too deep, or not whole
}
