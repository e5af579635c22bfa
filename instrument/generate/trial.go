package generate

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
)

// What one call may take. A size with which it would take more ends its series.
const (
	CallLimit   = time.Second // of CPU time; waiting may take ten times as long
	MemoryLimit = 1 << 30     // bytes of live objects
)

// TrialTest is the name of the test that Trial writes. It has a subtest for each order: see TrialOf.
const TrialTest = "TestSpellLSPTrial"

// TrialMark begins the lines that a trial prints.
const TrialMark = "spell-lsp-trial"

// Trial is a file with a test that calls the function as the benchmark does, with each size a few times, and prints how
// it went. It is run before the benchmark, in a process of its own, because only the end of the process ends a
// call that takes too long. Tried reads what it prints.
func (b *Benchmark) Trial() []byte {
	p := b.plan
	var body strings.Builder
	body.WriteString(p.own("func " + TrialTest + "(t *testing.T) {\n"))
	fmt.Fprintf(&body, "for _, order := range []string{%s} {\n%s", quoted(b.orders()), p.own("t.Run(\"order=\" + order, func(t *testing.T) {\nb := spellLSPTrial{t}\n"))
	if b.effects {
		body.WriteString(homeCode)
	}
	fmt.Fprintf(&body, "go b.watch(%s)\nfor _, n := range %s {\n", b.home(), list(b.sizes))
	body.WriteString(p.own("b.size(n, func() func() (time.Time, error) {\n"))
	b.writeSetup(&body)
	body.WriteString(p.own("return func() (time.Time, error) {\n"))
	for _, a := range p.arguments {
		writeLines(&body, a.renew)
	}
	body.WriteString(p.own("spellLSPMade := time.Now()\n"))
	if p.fails {
		body.WriteString(strings.Repeat("_, ", p.results-1) + "spellLSPError := " + p.call + "\nreturn spellLSPMade, spellLSPError\n")
	} else {
		body.WriteString(p.call + "\nreturn spellLSPMade, nil\n")
	}
	body.WriteString("}\n})\n}\n})\n}\n}\n\n")
	fmt.Fprintf(&body, p.own(trialCode), TrialMark, int64(CallLimit), int64(MemoryLimit))
	return b.file(body.String())
}

// trialCode is what a trial needs beside its test.
const trialCode = `type spellLSPTrial struct{ testing.TB }

// Fatal ends one size, not the trial.
func (spellLSPTrial) Fatal(args ...any) { panic(fmt.Sprint(args...)) }

// spellLSPOut is where a trial tells how it goes, also where the function sets another os.Stdout.
var spellLSPOut = os.Stdout

func (spellLSPTrial) tell(format string, args ...any) {
	fmt.Fprintf(spellLSPOut, "\n%[1]s "+format+"\n", args...)
}

// Nanoseconds; 0 is no limit. On a busy machine a call can wait for long before it has used much CPU time.
var spellLSPDeadline, spellLSPMostCPU, spellLSPSize atomic.Int64

func spellLSPCPU() int64 {
	var used syscall.Rusage
	syscall.Getrusage(syscall.RUSAGE_SELF, &used)
	return used.Utime.Nano() + used.Stime.Nano()
}

func (spellLSPTrial) limit(ns int64) {
	spellLSPDeadline.Store(time.Now().UnixNano() + 10*ns)
	spellLSPMostCPU.Store(spellLSPCPU() + ns)
}

func (spellLSPTrial) unlimited() {
	spellLSPDeadline.Store(0)
	spellLSPMostCPU.Store(0)
}

// watch ends the process when a call takes too long, or too much memory.
func (b spellLSPTrial) watch(home string) {
	live := []metrics.Sample{{Name: "/gc/heap/live:bytes"}, {Name: "/memory/classes/heap/objects:bytes"}, {Name: "/memory/classes/heap/stacks:bytes"}}
	for {
		time.Sleep(5 * time.Millisecond)
		at, most := spellLSPDeadline.Load(), spellLSPMostCPU.Load()
		if at != 0 && time.Now().UnixNano() > at || most != 0 && spellLSPCPU() > most {
			b.end(home, "slow")
		}
		if metrics.Read(live); live[0].Value.Uint64() > %[3]d || live[1].Value.Uint64()+live[2].Value.Uint64() > 2*%[3]d {
			b.end(home, "memory")
		}
	}
}

// end removes the home first, as the test does at its end.
func (b spellLSPTrial) end(home, why string) {
	b.tell("%%s %%d", why, spellLSPSize.Load())
	if home != "" {
		os.RemoveAll(filepath.Dir(home))
	}
	os.Exit(0)
}

func (b spellLSPTrial) size(n int, prepare func() func() (time.Time, error)) {
	b.tell("begin %%d", n)
	defer func() {
		b.unlimited()
		if r := recover(); r != nil {
			b.tell("panic %%d %%q", n, fmt.Sprint(r))
		}
	}()
	spellLSPSize.Store(int64(n))
	b.limit(10 * %[2]d)
	call := prepare()
	var making, calling, calls time.Duration
	failed := ""
	for began := time.Now(); calls == 0 || calls < 50 && time.Since(began) < 20*time.Millisecond; calls++ {
		b.limit(%[2]d)
		start := time.Now()
		made, err := call()
		calling += time.Since(made)
		making += made.Sub(start)
		if err != nil {
			failed = err.Error()
		}
	}
	b.tell("end %%d %%d %%d %%q", n, making/calls, calling/calls, failed)
}
`

