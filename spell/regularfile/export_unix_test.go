//go:build unix

package regularfile

var OpenWithoutWaiting = openWithoutWaiting
