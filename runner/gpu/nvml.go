//go:build linux && (amd64 || arm64) && (cgo || gpu)

package gpu

import (
	"errors"
	"fmt"
	"unsafe"

	"github.com/ebitengine/purego"
)

// canLoad reports whether this build can load a library.
const canLoad = true

// The results of NVML functions that matter here (nvmlReturn_t).
const (
	nvmlSuccess          = 0
	nvmlErrorUnsupported = 3
)

// nvml has the functions of the library. A device is an opaque pointer.
type nvml struct {
	handle      uintptr
	initialise  func() int32
	shutdown    func() int32
	deviceCount func(*uint32) int32
	deviceAt    func(uint32, *unsafe.Pointer) int32
	totalEnergy func(unsafe.Pointer, *uint64) int32 // nil in drivers before 396
	powerUsage  func(unsafe.Pointer, *uint32) int32
	describe    func(int32) string
	devices     []unsafe.Pointer
}

// load loads the library and initialises it.
func load(path string) (library, error) {
	handle, err := purego.Dlopen(path, purego.RTLD_NOW|purego.RTLD_LOCAL)
	if err != nil {
		return nil, err
	}
	n := &nvml{handle: handle}
	if err := n.start(path); err != nil {
		return nil, errors.Join(err, purego.Dlclose(handle))
	}
	return n, nil
}

func (n *nvml) start(path string) error {
	for _, f := range []struct {
		name  string
		to    any
		older bool // some drivers in use lack it
	}{
		{"nvmlInit_v2", &n.initialise, false},
		{"nvmlShutdown", &n.shutdown, false},
		{"nvmlDeviceGetCount_v2", &n.deviceCount, false},
		{"nvmlDeviceGetHandleByIndex_v2", &n.deviceAt, false},
		{"nvmlDeviceGetTotalEnergyConsumption", &n.totalEnergy, true},
		{"nvmlDeviceGetPowerUsage", &n.powerUsage, false},
		{"nvmlErrorString", &n.describe, false},
	} {
		symbol, err := purego.Dlsym(n.handle, f.name)
		if err != nil && f.older {
			continue
		}
		if err != nil {
			return fmt.Errorf("%s is not NVIDIA's library: %w", path, err)
		}
		purego.RegisterFunc(f.to, symbol)
	}
	return n.check("nvmlInit", n.initialise())
}

// check turns a result into an error with the library's own description.
func (n *nvml) check(call string, result int32) error {
	switch result {
	case nvmlSuccess:
		return nil
	case nvmlErrorUnsupported:
		return fmt.Errorf("%s: %w", call, errNotSupported)
	}
	return fmt.Errorf("%s: %s (%d)", call, n.describe(result), result)
}

func (n *nvml) count() (int, error) {
	var count uint32
	if err := n.check("nvmlDeviceGetCount", n.deviceCount(&count)); err != nil {
		return 0, err
	}
	for i := range count {
		var device unsafe.Pointer
		if err := n.check("nvmlDeviceGetHandleByIndex", n.deviceAt(i, &device)); err != nil {
			return 0, fmt.Errorf("GPU %d: %w", i, err)
		}
		n.devices = append(n.devices, device)
	}
	return len(n.devices), nil
}

func (n *nvml) energy(gpu int) (uint64, error) {
	if n.totalEnergy == nil {
		return 0, errNotSupported
	}
	var millijoule uint64
	err := n.check("nvmlDeviceGetTotalEnergyConsumption", n.totalEnergy(n.devices[gpu], &millijoule))
	return millijoule, err
}

func (n *nvml) power(gpu int) (uint32, error) {
	var milliwatt uint32
	err := n.check("nvmlDeviceGetPowerUsage", n.powerUsage(n.devices[gpu], &milliwatt))
	return milliwatt, err
}

func (n *nvml) close() error {
	return errors.Join(n.check("nvmlShutdown", n.shutdown()), purego.Dlclose(n.handle))
}