// TrialOf selects the subtest of an order, as go test -run does.
func TrialOf(order string) string { return "^" + TrialTest + "$/^order=" + order + "$" }

// A Tried is what a trial says of one order.
type Tried struct {
	Order   string
	Sizes   []int // that can be measured, in rising order
	LeftOut []LeftOut
	// Making is the part of the time of a call, with its largest size, in which its arguments were made anew.
	Making float64
	Failed []Failure // the sizes with which calls returned an error, in rising order
}

// A Failure is a size with which calls return an error.
type Failure struct {
	Size  int
	Error string // its first line
}

// LeftOut is a size with which the function is not called.
type LeftOut struct {
	Size   int
	Above  bool // with greater sizes neither
	Reason string
}

func (l LeftOut) String() string {
	and := ""
	if l.Above {
		and = " and above"
	}
	return fmt.Sprintf("n=%d%s: %s", l.Size, and, l.Reason)
}

// TriedOf reads what the trial of an order printed, up to the end of its process.
func TriedOf(order, output string) Tried {
	t, open := Tried{Order: order}, 0
	for line := range strings.Lines(output) {
		rest, marked := strings.CutPrefix(line, TrialMark+" ")
		what, rest, _ := strings.Cut(strings.TrimSpace(rest), " ")
		if !marked {
			continue
		}
		sizeText, rest, _ := strings.Cut(rest, " ")
		n, err := strconv.Atoi(sizeText)
		if err != nil {
			continue
		}
		open = 0
		switch what {
		case "begin":
			open = n
		case "slow":
			t.LeftOut = append(t.LeftOut, LeftOut{n, true, fmt.Sprintf("a call takes more than %v", CallLimit)})
		case "memory":
			t.LeftOut = append(t.LeftOut, LeftOut{n, true, "a call and its arguments take more than 1 GB"})
		case "panic":
			said, _ := strconv.Unquote(rest)
			t.LeftOut = append(t.LeftOut, LeftOut{n, false, "a call ends with: " + firstLine(said)})
		case "end":
			t.add(n, rest)
		}
	}
	if open != 0 {
		t.LeftOut = append(t.LeftOut, LeftOut{open, true, "the process ends: " + ending(output)})
	}
	return t
}

// Lost are the sizes of which a trial says nothing, as where its output is too long to be kept.
func (t *Tried) Lost(sizes []int) (lost []int) {
	for _, n := range sizes {
		told := slices.Contains(t.Sizes, n) || slices.ContainsFunc(t.LeftOut, func(l LeftOut) bool { return l.Size == n || l.Above && l.Size < n })
		if !told {
			lost = append(lost, n)
		}
	}
	return lost
}

// add adds a size with which the calls returned.
func (t *Tried) add(n int, rest string) {
	var making, calling float64
	var failed string
	if _, err := fmt.Sscanf(rest, "%g %g %q", &making, &calling, &failed); err != nil {
		return
	}
	t.Sizes = append(t.Sizes, n)
	t.Making = making / max(1, making+calling)
	if failed != "" {
		t.Failed = append(t.Failed, Failure{n, firstLine(failed)})
	}
}

// ending is why a process ended, as the runtime says it.
func ending(output string) string {
	for line := range strings.Lines(output) {
		for _, begin := range []string{"fatal error: ", "panic: ", "signal: "} {
			if strings.HasPrefix(line, begin) {
				return strings.TrimSpace(line)
			}
		}
	}
	return "without a word"
}

// firstLine is the beginning of what a program said: it may have its arguments in it.
func firstLine(text string) string {
	const most = 100
	line, _, _ := strings.Cut(text, "\n")
	if len(line) > most {
		line = strings.ToValidUTF8(line[:most], "") + " ..."
	}
	return line
}
