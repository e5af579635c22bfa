package main

// A Leak is a part of a program that uses energy without need: to repair it saves energy and
// changes no result. A seeded leak was put into a program by this benchmark, a real one was
// repaired by the authors of the program.
type Leak struct {
	Module  string `json:"module"`  // path of the module
	Version string `json:"version"` // with the leak; "" of a module of this repository
	Kind    string `json:"kind"`
	// Functions are the component IDs of what has to be repaired. A seeded leak is in one
	// function.
	Functions []string `json:"functions"`
	// File is relative to the module, with forward slashes. File and Line are those of a
	// seeded leak.
	File string `json:"file,omitempty"`
	Line int    `json:"line,omitempty"`

	Seed     uint64 `json:"seed,omitempty"`     // that a seeded leak was drawn with
	Strength int    `json:"strength,omitempty"` // of a seeded leak: how much work is wasted, see package seeding
	// Cost is what a seeded leak adds to the CPU time of all tests, relative to that
	// without it.
	Cost   float64 `json:"cost,omitempty"`
	Real   bool    `json:"real,omitempty"`
	Reason string  `json:"reason,omitempty"` // of a real leak: why it is one, with the source
}

// A Case is a leak with the two programs that are compared.
type Case struct {
	Leak  Leak    `json:"leak"`
	Clean Program `json:"clean"` // without the leak
	Leaky Program `json:"leaky"`
}

// A Program is a version of a module with some files replaced or added.
type Program struct {
	Module  string `json:"module"`  // path of the module, or a folder of this repository
	Version string `json:"version"` // "" of a folder of this repository
	// Files are contents by path relative to the module, with forward slashes.
	Files map[string]string `json:"files,omitempty"`
	// Packages is the pattern of the packages whose tests are executed; "" = ./...
	Packages string `json:"packages,omitempty"`
	// Run selects the tests that are executed, as go test -run does; "" = all.
	Run string `json:"run,omitempty"`
}

// String is path@version.
func (p Program) String() string {
	if p.Version == "" {
		return p.Module
	}
	return p.Module + "@" + p.Version
}
