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
	// Power is how many watts the component drew under this caller, in proportion to all of
	// its time. It is the same in all nodes with this component and caller. 0 stands for 1: the
	// energy is shared by time, for the reason in ByTime.
	Power float64 `json:"power,omitempty"`
	// PowerCI is the 95 % interval of Power, with the error of the time under this caller; both
	// are 0 where it is not known.
	PowerCI [2]float64 `json:"power_ci,omitzero"`
	// ByTime is "" where Power says something, and where the ticks of the meter were not asked:
	// no counter, one caller only, packages, files or types.
	ByTime ByTime `json:"by_time,omitempty"`
}

// RelativePower is the power under this caller in proportion to that over all of them.
func (n *CallNode) RelativePower() float64 {
	if n.Power == 0 {
		return 1
	}
	return n.Power
}

// A ByTime says why the energy of a component is shared among its callers by time.
type ByTime string

// The reasons.
const (
	Alike       ByTime = "alike"       // its power under one caller does not differ from that under others, as far as the ticks tell
	Interleaved ByTime = "interleaved" // callers change faster than samples follow
	Few         ByTime = "few"         // too few samples, or too few runs under one caller
)
