package calibration

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/stat/distuv"
)

// A Fit is a line through the power of steps: idle watts, and watts for each busy processor, at the
// base frequency where frequencies are known. CI is a 95 % interval.
type Fit struct {
	IdleW  float64    `json:"idle_w"`
	IdleCI [2]float64 `json:"idle_w_ci"`
	BusyW  float64    `json:"busy_w"`
	BusyCI [2]float64 `json:"busy_w_ci"`
	// Error is the root of the mean square of what the line is off, relative to the power of each step.
	Error float64 `json:"error"`
}

// maxError is the largest error of a line that is kept: the tables of the model are about as good as that.
const maxError = 0.25

// fit finds the line by least squares.
func fit(steps []Step) (Fit, error) {
	n := float64(len(steps))
	var x, y, xx, xy float64
	for _, s := range steps {
		x, y = x+s.Weighed/n, y+s.Watts/n
	}
	for _, s := range steps {
		xx += (s.Weighed - x) * (s.Weighed - x)
		xy += (s.Weighed - x) * (s.Watts - y)
	}
	if n < 3 || xx < 1e-6 {
		return Fit{}, refuse("processors were equally busy in all steps")
	}
	f := Fit{BusyW: xy / xx}
	f.IdleW = y - f.BusyW*x
	var squares, relative float64
	for _, s := range steps {
		off := f.IdleW + f.BusyW*s.Weighed - s.Watts
		squares += off * off
		relative += (off / s.Watts) * (off / s.Watts) / n
	}
	f.Error = math.Sqrt(relative)
	t := distuv.StudentsT{Sigma: 1, Nu: n - 2}.Quantile(0.975)
	sd := math.Sqrt(squares / (n - 2))
	interval := func(v, of float64) [2]float64 { return [2]float64{v - t*sd*of, v + t*sd*of} }
	f.BusyCI, f.IdleCI = interval(f.BusyW, 1/math.Sqrt(xx)), interval(f.IdleW, math.Sqrt(1/n+x*x/xx))
	return f, f.check()
}

// check refuses what is no power of a machine.
func (f Fit) check() error {
	switch {
	case !(f.BusyCI[0] > 0):
		return refuse(fmt.Sprintf("the counter does not follow the load: %s W (%s to %s) for each busy processor", watts(f.BusyW), watts(f.BusyCI[0]), watts(f.BusyCI[1])))
	case !(f.IdleW >= 0):
		return refuse(fmt.Sprintf("the idle machine would have %s W: power does not grow evenly with busy processors", watts(f.IdleW)))
	case !(f.Error <= maxError):
		return refuse(fmt.Sprintf("power is no line over busy processors: the steps are off by %.0f %%, and at most %.0f %% is kept", f.Error*100, maxError*100))
	}
	return nil
}
