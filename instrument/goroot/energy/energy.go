// Package energy serves the energy that a Go program uses, as a profile for go tool pprof and
// other readers of its format. The file needs nothing but the standard library: copy it into a
// folder of a service, and register
//
//	http.HandleFunc("/debug/pprof/energy", energy.Serve)
//
// beside net/http/pprof. A program built by "spell-lsp build" has it already. Its licence is
// Apache-2.0, as that of spell-lsp.
//
// The program reads no counter. "spell-lsp meter" reads it, and tells over a Unix socket that
// only its user may open. The energy of the program is the energy of the machine, less that of
// the idle machine, in proportion to the program's share of the CPU time of all processes. It is
// divided among the samples of a CPU profile by their CPU time: a function that draws more power
// than others is not told from them.
package energy

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"math"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"reflect"
	"runtime/pprof"
	"slices"
	"strconv"
	"strings"
	"time"
)

const (
	defaultSeconds = 30
	maxSeconds     = 24 * 60 * 60
)

// Serve answers with the profile of the next seconds: ?seconds=N, 30 by default, at most a day.
// Its sample types are samples/count, cpu/nanoseconds and energy/microjoules; samples have the
// labels of runtime/pprof. The energy of the samples adds up to that of the program. Comments
// say how it was found.
//
// Errors are 400 for seconds that are no whole number or longer than the server may write, 409
// while another CPU profile runs, 503 where no energy is known; each with the reason.
func Serve(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("X-Content-Type-Options", "nosniff")
	length, err := profileLength(r)
	if err == nil {
		err = extendDeadline(w, r, length)
	}
	if err != nil {
		refuse(w, http.StatusBadRequest, err)
		return
	}
	profile, err := take(r.Context(), length)
	var busy *busyError
	switch {
	case r.Context().Err() != nil: // nobody waits for an answer
	case errors.As(err, &busy):
		refuse(w, http.StatusConflict, err)
	case err != nil:
		refuse(w, http.StatusServiceUnavailable, err)
	default:
		w.Header().Set("Content-Type", "application/octet-stream")
		w.Header().Set("Content-Disposition", `attachment; filename="energy"`)
		w.Write(profile) //nolint:errcheck // the client is gone
	}
}

// refuse answers as net/http/pprof does, so that go tool pprof shows the reason.
func refuse(w http.ResponseWriter, status int, why error) {
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	w.Header().Set("X-Go-Pprof", "1")
	w.WriteHeader(status)
	fmt.Fprintln(w, why) //nolint:errcheck // the client is gone
}

func profileLength(r *http.Request) (time.Duration, error) {
	text := r.FormValue("seconds")
	if text == "" {
		return defaultSeconds * time.Second, nil
	}
	seconds, err := strconv.Atoi(text)
	if err != nil || seconds < 1 || seconds > maxSeconds {
		return 0, fmt.Errorf("seconds is %.100q: it must be a whole number from 1 to %d", text, maxSeconds)
	}
	return time.Duration(seconds) * time.Second, nil
}

// extendDeadline gives the server's WriteTimeout to what follows the profile.
func extendDeadline(w http.ResponseWriter, r *http.Request, length time.Duration) error {
	server, ok := r.Context().Value(http.ServerContextKey).(*http.Server)
	if !ok || server.WriteTimeout <= 0 {
		return nil
	}
	err := http.NewResponseController(w).SetWriteDeadline(time.Now().Add(server.WriteTimeout + length))
	if err != nil && length >= server.WriteTimeout {
		return fmt.Errorf("a profile of %v exceeds the server's WriteTimeout of %v: ask for fewer seconds", length, server.WriteTimeout)
	}
	return nil
}

// A busyError says that another CPU profile runs.
type busyError struct{ error }

// take takes a profile of that length.
func take(ctx context.Context, length time.Duration) ([]byte, error) {
	before, err := ask(ctx)
	if err != nil {
		return nil, err
	}
	var cpu bytes.Buffer
	if err := pprof.StartCPUProfile(&cpu); err != nil {
		return nil, &busyError{fmt.Errorf("no CPU profile can be taken now: %w", err)}
	}
	select {
	case <-time.After(length):
	case <-ctx.Done():
	}
	after, err := ask(ctx)
	pprof.StopCPUProfile()
	if err != nil {
		return nil, err
	}
	u, err := between(before, after)
	if err != nil {
		return nil, err
	}
	return withEnergy(cpu.Bytes(), u)
}

