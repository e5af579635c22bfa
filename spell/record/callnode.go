package record

// A CallNode is a component as samples saw it on the stack, above its caller. The nodes of
// a run are a forest; roots were called by code outside of all components, as a test or
// the start of a goroutine. Such code has no nodes: its callees become callees of the
// component that called it. Direct recursion is one node.
type CallNode struct {
	Parent    int     `json:"p"`             // index of the caller's node, less than its own; -1 of a root
	Component int     `json:"c"`             // index into Run.Components; a block's time is its function's
	TimeMS    float64 `json:"time_ms"`       // CPU time per round for which it was on top; 0 if it only called others
	Cut       bool    `json:"cut,omitempty"` // of a root: its caller is not known, as the stack was too deep or incomplete
}
