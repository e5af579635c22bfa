package bisection

// Schema names the version of the JSON form.
const Schema = "spell-lsp/bisection/v1"

// An Outcome says how a search ended.
type Outcome string

// The outcomes.
const (
	Culprit      Outcome = "found"
	SeveralLeft  Outcome = "range"         // one of several commits; which of them is not known
	NoDifference Outcome = "no-difference" // between GOOD and BAD
	BadCheaper   Outcome = "cheaper"       // BAD is cheaper than GOOD
)

// A Result is what came of a search. Commits are in the order of the history, the oldest first.
type Result struct {
	Schema  string  `json:"schema"`
	Outcome Outcome `json:"outcome"`
	Good    Commit  `json:"good"` // where the search began, see Asked
	Bad     Commit  `json:"bad"`
	// Asked is the GOOD that was asked for, where it is not a first parent of BAD: Good is then the
	// last commit of that history that both have. nil otherwise.
	Asked *Commit `json:"asked_good,omitempty"`

	Tests     []string `json:"tests"`
	Component string   `json:"component,omitempty"` // whose self values were compared; "" = those of the tests
	Quantity  Quantity `json:"quantity"`
	Meter     string   `json:"meter"`
	Source    string   `json:"source"` // measured, estimated or none, as in a run record

	Change Difference `json:"change"` // from Good to Bad
	// Commits of which one made it more expensive; one where it was found.
	Commits []Commit `json:"commits"`
	// Parent is the commit before Commits, and Made what the last of Commits changed from there.
	Parent *Commit     `json:"parent,omitempty"`
	Made   *Difference `json:"made,omitempty"`
	Merge  MergeCase   `json:"merge,omitempty"`
	// Unconfirmed says that the commit is like BAD and its parent like GOOD, but no difference
	// between the two was found.
	Unconfirmed bool      `json:"unconfirmed,omitempty"`
	Function    *Function `json:"function,omitempty"` // whose cost grew most; nil = none did significantly
	// Explanation says why nothing is known of functions; "" = it is.
	Explanation string `json:"explanation,omitempty"`

	Tried   []Tried `json:"tried"`   // in the order of the search, without Good and Bad
	History int     `json:"history"` // commits from Good (not included) to Bad, with those of merged sides that were searched
	Rounds  int     `json:"rounds"`  // in all, with those of Good and Bad
	Kept    int     `json:"kept"`    // of Rounds, those of earlier starts
	Shallow bool    `json:"shallow"` // the repository does not have the whole history
}

// A Quantity is what was compared.
type Quantity string

// The quantities.
const (
	Energy Quantity = "energy"
	Time   Quantity = "time" // where no energy is known
)

// A MergeCase says what is known of a culprit that merges other commits.
type MergeCase string

// The cases. "" is a commit that is no merge, or one that was found in a merged side.
const (
	MergeItself MergeCase = "itself" // neither side is more expensive: the merge made it so
	MergeUnsure MergeCase = "unsure" // it, or a commit of its other side
)

// A Commit names a commit.
type Commit struct {
	Hash    string `json:"hash"`
	Short   string `json:"short"`
	Date    string `json:"date"` // of the author, RFC 3339
	Subject string `json:"subject"`
}

// A Difference is a Change in JSON.
type Difference struct {
	Change float64    `json:"change"`    // 0.15 is 15 % more
	CI     [2]float64 `json:"change_ci"` // 95 % interval
	Rounds int        `json:"rounds"`    // of each of the two
}

// Difference is c as a part of a result.
func (c Change) Difference() Difference { return Difference{c.Change, c.CI, c.Rounds} }

// Tried is a commit that was placed, or could not be.
type Tried struct {
	Commit
	Side   Side   `json:"side"`
	Rounds int    `json:"rounds"`
	Reason string `json:"reason,omitempty"`
}

// A Function is the one whose cost grew most from Parent to the culprit.
type Function struct {
	ID       string      `json:"id"`
	File     string      `json:"file"`
	Line     int         `json:"line"`
	Quantity Quantity    `json:"quantity"`
	Base     float64     `json:"base"` // per round, J or ms
	Head     float64     `json:"head"`
	Change   *float64    `json:"change"` // nil if Base is 0
	CI       *[2]float64 `json:"change_ci"`
	New      bool        `json:"new,omitempty"`    // the parent does not have it
	Costly   *CostlyLine `json:"costly,omitempty"` // nil = its lines are not known
}

// A CostlyLine is the line of a function that probably made it more expensive.
type CostlyLine struct {
	Line    int     `json:"line"`
	Text    string  `json:"text"`    // without blanks at its ends
	Share   float64 `json:"share"`   // of the function's own time
	Changed bool    `json:"changed"` // by the commit: the costliest of these; false = the line that grew most
}
