//go:build !linux

package content

// diskOf is not known: nothing is measured here.
func diskOf(dir string) (name, free string) {
	return "the file system of " + dir, "what is free is not known"
}
