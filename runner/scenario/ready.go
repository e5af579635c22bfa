package scenario

import (
	"fmt"
	"net"
	"net/url"
	"regexp"
	"strconv"
	"strings"
)

// A Ready is how a program is seen to be ready. One of its fields is set.
type Ready struct {
	URL     string         // answers a GET with a status below 500
	Address string         // HOST:PORT, accepts a connection
	Line    *regexp.Regexp // matches a line that the program prints
}

// readiness reads URL, PORT, :PORT, HOST:PORT or a regular expression.
func readiness(text string) (*Ready, error) {
	if strings.HasPrefix(text, "http://") || strings.HasPrefix(text, "https://") {
		if u, err := url.Parse(text); err != nil || u.Host == "" {
			return nil, fmt.Errorf("%q is no URL", text)
		}
		return &Ready{URL: text}, nil
	}
	if _, err := strconv.Atoi(text); err == nil {
		text = ":" + text
	}
	if host, port, err := net.SplitHostPort(text); err == nil && isHost.MatchString(host) {
		if n, err := strconv.Atoi(port); err == nil {
			if n < 1 || n > 65535 {
				return nil, fmt.Errorf("%s is no port: it must be from 1 to 65535", port)
			}
			if host == "" {
				host = "localhost"
			}
			return &Ready{Address: net.JoinHostPort(host, port)}, nil
		}
	}
	line, err := regexp.Compile(text)
	if err != nil {
		return nil, fmt.Errorf("%q is neither a URL nor a port, and no regular expression: %w", text, err)
	}
	return &Ready{Line: line}, nil
}

var isHost = regexp.MustCompile(`^[\w.:-]*$`)

// String is what is waited for.
func (r *Ready) String() string {
	switch {
	case r.URL != "":
		return r.URL
	case r.Address != "":
		return r.Address
	}
	return fmt.Sprintf("a line that matches %q", r.Line)
}
