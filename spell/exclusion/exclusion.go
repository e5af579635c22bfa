// Package exclusion decides what the setting exclude leaves out of a measurement.
//
// An entry is a glob (path.Match) of files or folders, relative to the workspace root, or
// the ID of a function. Everything up to a slash of an ID may be omitted:
// park.(*Park).Add for example.com/park.(*Park).Add.
package exclusion

import (
	"path"
	"strings"
)

// File reports whether an entry matches the file or one of its parent folders. The name is
// relative to the workspace root and has forward slashes.
func File(entries []string, name string) bool {
	for _, glob := range entries {
		for part := name; part != "." && part != "/"; part = path.Dir(part) {
			if ok, _ := path.Match(strings.TrimSuffix(glob, "/"), part); ok {
				return true
			}
		}
	}
	return false
}

// Function reports whether an entry is the ID of the function, or its end after a slash.
func Function(entries []string, id string) bool {
	for _, entry := range entries {
		if rest, ok := strings.CutSuffix(id, entry); ok && entry != "" && (rest == "" || strings.HasSuffix(rest, "/")) {
			return true
		}
	}
	return false
}

// Functions lists the entries that may be IDs of functions of a package.
func Functions(entries []string, pkg string) []string {
	var list []string
	for _, entry := range entries {
		for tail, more := pkg, true; more; _, tail, more = strings.Cut(tail, "/") {
			if strings.HasPrefix(entry, tail+".") {
				list = append(list, entry)
				break
			}
		}
	}
	return list
}
