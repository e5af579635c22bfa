package sarif

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"unicode/utf16"

	"github.com/aymanbagabas/go-udiff"

	"spell-lsp/spell/advice"
	"spell-lsp/spell/jsonform"
	"spell-lsp/spell/page"
	"spell-lsp/spell/record"
	"spell-lsp/spell/wording"
)

// adviceRule begins the names of the rules of advice.
const adviceRule = "energy-advice/"

type fix struct {
	Description message  `json:"description"`
	Changes     []change `json:"artifactChanges"`
}

type change struct {
	Artifact     artifact      `json:"artifactLocation"`
	Replacements []replacement `json:"replacements"`
}

type replacement struct {
	Deleted  region  `json:"deletedRegion"`
	Inserted content `json:"insertedContent"`
}

type content struct {
	Text string `json:"text"`
}

// WriteAdvice writes what to change in a run as results with fixes, for code scanning: each says the
// most that it can save, and is ranked by its share of all functions. read returns the files that the
// advice is about. It belongs to a category of its own, so that it does not replace the results of
// [Write].
func WriteAdvice(w io.Writer, r *record.Run, list []advice.Advice, read func(file string) []byte, o Options) error {
	rules, found := []descriptor{}, []result{}
	alike := make(map[string]int) // a function may do the same needless thing in several places
	for i := range list[:min(len(list), maxResults)] {
		a := &list[i]
		at := slices.IndexFunc(rules, func(d descriptor) bool { return d.ID == adviceRule+a.Rule })
		if at < 0 {
			at, rules = len(rules), append(rules, adviceDescriptor(a))
		}
		like := r.Components[a.Component].ID + a.Rule + a.Message
		one, err := adviceResult(r, a, at, alike[like], read)
		alike[like]++
		if err != nil {
			return err
		}
		found = append(found, one)
	}
	t, automation := theTool(o), automated(r)
	t.Driver.Rules = rules
	automation.ID = strings.Replace(automation.ID, "spell-lsp/", "spell-lsp/advice/", 1)
	automation.Description = text("Needless work in lines that use energy.")
	return jsonform.Write(w, "the SARIF log", document{Schema: schema, Version: version, Runs: []run{{
		Tool: t, Invocations: []invocation{invoked(r)}, Automation: automation, ColumnKind: "utf16CodeUnits",
		Bases:   map[string]artifact{srcRoot: {Description: &message{Text: "The workspace that was measured."}}},
		Results: found, Properties: properties(r),
	}}})
}

func adviceDescriptor(a *advice.Advice) descriptor {
	help := cmp.Or(a.Help, a.Message)
	return descriptor{
		ID: adviceRule + a.Rule, Name: camelCase(a.Rule), Short: text("Needless work: " + a.Rule),
		Full:          text("The lines do more than they must, and use energy. What a change saves is at most what the run has in them."),
		Help:          text(strings.ToUpper(help[:1]) + help[1:] + "."),
		Configuration: configuration{"warning"},
		Properties:    map[string]any{"tags": []string{"energy", "performance"}},
	}
}

// camelCase is the name of a rule in the form that SARIF asks for (3.49.7): "regexp-per-call" is
// "RegexpPerCall".
func camelCase(rule string) string {
	var b strings.Builder
	for part := range strings.SplitSeq(rule, "-") {
		if part != "" {
			b.WriteString(strings.ToUpper(part[:1]) + part[1:])
		}
	}
	return b.String()
}

func adviceResult(r *record.Run, a *advice.Advice, rule, number int, read func(file string) []byte) (result, error) {
	c := &r.Components[a.Component]
	here := place(c)
	here.Physical = &physical{Artifact: artifactOf(a.File), Region: &region{StartLine: a.Line, EndLine: max(a.Line, a.EndLine)}}
	one := result{
		Rule: adviceRule + a.Rule, Index: rule, Level: "warning", Message: text(adviceSentence(r, a)), Locations: []location{here},
		Fingerprints: map[string]string{"spellAdvice/v1": digest(a.Rule, c.ID, c.Hash, a.Message, strconv.Itoa(number))},
		Rank:         min(100, 100*a.Share), Properties: map[string]any{"source": source(r), "timeMs": a.TimeMS, "share": a.Share},
	}
	if hasEnergy(r) {
		one.Properties["energyJ"] = a.EnergyJ
	}
	if a.Edits == nil {
		return one, nil
	}
	f := fix{Description: text(cmp.Or(a.Help, a.Message))}
	files, of := advice.ByFile(a.Edits)
	for _, file := range files {
		before := read(file)
		after, err := advice.Rewrite(before, of[file])
		if err != nil {
			return result{}, fmt.Errorf("%s: %w", file, err)
		}
		f.Changes = append(f.Changes, change{artifactOf(file), replacements(string(before), string(after))})
	}
	one.Fixes = []fix{f}
	return one, nil
}

// adviceSentence is the message of a result.
func adviceSentence(r *record.Run, a *advice.Advice) string {
	c := &r.Components[a.Component]
	saving := wording.Saving{
		Function: "it", KnowsEnergy: hasEnergy(r), Estimated: r.Meter.Origin() == record.Estimated,
		PartJ: a.EnergyJ.Total(), WholeJ: c.EnergyJ.Total(), PartMS: a.TimeMS, WholeMS: c.TimeMS,
	}
	s := fmt.Sprintf("A change in %s saves %s: %s", c.ID, saving, a.Message)
	if a.Help != "" {
		s += "; " + a.Help
	}
	return page.Clean(s) + "."
}

// replacements are what differs between two texts.
func replacements(before, after string) []replacement {
	var list []replacement
	for _, e := range udiff.Lines(before, after) {
		startLine, startColumn := position(before, e.Start)
		endLine, endColumn := position(before, e.End)
		list = append(list, replacement{region{startLine, startColumn, endLine, endColumn}, content{e.New}})
	}
	return list
}

// position is the line and column of an offset, from 1, the column in units of UTF-16.
func position(s string, offset int) (line, column int) {
	before := s[:offset]
	start := strings.LastIndexByte(before, '\n') + 1
	return strings.Count(before, "\n") + 1, len(utf16.Encode([]rune(before[start:]))) + 1
}
