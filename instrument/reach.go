package instrument

import (
	"golang.org/x/tools/go/packages"

	"spell-lsp/instrument/cache"
	"spell-lsp/spell"
)

// onlyReaching drops the test programs that do not contain the package of the function
// p.Reach, and the packages that only these programs contain. They are not built.
func (p *preparation) onlyReaching() error {
	if p.Reach == "" {
		return nil
	}
	var all []spell.Component
	for _, u := range p.units {
		all = append(all, u.functions()...)
	}
	chosen, err := chosenFunction(all, p.Reach)
	if err != nil {
		return err
	}
	p.build.Reach = all[chosen].ID
	tests, needed := p.loaded.withPackage(all[chosen].Package)
	var main []mainPackage
	var units []*unit
	for i, u := range p.units {
		if needed[u.path] {
			main, units = append(main, p.loaded.main[i]), append(units, u)
		}
	}
	p.loaded.tests, p.loaded.main, p.units, p.build.Tests = tests, main, units, tests
	return nil
}

// functions are the components of the unit, whether it has a part yet or not.
func (u *unit) functions() []spell.Component {
	if u.part != nil {
		return u.part.Components
	}
	made := partMaker{new(cache.Part), u}
	files, _ := u.parse() // what is broken is told when the part is made
	for _, f := range files {
		made.addFile(f)
	}
	return made.Components
}

// withPackage lists the tested packages whose programs contain the package of that path,
// and the paths of all packages in these programs.
func (l *loaded) withPackage(path string) (tests []Package, needed map[string]bool) {
	has := make(map[*packages.Package]bool)
	packages.Visit(l.programs(), nil, func(p *packages.Package) { // what it imports was visited before
		has[p] = p.PkgPath == path
		for _, imported := range p.Imports {
			has[p] = has[p] || has[imported]
		}
	})
	needed = make(map[string]bool)
	for _, t := range l.tests {
		if program := l.program[t.Path]; has[program] {
			tests = append(tests, t)
			packages.Visit([]*packages.Package{program}, nil, func(p *packages.Package) { needed[p.PkgPath] = true })
		}
	}
	return tests, needed
}

func (l *loaded) programs() []*packages.Package {
	var list []*packages.Package
	for _, t := range l.tests {
		list = append(list, l.program[t.Path])
	}
	return list
}
