package lsp

import "spell-lsp/lsp/view"

func lensedOf(v *view.View, tests bool) []lensed {
	var list []lensed
	for _, m := range v.Visible() {
		if m.Result.Settings.Lenses {
			list = append(list, lensed{mark: m})
		}
	}
	if !tests {
		return list
	}
	functions := v.Source.Outline().Functions
	for i := range functions {
		if f := &functions[i]; f.Test {
			list = append(list, lensed{test: f})
		}
	}
	return list
}
