//go:build unix

package ownership

import "testing"

// SetUser makes the process another user's, as far as this package knows.
func SetUser(t *testing.T, id int) {
	was := userID
	userID = func() int { return id }
	t.Cleanup(func() { userID = was })
}