// A reading is what the meter says: one line of JSON for each connection.
type reading struct {
	Version int                `json:"version"`
	Error   string             `json:"error"`            // why there is no reading
	Meter   string             `json:"meter"`            // its name
	Source  string             `json:"source"`           // measured, estimated or none
	Root    string             `json:"root"`             // where its counters are, if that is not the system's place
	Started int64              `json:"started_ns"`       // tells one start of the meter from another
	Time    int64              `json:"time_ns"`          // CLOCK_MONOTONIC
	Faults  int                `json:"faults"`           // intervals so far whose energy is unknown
	CPU     int64              `json:"cpu_ns"`           // CPU time of this process
	Busy    int64              `json:"busy_ns"`          // CPU time of all processes since the start
	Joules  map[string]float64 `json:"joules"`           // by domain, since the start
	IdleW   map[string]float64 `json:"idle_w"`           // power of the idle machine, where it is known
	PerCPU  map[string]float64 `json:"joules_per_cpu_s"` // of an estimate: joules for a second of CPU time
}

const (
	readingVersion = 1
	maxReading     = 64 << 10 // bytes
	askTimeout     = 5 * time.Second
)

// ask asks the meter for a reading.
func ask(ctx context.Context) (*reading, error) {
	name, err := findSocket()
	if err != nil {
		return nil, err
	}
	conn, err := (&net.Dialer{Timeout: askTimeout}).DialContext(ctx, "unix", name)
	if err != nil {
		return nil, fmt.Errorf("no meter listens: %w; %s", err, remedy)
	}
	defer conn.Close()                           //nolint:errcheck // it was only read
	conn.SetDeadline(time.Now().Add(askTimeout)) //nolint:errcheck // without it, the answer counts when it comes
	line, err := io.ReadAll(io.LimitReader(conn, maxReading+1))
	if err != nil {
		return nil, fmt.Errorf("reading the meter at %s: %w", name, err)
	}
	var r reading
	if err := json.Unmarshal(line, &r); err != nil || len(line) > maxReading {
		return nil, fmt.Errorf("what listens at %s is no meter of spell-lsp: it answers %.60q", name, line)
	}
	if err := r.check(); err != nil {
		return nil, fmt.Errorf("the meter at %s: %w", name, err)
	}
	return &r, nil
}

func (r *reading) check() error {
	switch {
	case r.Version != readingVersion:
		return fmt.Errorf("its answers have version %d, and this program reads version %d: use the spell-lsp that the program was built with", r.Version, readingVersion)
	case r.Error != "":
		return errors.New(r.Error)
	case r.Source != "measured" && r.Source != "estimated":
		return fmt.Errorf("no energy is known on this machine (source %.20q)", r.Source)
	}
	return nil
}

const remedy = "run `spell-lsp meter` on this machine, as the user of this program"

// socketPaths are the places of the socket, in the order of preference. SPELL_LSP_SOCKET names
// another one.
func socketPaths() []string {
	if name := os.Getenv("SPELL_LSP_SOCKET"); name != "" {
		return []string{name}
	}
	var folders []string
	if dir := os.Getenv("XDG_RUNTIME_DIR"); filepath.IsAbs(dir) {
		folders = append(folders, dir)
	}
	folders = append(folders, fmt.Sprintf("/run/user/%d", os.Geteuid())) // services do not always have the variable
	if dir, err := os.UserCacheDir(); err == nil {
		folders = append(folders, dir)
	}
	for i, dir := range folders {
		folders[i] = filepath.Join(dir, "spell-lsp", "meter.sock")
	}
	return slices.Compact(folders)
}

// findSocket finds the socket, and makes sure that nobody else can have made it.
func findSocket() (string, error) {
	paths := socketPaths()
	for _, name := range paths {
		info, err := os.Lstat(name)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err == nil {
			err = private(name, info)
		}
		if err != nil {
			return "", fmt.Errorf("the socket of the meter is not used: %w", err)
		}
		return name, nil
	}
	return "", fmt.Errorf("there is no socket of a meter at %s: %s", strings.Join(paths, " or "), remedy)
}

