package runner

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"spell-lsp/spell"
	"spell-lsp/spell/record"
)

// saver is a module whose test writes a file, reads it from the page cache, and computes.
var saver = map[string]string{
	"saver.go": `package m

import (
	"bytes"
	"os"
)

func Save(path string, n int) error {
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	chunk := bytes.Repeat([]byte{7}, 1<<20)
	for ; n > 0; n -= len(chunk) {
		if _, err := f.Write(chunk); err != nil {
			return err
		}
	}
	return f.Close()
}

func Load(path string) (int, error) {
	data, err := os.ReadFile(path)
	return len(data), err
}

func Spin(n int) (sum int) {
	for i := range n {
		sum += i * i % 7
	}
	return sum
}
`,
	"saver_test.go": `package m

import (
	"os"
	"path/filepath"
	"testing"
)

func TestSave(t *testing.T) {
	Spin(20_000_000)
	path := filepath.Join(os.Getenv("SAVE_IN"), "saved")
	if err := Save(path, 64<<20); err != nil {
		t.Fatal(err)
	}
	if n, err := Load(path); n != 64<<20 {
		t.Fatal(n, err)
	}
	Spin(20_000_000)
	os.Remove(path)
}
`,
}

// onDisk is a temporary folder on a disk, and not in memory.
func onDisk(t *testing.T) string {
	t.Helper()
	const inMemory = 0x01021994 // TMPFS_MAGIC
	for _, parent := range []string{os.TempDir(), "/var/tmp"} {
		var fs syscall.Statfs_t
		if syscall.Statfs(parent, &fs) != nil || fs.Type == inMemory {
			continue
		}
		if dir, err := os.MkdirTemp(parent, "spell-lsp-test-"); err == nil {
			t.Cleanup(func() { os.RemoveAll(dir) })
			return dir
		}
	}
	t.Skip("no temporary folder is on a disk")
	return ""
}

// The function that writes 64 MiB has the energy of the disk, whether it runs long or not. One that
// reads them from the page cache has none, nor has one that computes all the time.
func TestSaverHasTheEnergyOfTheDisk(t *testing.T) {
	t.Setenv("SAVE_IN", onDisk(t))
	run, err := Measure(t.Context(), Params{Dir: module(t, saver), Meter: "model,disk", Rounds: 2})
	if err != nil {
		t.Fatal(err)
	}
	components, all := byName(run), run.Tests[0].EnergyJ[spell.Disk]
	save, load, spin := components["Save"], components["Load"], components["Spin"]
	if all == 0 || save.EnergyJ[spell.Disk] < 0.95*all {
		t.Errorf("Save has %v J of the disk's %v J, want at least 95 %%", save.EnergyJ[spell.Disk], all)
	}
	if load.EnergyJ[spell.Disk] != 0 || spin.EnergyJ[spell.Disk] != 0 {
		t.Errorf("Load has %v J of the disk, Spin %v J: want none", load.EnergyJ[spell.Disk], spin.EnergyJ[spell.Disk])
	}
	checkBytes(t, "Save", save, record.Bytes{WrittenBytes: 64 << 20})
	checkBytes(t, "Load", load, record.Bytes{ReadBytes: 64 << 20})
	checkBytes(t, "Spin", spin, record.Bytes{})
	if spin.EnergyJ[spell.CPU] == 0 || run.Imbalance() > 0.005 {
		t.Errorf("Spin has %v J of the processor; components and parts differ from the meter by %g", spin.EnergyJ[spell.CPU], run.Imbalance())
	}
	if len(run.TestOnly())+len(run.DomainNotes()) > 0 {
		t.Errorf("domains of tests only: %v; notes: %v", run.TestOnly(), run.DomainNotes())
	}
}

func byName(r *record.Run) map[string]record.Component {
	components := make(map[string]record.Component)
	for _, c := range r.Components {
		components[c.ID[strings.LastIndex(c.ID, ".")+1:]] = c
	}
	return components
}

func checkBytes(t *testing.T, name string, c record.Component, want record.Bytes) {
	t.Helper()
	if c.Bytes != want {
		t.Errorf("%s moved %+v, want %+v", name, c.Bytes, want)
	}
}

// sender is a module whose test sends bytes to PEER, receives others from it, and computes.
var sender = map[string]string{
	"sender.go": `package m

import (
	"io"
	"net"
)

// Send ends when the peer has all.
func Send(c *net.TCPConn, n int) error {
	if _, err := c.Write(make([]byte, n)); err != nil {
		return err
	}
	return c.CloseWrite()
}

func Drain(c *net.TCPConn) (int64, error) { return io.Copy(io.Discard, c) }

func Spin(n int) (sum int) {
	for i := range n {
		sum += i * i % 7
	}
	return sum
}
`,
	"sender_test.go": fmt.Sprintf(`package m

import (
	"net"
	"os"
	"testing"
)

func TestSend(t *testing.T) {
	Spin(20_000_000)
	c, err := net.Dial("tcp", os.Getenv("PEER"))
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	if err := Send(c.(*net.TCPConn), %d); err != nil {
		t.Fatal(err)
	}
	if n, err := Drain(c.(*net.TCPConn)); n != %d {
		t.Fatal(n, err)
	}
	Spin(20_000_000)
}
`, sentBytes, drainedBytes),
}

