package main

import "math"

// geometricMean of positive values; without values it is NaN.
func geometricMean(values []float64) float64 {
	var logs float64
	for _, v := range values {
		logs += math.Log(v)
	}
	return math.Exp(logs / float64(len(values)))
}
