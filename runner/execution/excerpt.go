package execution

import (
	"strings"

	"spell-lsp/spell/capture"
)

// excerptLines is how much of a program's output is kept for one test.
const excerptLines = 30

// Excerpt is the part of a test program's output that says why a test did not pass. For a test
// that failed it is the text under its name, with its panic if there is one; for a test that
// did not end, the panic that ended the program, or the end of the output. It is empty where
// nothing in the output is certainly about the test.
func Excerpt(output, test string) string {
	lines := strings.Split(strings.TrimSpace(output), "\n")
	for i, line := range lines {
		if indent := failure(line, test); indent >= 0 {
			return report(lines[i+1:], indent)
		}
	}
	ended := false
	for i, line := range lines {
		if capture.StartsPanic(line) {
			return strings.Join(until(lines[i:], nil), "\n")
		}
		ended = ended || line == "FAIL" || line == "PASS"
	}
	if ended {
		return "" // all words are those of other tests, or of none
	}
	return LastWords(output)
}

// failure is the indentation of the line that reports the failure of a test (those of subtests
// are indented), or -1 for all other lines. The test's own output can precede it on the line.
func failure(line, test string) int {
	i := strings.Index(line, "--- FAIL: "+test+" (")
	if i < 0 || !strings.HasSuffix(line, "s)") {
		return -1
	}
	if strings.TrimLeft(line[:i], " ") != "" {
		return 0
	}
	return i
}

// report is the text under the line of a failure, which is indented further.
func report(lines []string, indent int) string {
	text := until(lines, func(line string) bool { return line != "" && indentation(line) <= indent })
	rest := lines[len(text):]
	if len(rest) > 0 && capture.StartsPanic(rest[0]) && strings.Contains(rest[0], " [recovered") {
		// The testing package had the test's panic in hand when it wrote the report.
		text = append(text[:len(text):len(text)], until(rest, nil)...)
	}
	return strings.TrimSpace(strings.Join(text, "\n"))
}

func indentation(line string) int { return len(line) - len(strings.TrimLeft(line, " ")) }

func until(lines []string, end func(string) bool) []string {
	for i, line := range lines {
		if i == excerptLines || end != nil && end(line) {
			return lines[:i]
		}
	}
	return lines
}

// LastWords is the end of what a program printed.
func LastWords(output string) string {
	lines := strings.Split(strings.TrimSpace(output), "\n")
	return strings.Join(lines[max(0, len(lines)-excerptLines):], "\n")
}
