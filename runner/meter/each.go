package meter

import "errors"

// Each calls advance for each counter, also after one failed, so that the others
// stay in step. A reading that failed outweighs an interval that is discarded.
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
