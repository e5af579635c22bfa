package generate

import (
	"go/types"
	"slices"
	"strings"
)

// What functions and variables of other packages do, as messages say it.
const (
	usesFiles   = "reads or writes files, or asks the system"
	startsOther = "starts or signals processes"
	usesNetwork = "uses the network"
	callsSystem = "makes system calls"
	prints      = "writes to standard output or standard error"
	callsC      = "is C code, so what it does is not known"
	loadsCode   = "loads code"
)

// packageEffects are packages whose functions all have an effect, but for those in harmless. A name that ends in a
// slash stands for all packages below it.
var packageEffects = []struct{ path, what string }{
	{"os/exec", startsOther}, {"os/signal", startsOther}, {"os/user", usesFiles}, {"os", usesFiles},
	{"io/ioutil", usesFiles}, {"io/fs", ""},
	{"net/netip", ""}, {"net/url", ""}, {"net/textproto", ""}, {"net/mail", ""}, {"net", usesNetwork}, {"net/", usesNetwork},
	{"syscall", callsSystem}, {"golang.org/x/sys/", callsSystem}, {"internal/syscall/", callsSystem},
	{"C", callsC}, {"runtime/cgo", callsC}, {"plugin", loadsCode},
	{"log", prints}, {"log/slog", prints}, {"log/syslog", usesNetwork},
	{"crypto/tls", usesNetwork},
}

// harmless are exceptions: they change nothing, and what they tell does not depend on files. Those that end the process
// are among them: a trial that ends says so.
var harmless = map[string][]string{
	"os": {"Getenv", "LookupEnv", "Environ", "Expand", "ExpandEnv", "Getpid", "IsExist", "IsNotExist", "IsPermission", "IsTimeout", "IsPathSeparator", "Getpagesize", "NewSyscallError",
		"ErrNotExist", "ErrExist", "ErrPermission", "ErrInvalid", "ErrClosed", "ErrProcessDone", "ErrDeadlineExceeded", "ErrNoDeadline", "Args", "File.Name", "Exit"},
	"net": {"ParseIP", "ParseCIDR", "ParseMAC", "JoinHostPort", "SplitHostPort", "IPv4", "IPv4Mask", "CIDRMask", "ParseError", "ErrClosed"},
	"net/http": {"StatusText", "CanonicalHeaderKey", "DetectContentType", "ParseTime", "ParseHTTPVersion", "NewRequest", "NewRequestWithContext", "NotFound", "ErrNoCookie", "NoBody",
		"ParseCookie", "ParseSetCookie", "NewServeMux", "HandlerFunc.ServeHTTP", "Error"},
	"io/ioutil": {"ReadAll", "NopCloser", "Discard"},
	"log":       {"New", "Flags", "Prefix", "Fatal", "Fatalf", "Fatalln", "Panic", "Panicf", "Panicln"},
	"log/slog": {"String", "Int", "Int64", "Uint64", "Float64", "Bool", "Time", "Duration", "Group", "Any", "StringValue", "IntValue", "AnyValue", "New",
		"NewTextHandler", "NewJSONHandler", "LevelDebug", "LevelInfo", "LevelWarn", "LevelError"},
	"syscall": {"Errno.Error", "Errno.Is", "Signal.String", "Getpagesize"},
}

// harmlessTypes are types whose methods and fields change nothing outside of them.
var harmlessTypes = map[string][]string{
	"os":       {"PathError", "LinkError", "SyscallError", "FileMode", "FileInfo", "DirEntry"},
	"net":      {"IP", "IPMask", "IPNet", "HardwareAddr", "OpError", "AddrError", "ParseError", "DNSError", "TCPAddr", "UDPAddr", "IPAddr", "Addr", "Error"},
	"net/http": {"Header", "Cookie", "Request", "Response", "ResponseWriter", "Handler", "ServeMux"},
	"log/slog": {"Attr", "Value", "Level", "Record", "Kind"},
	"syscall":  {"Errno", "Signal"},
}