// private returns an error unless a socket is this user's, and he alone can open it and write
// its folder.
func private(name string, info fs.FileInfo) error {
	const others, othersWrite = 0o077, 0o022
	folder, err := os.Stat(filepath.Dir(name))
	switch me := os.Geteuid(); {
	case err != nil:
		return err
	case info.Mode().Type() != fs.ModeSocket:
		return fmt.Errorf("%s is no socket", name)
	case !owned(info, me):
		return fmt.Errorf("%s belongs to another user than %d", name, me)
	case info.Mode().Perm()&others != 0:
		return fmt.Errorf("other users may open %s (%v)", name, info.Mode())
	case !owned(folder, me):
		return fmt.Errorf("%s belongs to another user than %d", filepath.Dir(name), me)
	case folder.Mode().Perm()&othersWrite != 0:
		return fmt.Errorf("other users can change what is in %s (%v)", filepath.Dir(name), folder.Mode())
	}
	return nil
}

// owned tells whether a file is a user's. Its type has the owner under this name on every Unix;
// by reflection the file compiles on other systems, too.
func owned(info fs.FileInfo, user int) bool {
	stat := reflect.Indirect(reflect.ValueOf(info.Sys()))
	if stat.Kind() != reflect.Struct {
		return false
	}
	uid := stat.FieldByName("Uid")
	return uid.IsValid() && uid.CanUint() && uid.Uint() == uint64(user)
}

// A usage is what the program used in a profile, with what it follows from.
type usage struct {
	meter, source, root string
	seconds             float64
	cpuS, busyS         float64 // CPU time of the program, and of all processes
	machineJ, idleJ     float64
	idleKnown, estimate bool
	left                []string // domains that are not counted
	joules              float64  // of the program
}

// between is the usage between two readings.
func between(a, b *reading) (*usage, error) {
	u := &usage{
		meter: b.Meter, source: b.Source, root: b.Root, seconds: float64(b.Time-a.Time) / 1e9,
		cpuS: float64(b.CPU-a.CPU) / 1e9, busyS: float64(b.Busy-a.Busy) / 1e9, idleKnown: true,
	}
	switch {
	case a.Started != b.Started:
		return nil, errors.New("the meter was started anew during the profile: ask again")
	case a.Faults != b.Faults:
		return nil, errors.New("the meter could not be read during a part of the profile: ask again")
	case u.seconds <= 0 || u.cpuS < 0 || u.busyS < 0:
		return nil, fmt.Errorf("the meter contradicts itself: %g s with %g s of CPU time, of %g s", u.seconds, u.cpuS, u.busyS)
	}
	u.busyS = max(u.busyS, u.cpuS) // that of all processes is known in steps of 10 ms
	known := false
	for _, domain := range slices.Sorted(maps.Keys(b.Joules)) {
		if domain != "cpu" && domain != "dram" {
			u.left = append(u.left, domain)
			continue
		}
		known = true
		u.add(domain, a, b)
	}
	const maxWatts = 1e6
	switch {
	case !known:
		return nil, fmt.Errorf("the meter %.60q knows no energy of processors", b.Meter)
	case !(u.machineJ >= 0 && u.joules >= 0 && u.joules <= maxWatts*u.seconds): // not a number is none of these
		return nil, fmt.Errorf("the meter contradicts itself: %g J in %g s", u.machineJ, u.seconds)
	}
	return u, nil
}

// add adds the energy of a domain.
func (u *usage) add(domain string, a, b *reading) {
	machine := b.Joules[domain] - a.Joules[domain]
	idle, known := b.IdleW[domain]
	idle *= u.seconds
	u.idleKnown = u.idleKnown && known
	if watts, ok := b.PerCPU[domain]; ok {
		u.estimate = true
		u.joules += watts * u.cpuS
		u.machineJ += idle + watts*u.busyS
	} else {
		if u.busyS > 0 {
			u.joules += max(0, machine-idle) * u.cpuS / u.busyS
		}
		u.machineJ += machine
		if machine < 0 {
			u.machineJ = math.NaN()
		}
	}
	u.idleJ += idle
}

// comments say how the energy was found.
func (u *usage) comments() []string {
	list := []string{
		fmt.Sprintf("energy: %s, meter %s; divided among samples by CPU time", u.source, u.meter),
		fmt.Sprintf("machine: %.9g J in %.9g s, of which idle %.9g J; CPU time of all processes %.9g s", u.machineJ, u.seconds, u.idleJ, u.busyS),
		fmt.Sprintf("this process: %.9g J for %.9g s of CPU time, without child processes", u.joules, u.cpuS),
	}
	if u.estimate {
		list = append(list, "nothing was measured: energy is a multiple of CPU time")
	}
	if u.root != "" {
		list = append(list, "the counters are those in "+u.root+", not the system's")
	}
	if !u.idleKnown {
		list = append(list, "the power of the idle machine is not known, as it was not idle since the meter was started: its energy is divided as well")
	}
	if len(u.left) > 0 {
		list = append(list, "not counted, as CPU time does not divide it: "+strings.Join(u.left, ", "))
	}
	return list
}

