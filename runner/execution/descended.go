package execution

import "spell-lsp/runner/children"

// A descended is the CPU time that the descendants of a process had used when it was joined, in ns.
type descended struct {
	all, apart int64
	programs   []children.Program
}

// since is what programs have used since then.
func (d *descended) since(list []children.Program) (left []children.Program) {
	used := make(map[string]int64)
	for _, p := range d.programs {
		used[p.Name] = p.NS
	}
	for _, p := range list {
		if p.NS -= used[p.Name]; p.NS > 0 {
			left = append(left, p)
		}
	}
	return left
}