// functionEffects are functions with an effect in packages that otherwise have none.
var functionEffects = map[string]map[string]string{
	"fmt":              {"Print": prints, "Println": prints, "Printf": prints, "Scan": usesFiles, "Scanln": usesFiles, "Scanf": usesFiles},
	"path/filepath":    {"Walk": usesFiles, "WalkDir": usesFiles, "Glob": usesFiles, "EvalSymlinks": usesFiles, "Abs": usesFiles},
	"io/fs":            {"ReadFile": usesFiles, "ReadDir": usesFiles, "WalkDir": usesFiles, "Glob": usesFiles, "Stat": usesFiles, "Sub": usesFiles},
	"archive/zip":      {"OpenReader": usesFiles},
	"text/template":    {"ParseFiles": usesFiles, "ParseGlob": usesFiles, "Template.ParseFiles": usesFiles, "Template.ParseGlob": usesFiles},
	"html/template":    {"ParseFiles": usesFiles, "ParseGlob": usesFiles, "Template.ParseFiles": usesFiles, "Template.ParseGlob": usesFiles},
	"go/parser":        {"ParseDir": usesFiles, "ParseFile": usesFiles},
	"go/build":         {"Import": usesFiles, "ImportDir": usesFiles, "Context.Import": usesFiles, "Context.ImportDir": usesFiles},
	"debug/elf":        {"Open": usesFiles},
	"debug/macho":      {"Open": usesFiles, "OpenFat": usesFiles},
	"debug/pe":         {"Open": usesFiles},
	"debug/plan9obj":   {"Open": usesFiles},
	"mime/multipart":   {"Reader.ReadForm": usesFiles, "FileHeader.Open": usesFiles, "Form.RemoveAll": usesFiles},
	"debug/buildinfo":  {"ReadFile": usesFiles},
	"embed":            {},
	"time":             {"LoadLocation": usesFiles},
	"runtime/debug":    {"PrintStack": prints, "WriteHeapDump": usesFiles, "SetCrashOutput": usesFiles},
	"runtime/pprof":    {"StartCPUProfile": usesFiles},
	"runtime/coverage": {"WriteCountersDir": usesFiles, "WriteMetaDir": usesFiles},
	"crypto/x509":      {"SystemCertPool": usesFiles, "Certificate.Verify": usesFiles},
	"database/sql":     {"Open": usesNetwork, "OpenDB": usesNetwork},
	"mime":             {"TypeByExtension": usesFiles, "ExtensionsByType": usesFiles},
}

// effectOf says what a function or variable of a package that is not followed does; "" for nothing.
func effectOf(object types.Object) string {
	pkg := object.Pkg()
	if _, builtin := object.(*types.Builtin); builtin {
		return prints
	}
	if pkg == nil {
		return ""
	}
	if strings.HasPrefix(object.Name(), "_Cfunc_") || strings.HasPrefix(object.Name(), "_C2func_") {
		return callsC
	}
	name, holder := memberName(object)
	if what := functionEffects[pkg.Path()][name]; what != "" {
		return what
	}
	for _, e := range packageEffects {
		below := strings.HasSuffix(e.path, "/") && strings.HasPrefix(pkg.Path(), e.path)
		if pkg.Path() != e.path && !below {
			continue
		}
		switch {
		case e.what == "", slices.Contains(harmless[pkg.Path()], name), slices.Contains(harmlessTypes[pkg.Path()], holder):
			return ""
		case strings.HasPrefix(name, "Std") && pkg.Path() == "os":
			return prints
		}
		if v, ok := object.(*types.Var); ok && v.IsField() {
			return ""
		}
		if _, isType := object.(*types.TypeName); isType {
			return ""
		}
		return e.what
	}
	return ""
}

// memberName is the name of a function or variable with that of the type that it is a method of, and that type.
func memberName(object types.Object) (name, holder string) {
	name = object.Name()
	if f, ok := object.(*types.Func); ok && f.Signature().Recv() != nil {
		if named, _ := namedOf(f.Signature().Recv().Type()); named != nil {
			holder = named.Obj().Name()
			name = holder + "." + name
		}
	}
	return name, holder
}

// byNameFunctions call methods whose names are text.
var byNameFunctions = map[string][]string{
	"reflect":       {"Value.Method", "Value.MethodByName", "Value.Methods", "Type.Method", "Type.MethodByName", "Type.Methods"},
	"text/template": {"Template.Execute", "Template.ExecuteTemplate"},
	"html/template": {"Template.Execute", "Template.ExecuteTemplate"},
}

// callsByName tells whether a function calls methods whose names are text.
func callsByName(object types.Object) bool {
	if object.Pkg() == nil {
		return false
	}
	name, _ := memberName(object)
	return slices.Contains(byNameFunctions[object.Pkg().Path()], name)
}