// The fields of the messages of github.com/google/pprof/proto/profile.proto that are read or
// written here.
const (
	profileSampleType, profileSample, profileLocation, profileFunction = 1, 2, 4, 5
	profileString, profileComment, profileDefault                      = 6, 13, 14
	typeName, typeUnit                                                 = 1, 2
	sampleLocation, sampleValue                                        = 1, 2
	ofID, locationLine, lineFunction, functionName                     = 1, 4, 1, 2
)

// withEnergy adds the energy to a gzipped CPU profile of runtime/pprof.
func withEnergy(zipped []byte, u *usage) ([]byte, error) {
	reader, err := gzip.NewReader(bytes.NewReader(zipped))
	if err != nil {
		return nil, fmt.Errorf("reading the CPU profile: %w", err)
	}
	plain, err := io.ReadAll(reader)
	if err != nil {
		return nil, fmt.Errorf("reading the CPU profile: %w", err)
	}
	p, err := survey(plain)
	if err != nil {
		return nil, fmt.Errorf("reading the CPU profile: %w", err)
	}
	var out bytes.Buffer
	writer, err := gzip.NewWriterLevel(&out, gzip.BestSpeed)
	if err == nil {
		_, err = writer.Write(p.rewrite(int64(math.Round(u.joules*1e6)), u.comments()))
	}
	if err != nil {
		return nil, fmt.Errorf("writing the profile: %w", err)
	}
	if err := writer.Close(); err != nil {
		return nil, fmt.Errorf("writing the profile: %w", err)
	}
	return out.Bytes(), nil
}

// A cpuProfile is a profile with what must be known of it to add to it.
type cpuProfile struct {
	fields    []field
	types     []field
	strings   []string
	cpuNS     int64 // of all samples
	locations uint64
	functions uint64 // the highest numbers
}

// survey reads a profile of two sample types, the second of which is cpu/nanoseconds.
func survey(plain []byte) (*cpuProfile, error) {
	p := &cpuProfile{}
	var err error
	if p.fields, err = parse(plain); err != nil {
		return nil, err
	}
	for _, f := range p.fields {
		switch f.number {
		case profileSampleType:
			p.types = append(p.types, f)
		case profileString:
			p.strings = append(p.strings, string(f.bytes))
		case profileSample:
			values, err := f.values()
			if err != nil {
				return nil, err
			}
			p.cpuNS += values[1]
		case profileLocation:
			p.locations = max(p.locations, f.part(ofID))
		case profileFunction:
			p.functions = max(p.functions, f.part(ofID))
		}
	}
	if len(p.types) != 2 || p.text(p.types[1].part(typeName)) != "cpu" || p.text(p.types[1].part(typeUnit)) != "nanoseconds" {
		return nil, errors.New("its sample types are not samples and cpu")
	}
	return p, nil
}

func (p *cpuProfile) text(index uint64) string {
	if index >= uint64(len(p.strings)) {
		return ""
	}
	return p.strings[index]
}

// rewrite returns the profile with the third sample type. The values of the samples add up to
// total: each gets what is due until it, less what the samples before it got. Where no sample was
// taken, one of no function has all.
func (p *cpuProfile) rewrite(total int64, comments []string) []byte {
	var out []byte
	var cpuNS, given int64
	for _, f := range p.fields {
		if f.number != profileSample {
			out = append(out, f.raw...)
			continue
		}
		values, _ := f.values() // survey has read them
		cpuNS += values[1]
		due := int64(math.Round(float64(total) * (float64(cpuNS) / float64(max(p.cpuNS, 1)))))
		out = appendBytes(out, profileSample, f.withValue(append(values, due-given)))
		given = due
	}
	t := table{next: uint64(len(p.strings)), out: out}
	name := t.index("energy")
	t.out = appendBytes(t.out, profileSampleType, appendNumber(appendNumber(nil, typeName, name), typeUnit, t.index("microjoules")))
	t.out = appendNumber(t.out, profileDefault, name)
	for _, c := range comments {
		t.out = appendNumber(t.out, profileComment, t.index(c))
	}
	if given < total {
		t.unsampled(p, total-given)
	}
	return t.out
}

