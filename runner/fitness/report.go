package fitness

import (
	"fmt"
	"io"
	"strings"
)

// Question is the heading of the report.
const Question = "Is this machine fit to measure?"

// Verdict answers the question in a sentence.
func (a Assessment) Verdict() string {
	counts := make(map[Effect]int)
	for _, f := range a.Findings {
		counts[f.Effect]++
	}
	switch {
	case counts[Large] > 0:
		return fmt.Sprintf("Not for exact figures: %s can change them more than the program does.", things(counts[Large]))
	case counts[Medium] > 0:
		return fmt.Sprintf("Yes, but %s can hide small changes.", things(counts[Medium]))
	case len(a.Fine) == 0:
		return "That is not known: the kernel tells nothing of it here."
	case len(a.Unknown) > 0:
		return "Yes, as far as the kernel tells."
	}
	return "Yes."
}

func things(n int) string {
	if n == 1 {
		return "one thing"
	}
	return fmt.Sprintf("%d things", n)
}

// Write writes an assessment as text for people.
func Write(w io.Writer, a Assessment) error {
	var b strings.Builder
	fmt.Fprintf(&b, "%s %s\n", Question, a.Verdict())
	for i, f := range a.Findings {
		fmt.Fprintf(&b, "\n%2d. %s\n", i+1, f.Seen)
		fmt.Fprintf(&b, "    %s\n", f.Why)
		f.writeRemedy(&b)
	}
	if len(a.Findings) > 0 {
		b.WriteString("\n")
	}
	if len(a.Fine) > 0 {
		fmt.Fprintf(&b, "Fine: %s.\n", strings.Join(a.Fine, ", "))
	}
	if len(a.Unknown) > 0 {
		fmt.Fprintf(&b, "Not known here: %s.\n", strings.Join(a.Unknown, ", "))
	}
	if _, err := io.WriteString(w, b.String()); err != nil {
		return fmt.Errorf("writing whether the machine is fit: %w", err)
	}
	return nil
}

func (f Finding) writeRemedy(b *strings.Builder) {
	switch {
	case f.Remedy == "":
		return
	case len(f.Run) == 0:
		fmt.Fprintf(b, "    To mend it, %s.\n", f.Remedy)
		return
	case f.Steady:
		fmt.Fprintf(b, "    To mend it, %s (spell-lsp doctor --fix=steady does, and spell-lsp doctor --undo undoes it):\n", f.Remedy)
	default:
		fmt.Fprintf(b, "    To mend it, %s:\n", f.Remedy)
	}
	for _, command := range f.Run {
		fmt.Fprintf(b, "        %s\n", command)
	}
	if len(f.Undo) > 0 {
		fmt.Fprintf(b, "    A restart undoes it, or: %s\n", strings.Join(f.Undo, "; "))
	}
}
