package spell

// A CalleeKind says why a callee is not measured by itself.
type CalleeKind string

// The kinds of callees without a probe.
const (
	AssemblyCallee CalleeKind = "assembly"         // written in assembly, in any package but the runtime
	RuntimeCallee  CalleeKind = "runtime"          // of the Go runtime, or made by the compiler: allocation, maps, copying
	StandardCallee CalleeKind = "standard-library" // in Go
	ModuleCallee   CalleeKind = "module"           // of a module that is not measured, in Go
	BareCallee     CalleeKind = "no-probe"         // of a measured package, but excluded, or marked go:nosplit
)

// CalleeKinds lists the kinds of callees without a probe.
func CalleeKinds() []CalleeKind {
	return []CalleeKind{AssemblyCallee, RuntimeCallee, StandardCallee, ModuleCallee, BareCallee}
}