// measureSender measures the test of sender, and checks the bytes of its functions.
func measureSender(t *testing.T, address string) map[string]record.Component {
	t.Helper()
	t.Setenv("PEER", address)
	run, err := Measure(t.Context(), Params{Dir: module(t, sender), Meter: "net", Rounds: 2})
	if err != nil {
		t.Fatal(err)
	}
	components := byName(run)
	checkBytes(t, "Send", components["Send"], record.Bytes{SentBytes: sentBytes})
	checkBytes(t, "Drain", components["Drain"], record.Bytes{ReceivedBytes: drainedBytes})
	checkBytes(t, "Spin", components["Spin"], record.Bytes{})
	if spin := components["Spin"].EnergyJ[spell.Net]; spin != 0 || run.Imbalance() > 0.005 {
		t.Errorf("Spin has %v J of the network, want none; components and parts differ from the meter by %g", spin, run.Imbalance())
	}
	t.Logf("Send has %v J, Drain %v J of %v J", components["Send"].EnergyJ[spell.Net], components["Drain"].EnergyJ[spell.Net], run.Tests[0].EnergyJ[spell.Net])
	components["whole test"] = record.Component{EnergyJ: run.Tests[0].EnergyJ}
	return components
}

// What goes over loopback is counted, and costs nothing: it reaches no wire.
func TestBytesOverLoopback(t *testing.T) {
	address, end := startPeer(t, os.Args[0], peer, "127.0.0.1:0")
	components := measureSender(t, address)
	end()
	for _, name := range []string{"Send", "Drain"} {
		if joules := components[name].EnergyJ[spell.Net]; joules != 0 {
			t.Errorf("%s has %v J of the network, want none over loopback", name, joules)
		}
	}
}

// insideVariable tells the test below, in a network namespace, the address of the peer.
const insideVariable = "SPELL_LSP_TEST_PEER"

// The bytes of two functions over a network, which is a pair of namespaces, are exact, and the
// functions have its energy, each in proportion to its bytes and those of the headers.
func TestBytesOverANetwork(t *testing.T) {
	if address := os.Getenv(insideVariable); address != "" {
		checkOverNetwork(t, measureSender(t, address))
		return
	}
	if testing.Short() { // the process in the namespace does not know
		t.Skip("it measures")
	}
	here, there := namespaces(t)
	address, end := startPeer(t, "ip", "netns", "exec", there, os.Args[0], peer, "10.231.7.2:0")
	cmd := exec.CommandContext(t.Context(), "ip", "netns", "exec", here, os.Args[0], "-test.run=^"+t.Name()+"$", "-test.v")
	cmd.Env = append(os.Environ(), insideVariable+"="+address)
	out, err := cmd.CombinedOutput()
	if err != nil || !strings.Contains(string(out), "--- PASS: "+t.Name()) {
		t.Fatalf("in the namespace: %v\n%s", err, out)
	}
	end()
}

func checkOverNetwork(t *testing.T, components map[string]record.Component) {
	t.Helper()
	const joulesPerByte = 3.6e-6 // of the meter
	of := func(name string) float64 { return components[name].EnergyJ[spell.Net] }
	if all := of("whole test"); of("Send")+of("Drain") < 0.95*all || all < joulesPerByte*(sentBytes+drainedBytes) {
		t.Errorf("Send has %v J and Drain %v J of the network's %v J, want at least 95 %% together", of("Send"), of("Drain"), all)
	}
	if ratio := of("Drain") / of("Send"); ratio < 0.99*drainedBytes/sentBytes || ratio > 1.01*drainedBytes/sentBytes {
		t.Errorf("Drain has %v times the energy of Send, and %v times the bytes", ratio, float64(drainedBytes)/sentBytes)
	}
}

// namespaces makes two network namespaces that a pair of interfaces joins: 10.231.7.1 and .2.
func namespaces(t *testing.T) (here, there string) {
	t.Helper()
	if _, err := exec.LookPath("ip"); err != nil || os.Geteuid() != 0 {
		t.Skip("network namespaces need root and the command ip (iproute2); TestBytesOverLoopback does without")
	}
	id := filepath.Base(t.TempDir()) + strconv.Itoa(os.Getpid())
	here, there = "spell-a-"+id, "spell-b-"+id
	for i, name := range []string{here, there} {
		if out, err := exec.CommandContext(t.Context(), "ip", "netns", "add", name).CombinedOutput(); err != nil {
			t.Skipf("this system gives no network namespaces: %v: %s", err, out)
		}
		t.Cleanup(func() { exec.Command("ip", "netns", "delete", name).Run() })
		if i == 1 {
			run(t, "ip", "link", "add", "spell0", "netns", here, "type", "veth", "peer", "name", "spell0", "netns", there)
		}
	}
	for i, name := range []string{here, there} {
		run(t, "ip", "-n", name, "address", "add", fmt.Sprintf("10.231.7.%d/24", i+1), "dev", "spell0")
		run(t, "ip", "-n", name, "link", "set", "spell0", "up")
		run(t, "ip", "-n", name, "link", "set", "lo", "up")
	}
	return here, there
}

func run(t *testing.T, command ...string) {
	t.Helper()
	if out, err := exec.CommandContext(t.Context(), command[0], command[1:]...).CombinedOutput(); err != nil {
		t.Fatalf("%v: %v: %s", command, err, out)
	}
}
