//go:build !unix

package content

const nonblocking = 0
