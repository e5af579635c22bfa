package target

import (
	"bufio"
	"encoding/hex"
	"fmt"
	"net"
	"net/netip"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"spell-lsp/spell/regularfile"
)

// Find finds a process by its number, or a service by a URL on this machine.
func Find(text string) (pid int, err error) { return find("/proc", text) }

// ProfileURL is where net/http/pprof serves CPU profiles by default, in a service that Find finds by
// its URL; "" for a process that is named by its number.
func ProfileURL(text string) string {
	if _, err := strconv.Atoi(text); err == nil {
		return ""
	}
	if u, err := url.Parse(text); err == nil && u.Host != "" {
		return u.Scheme + "://" + u.Host + "/debug/pprof/profile"
	}
	return "http://" + text + "/debug/pprof/profile"
}

func find(proc, text string) (int, error) {
	if pid, err := strconv.Atoi(text); err == nil {
		if pid <= 0 {
			return 0, fmt.Errorf("%d is no process", pid)
		}
		return pid, nil
	}
	address := text
	if u, err := url.Parse(text); err == nil && u.Host != "" {
		address = u.Host
		if u.Port() == "" {
			address += map[string]string{"http": ":80", "https": ":443"}[u.Scheme]
		}
	}
	host, service, err := net.SplitHostPort(address)
	port, numeric := strconv.Atoi(service)
	if err != nil || numeric != nil || port < 1 || port > 65535 {
		return 0, fmt.Errorf("%q is neither the number of a process nor a URL such as http://localhost:8080", text)
	}
	if ip, err := netip.ParseAddr(host); host != "localhost" && host != "" && (err != nil || !ip.IsLoopback()) {
		return 0, fmt.Errorf("%s is not this machine: the meter sees what runs here; run spell-lsp there, and name the service by localhost", host)
	}
	return listener(proc, port)
}

// listener finds the process that listens on a TCP port (proc_pid_net(5), tcp and tcp6).
func listener(proc string, port int) (int, error) {
	var sockets []string // as links of descriptors name them
	for _, table := range []string{"tcp", "tcp6"} {
		sockets = append(sockets, listening(filepath.Join(proc, "net", table), port)...)
	}
	if len(sockets) == 0 {
		return 0, fmt.Errorf("nothing listens on port %d: start the service, or name another port", port)
	}
	links, _ := filepath.Glob(filepath.Join(proc, "[0-9]*", "fd", "*")) // the pattern is right
	for _, link := range links {
		if to, err := os.Readlink(link); err == nil && slices.Contains(sockets, to) {
			return strconv.Atoi(filepath.Base(filepath.Dir(filepath.Dir(link))))
		}
	}
	return 0, fmt.Errorf("what listens on port %d belongs to another user: run spell-lsp as that user, or name the process by its number", port)
}

// listening lists the sockets of a table that listen on a port.
func listening(table string, port int) (sockets []string) {
	file, err := regularfile.Open(table)
	if err != nil {
		return nil // this machine has no such protocol
	}
	defer file.Close() // it was only read
	const local, state, inode, listens = 1, 3, 9, "0A"
	lines := bufio.NewScanner(file)
	for lines.Scan() {
		fields := strings.Fields(lines.Text())
		if len(fields) <= inode || fields[state] != listens {
			continue
		}
		_, hexPort, _ := strings.Cut(fields[local], ":")
		if b, err := hex.DecodeString(hexPort); err == nil && len(b) == 2 && int(b[0])<<8|int(b[1]) == port {
			sockets = append(sockets, "socket:["+fields[inode]+"]")
		}
	}
	return sockets
}
