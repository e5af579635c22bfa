package runner

import "strings"

// excerptLines is how much of a program's output is kept for one test.
const excerptLines = 30

// excerpt is the part of a test program's output that tells why a test did not
// pass: what stands under its name for a test that failed, otherwise what
// begins with the panic that ended the program.
func excerpt(output, test string) string {
	lines := strings.Split(strings.TrimSpace(output), "\n")
	for i, line := range lines {
		if strings.HasPrefix(line, "--- FAIL: "+test+" ") {
			if report := until(lines[i+1:], endsReport); len(report) > 0 {
				return strings.TrimSpace(strings.Join(report, "\n"))
			}
		}
	}
	for i, line := range lines {
		if strings.HasPrefix(line, "panic: ") || strings.HasPrefix(line, "fatal error: ") || strings.HasPrefix(line, "SIG") {
			return strings.Join(until(lines[i:], nil), "\n")
		}
	}
	return strings.Join(lines[max(0, len(lines)-excerptLines):], "\n")
}

// endsReport says that a line of the test program's output is no longer about
// the test before it.
func endsReport(line string) bool {
	for _, prefix := range []string{"--- ", "=== ", "panic: ", "FAIL", "PASS", "ok ", "exit status "} {
		if strings.HasPrefix(line, prefix) {
			return true
		}
	}
	return false
}

func until(lines []string, end func(string) bool) []string {
	for i, line := range lines {
		if i == excerptLines || end != nil && end(line) {
			return lines[:i]
		}
	}
	return lines
}
