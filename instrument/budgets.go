package instrument

import (
	"bytes"
	"fmt"

	"spell-lsp/instrument/cache"
	"spell-lsp/instrument/rewrite"
	"spell-lsp/spell/budget"
	"spell-lsp/spell/gosource"
	"spell-lsp/spell/note"
	"spell-lsp/spell/regularfile"
	"spell-lsp/spell/shortlist"
)

// budgetsOf lists the budgets of the functions of a file, and what is ignored and why.
func budgetsOf(f *rewrite.File, pkg, file string) (list []cache.Budget, ignored []cache.Warning) {
	ignore := func(b *gosource.Budget, why string) {
		ignored = append(ignored, cache.Warning{What: fmt.Sprintf("%s:%d", file, b.From.Line), Why: why})
	}
	for i := range f.Funcs {
		fn := &f.Funcs[i]
		for _, b := range f.Budgets(fn) {
			if _, err := budget.Parse(b.Amounts); err != nil {
				ignore(&b, err.Error())
				continue
			}
			list = append(list, cache.Budget{ID: pkg + "." + fn.Name, File: file, Hash: fn.Hash, Text: b.Amounts, Line: b.From.Line})
		}
	}
	for _, b := range f.StrayBudgets() {
		ignore(&b, budget.Misplaced)
	}
	return list, ignored
}

// readTestBudgets reads the budgets in files of tests. It parses those alone that have one. A file
// that cannot be read or parsed has none: the compiler will say what is wrong with it.
func (p *preparation) readTestBudgets() (ignored []cache.Warning) {
	for _, t := range p.loaded.tests {
		for _, name := range p.loaded.testFiles[t.Path] {
			src, ok := p.Buffers[name]
			if !ok {
				src, _ = regularfile.Read(name, regularfile.MaxBuilt)
			}
			if !bytes.Contains(src, []byte(budget.Directive)) {
				continue
			}
			files, _ := rewrite.Parse([]rewrite.Source{{Path: name, Text: src}})
			for _, f := range files {
				list, others := budgetsOf(f, t.Path, p.build.relative(name))
				p.build.TestBudgets, ignored = append(p.build.TestBudgets, list...), append(ignored, others...)
			}
		}
	}
	return ignored
}

// noteIgnored notes the budgets that are ignored, the first few one by one.
func (p *preparation) noteIgnored(list []cache.Warning) {
	for _, w := range list[:min(len(list), shortlist.Most)] {
		p.note(note.BudgetIgnored(w.What, w.Why))
	}
	if more := len(list) - shortlist.Most; more > 0 {
		p.note(note.BudgetIgnored("", fmt.Sprintf("%d more are not understood, or above no function", more)))
	}
}
