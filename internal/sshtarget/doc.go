// Package sshtarget makes a machine to measure on, for tests: a real sshd and one user, in a root of
// their own.
//
// The user has no Go, and can write nothing but its home. The root is a tmpfs in namespaces of its own
// (mount_namespaces(7)), with this machine's programs and libraries in it, read-only. So it works where other
// users may not enter the folder /, and leaves nothing here. Its processes are visible here, as they are
// in no PID namespace of their own: whatever outlives a connection can be found.
//
// ssh reaches it by a port on loopback. A [Wire] passes the bytes on, counts them, and lets the test act
// at any of them. Or the line is a network of its own, which can be taken down.
package sshtarget