// A table appends strings to a profile.
type table struct {
	next uint64
	out  []byte
}

func (t *table) index(text string) uint64 {
	t.out = appendBytes(t.out, profileString, []byte(text))
	t.next++
	return t.next - 1
}

// unsampled appends a sample of no function.
func (t *table) unsampled(p *cpuProfile, energy int64) {
	function := appendNumber(appendNumber(nil, ofID, p.functions+1), functionName, t.index("[no sample]"))
	line := appendNumber(nil, lineFunction, p.functions+1)
	location := appendBytes(appendNumber(nil, ofID, p.locations+1), locationLine, line)
	sample := appendNumber(nil, sampleLocation, p.locations+1)
	for _, v := range []uint64{0, 0, uint64(energy)} {
		sample = appendNumber(sample, sampleValue, v)
	}
	t.out = appendBytes(t.out, profileFunction, function)
	t.out = appendBytes(t.out, profileLocation, location)
	t.out = appendBytes(t.out, profileSample, sample)
}

// A field is one of a protobuf message (protobuf.dev/programming-guides/encoding).
type field struct {
	number int
	value  uint64 // of a varint
	bytes  []byte // of a string, message or packed list
	raw    []byte // the whole field
}

const (
	wireVarint, wire64, wireBytes, wire32 = 0, 1, 2, 5
)

var errDamaged = errors.New("it is damaged")

// parse splits a message into its fields.
func parse(message []byte) (list []field, err error) {
	for len(message) > 0 {
		key, n := binary.Uvarint(message)
		if n <= 0 {
			return nil, errDamaged
		}
		f := field{number: int(key >> 3)}
		switch key & 7 {
		case wireVarint:
			v, m := binary.Uvarint(message[n:])
			if m <= 0 {
				return nil, errDamaged
			}
			f.value = v
			n += m
		case wireBytes:
			size, m := binary.Uvarint(message[n:])
			if m <= 0 || size > uint64(len(message)-n-m) {
				return nil, errDamaged
			}
			f.bytes = message[n+m : n+m+int(size)]
			n += m + int(size)
		case wire64:
			n += 8
		case wire32:
			n += 4
		default:
			return nil, errDamaged
		}
		if n > len(message) {
			return nil, errDamaged
		}
		f.raw, message = message[:n], message[n:]
		list = append(list, f)
	}
	return list, nil
}

// part is the number in a field of a message; 0 if there is none.
func (f *field) part(number int) uint64 {
	fields, _ := parse(f.bytes) // a damaged message has no parts
	for _, part := range fields {
		if part.number == number {
			return part.value
		}
	}
	return 0
}

// values are the two values of a sample, which may be packed or not.
func (f *field) values() (list []int64, err error) {
	fields, err := parse(f.bytes)
	if err != nil {
		return nil, err
	}
	for _, part := range fields {
		switch {
		case part.number != sampleValue:
		case part.bytes == nil:
			list = append(list, int64(part.value))
		default:
			for packed := part.bytes; len(packed) > 0; {
				v, n := binary.Uvarint(packed)
				if n <= 0 {
					return nil, errDamaged
				}
				list, packed = append(list, int64(v)), packed[n:]
			}
		}
	}
	if len(list) != 2 || list[1] < 0 {
		return nil, errDamaged
	}
	return list, nil
}

// withValue is a sample with other values, and all else as it is.
func (f *field) withValue(values []int64) []byte {
	fields, _ := parse(f.bytes) // values has parsed it
	var out, packed []byte
	for _, part := range fields {
		if part.number != sampleValue {
			out = append(out, part.raw...)
		}
	}
	for _, v := range values {
		packed = binary.AppendUvarint(packed, uint64(v))
	}
	return appendBytes(out, sampleValue, packed)
}

func appendNumber(out []byte, number int, value uint64) []byte {
	return binary.AppendUvarint(binary.AppendUvarint(out, uint64(number)<<3|wireVarint), value)
}

func appendBytes(out []byte, number int, value []byte) []byte {
	out = binary.AppendUvarint(out, uint64(number)<<3|wireBytes)
	return append(binary.AppendUvarint(out, uint64(len(value))), value...)
}
