package suggestion

import "strings"

// Match finds what a user means by the name of a component, type, package or
// test. Found are the indices of the ids that are the name, or else that end in it,
// from behind a dot, slash or #: Park.Add of example.com/park.(*Park).Add, whose
// star and parentheses do not count. Where there is none, near are those whose
// ends are the name but for typing errors, the nearest first and most at most.
func Match(name string, ids []string, most int) (found, near []int) {
	wanted := withoutPointer(name)
	parts := strings.FieldsFunc(wanted, func(r rune) bool { return strings.ContainsRune(separators, r) })
	ends := make([]string, len(ids))
	for i, id := range ids {
		if id == name {
			return []int{i}, nil
		}
		ends[i] = lastParts(withoutPointer(id), len(parts))
		if ends[i] == wanted && wanted != "" {
			found = append(found, i)
		}
	}
	if len(found) > 0 {
		return found, nil
	}
	return nil, Nearest(wanted, ends, most)
}

const separators = "./#"

// withoutPointer makes pkg.T.M of pkg.(*T).M.
func withoutPointer(id string) string {
	return strings.NewReplacer("(*", "", ")", "").Replace(id)
}

// lastParts returns the last n of the parts of id that stand between
// separators.
func lastParts(id string, n int) string {
	for at := len(id); n > 0; n-- {
		if at = strings.LastIndexAny(id[:at], separators); at < 0 {
			return id
		}
		if n == 1 {
			return id[at+1:]
		}
	}
	return ""
}
