package probe

import (
	"fmt"
	"math"
)

// mostCost is more than any probe costs, in ns a call.
const mostCost = 1e9

// describe fills in what the file says of the program as a whole.
func (t *table) describe(log *Log) (err error) {
	log.Uncounted = t.head[headUncounted] != 0 || t.head[headFull] != 0
	if log.Hot, err = t.hot(); err != nil {
		return err
	}
	if log.LostNS = t.head[headLost]; log.LostNS > mostCounted {
		return fmt.Errorf("%d ns of samples were lost", log.LostNS)
	}
	if log.Stops, err = t.stops(); err != nil {
		return err
	}
	log.FrameNS = math.Float64frombits(t.head[headFrame])
	log.InnerNS, log.OuterNS, log.SwitchNS = t.cost(headInner), t.cost(headOuter), t.cost(headChange)
	for _, ns := range []float64{log.FrameNS, log.InnerNS, log.OuterNS, log.SwitchNS} {
		if !(ns >= 0 && ns <= mostCost) {
			return fmt.Errorf("a probe costs %g ns", ns)
		}
	}
	return nil
}

func (t *table) cost(word int) float64 { return float64(t.head[word]) * t.scale() }
