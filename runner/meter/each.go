package meter

import "errors"

// Each calls advance for each counter, also after one of them failed, so that all
// cover the same interval. It returns the last error, one that is no ErrDiscarded
// in preference: a failed reading matters more than a discarded interval.
func Each[T any](counters []T, advance func(T) error) error {
	var failed, discarded error
	for _, c := range counters {
		err := advance(c)
		switch {
		case err == nil:
		case errors.Is(err, ErrDiscarded):
			discarded = err
		default:
			failed = err
		}
	}
	if failed != nil {
		return failed
	}
	return discarded
}
