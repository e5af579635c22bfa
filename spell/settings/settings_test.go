package settings_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"spell-lsp/spell"
	"spell-lsp/spell/footprint"
	"spell-lsp/spell/settings"
)

func with(change func(*settings.Settings)) settings.Settings {
	s := settings.Default()
	change(&s)
	return s
}

// complete has a value other than the default for every key.
var complete = settings.Settings{
	Machine: "lab", Meter: "rapl,gpu", PowercapRoot: "/srv/powercap", Rounds: 12, For: 150 * time.Second, Warmup: 2, Drop: 3, Seed: 4294967295, Timeout: 90 * time.Second,
	Exclude: []string{"*.pb.go", "internal/*/gen.go"}, Tags: []string{"integration", "go1.26"}, Run: "Test(Sort|Add)/small",
	Scenarios: map[string]settings.Scenario{
		"convert": {Exec: "go run ./cmd/convert -o /dev/null 'big file.xml'"},
		"serve":   {Exec: "./cmd/server", Ready: "8080", Load: "hey -n 100 http://localhost:8080/", For: 90 * time.Second, Stop: "SIGINT"},
	},
	Mode: "sample", Library: spell.Library{Own: true, Callers: 3}, Power: "linear", Granularity: spell.KindType, Order: spell.ByPsi, Oracle: spell.ProductOfSums,
	Weights:       spell.Weights{spell.CPU: 1, spell.DRAM: 0.5, spell.GPU: 0, spell.Disk: 2, spell.Fans: 3, spell.Net: 4},
	IncludeFailed: true, Top: -1, Zones: spell.ZoneRule{Red: 0.3, Yellow: 0.6, Floor: 0.1},
	ZonesBy: "absolute", RedFrom: 0.4, YellowFrom: 0.1,
	Baseline:  "release/1.0",
	Footprint: footprint.Rates{Carbon: 400, Price: 0.3, Currency: "EUR"},
	Severity:  settings.Severity{Red: settings.Warning, Yellow: settings.Information, Green: settings.Off, Budget: settings.Hint}, GrowthSize: 100_000, Lenses: false, InlayHints: true, Advice: false,
}

const completeYAML = `# everything
meter: rapl,gpu
powercapRoot: /srv/powercap
rounds: 12
for: 2m30s
warmup: 2
drop: 3
seed: 0xffffffff
timeout: 90s
exclude: ["*.pb.go", internal/*/gen.go]
tags:
  - integration
  - go1.26
run: Test(Sort|Add)/small
scenarios:
  convert: {exec: "go run ./cmd/convert -o /dev/null 'big file.xml'"}
  serve:
    exec: ./cmd/server
    ready: 8080
    load: hey -n 100 http://localhost:8080/
    for: 1m30s
    stop: SIGINT
mode: sample
library: depth=3
power: linear
calmness: false
machine: lab
granularity: type
order: psi
oracle: product-of-sums
weights: {cpu: 1, dram: 0.5, gpu: 0, disk: 2, fans: 3e0, net: 0x4}
includeFailed: true
top: -1
zones:
  rule: absolute
  redFrom: 0.4
  yellowFrom: 0.1
  red: .3
  yellow: 0.6
  floor: 0.1
  keep: false
baseline: release/1.0
footprint: {carbon: 400, price: 0.3, currency: EUR}
severity: {red: warning, yellow: "information", green: off, budget: hint}
growth: {size: 100000}
lenses: false
inlayHints: true
advice: false
`

func TestParseYAML(t *testing.T) {
	for _, test := range []struct {
		name, yaml string
		want       settings.Settings
	}{
		{"empty", "", settings.Default()},
		{"comments only", "# nothing yet\n", settings.Default()},
		{"null", "~\n", settings.Default()},
		{"keys without values", "rounds:\nexclude:\nzones:\nweights: {cpu: }\n", settings.Default()},
		{"everything", completeYAML, complete},
		{"CRLF", strings.ReplaceAll(completeYAML, "\n", "\r\n"), complete},
		{"byte order mark", "\ufefftop: 3\n", with(func(s *settings.Settings) { s.Top = 3 })},
		{"auto", "rounds: auto\n", settings.Default()},
		{"no bound", "for: \"\"\n", settings.Default()},
		{"one weight leaves the others", "weights: {cpu: 2}\n", with(func(s *settings.Settings) { s.Weights[spell.CPU] = 2 })},
		{"no threshold", "zones: {floor: 0}\n", with(func(s *settings.Settings) { s.Zones.Floor = -1 })},
		{"whole number with a point", "rounds: 10.0\n", with(func(s *settings.Settings) { s.Rounds = 10 })},
	} {
		t.Run(test.name, func(t *testing.T) {
			got, err := settings.ParseYAML([]byte(test.yaml), "f", settings.Default())
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
		})
	}
}

func TestParseJSON(t *testing.T) {
	for _, test := range []struct {
		name, json string
		want       settings.Settings
	}{
		{"nothing", "", settings.Default()},
		{"null", " null\n", settings.Default()},
		{"empty", "{}", settings.Default()},
		{"what some clients make of an empty table", "[]", settings.Default()},
		{"null for what is not set", `{"rounds": null, "zones": {"red": null}, "severity": null}`, settings.Default()},
		{"some", `{"rounds": 7, "severity": {"green": "off"}, "tags": []}`, with(func(s *settings.Settings) { s.Rounds, s.Severity.Green = 7, settings.Off })},
	} {
		t.Run(test.name, func(t *testing.T) {
			got, err := settings.ParseJSON([]byte(test.json), settings.Default())
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
		})
	}
}

// What Map gives is what the parsers read: so a run can be asked for again
// with the settings in its record.
func TestMapIsReadBack(t *testing.T) {
	for name, s := range map[string]settings.Settings{"default": settings.Default(), "complete": complete,
		"no thresholds": with(func(s *settings.Settings) { s.Zones = spell.ZoneRule{Red: -1, Yellow: -1, Floor: -1} })} {
		t.Run(name, func(t *testing.T) {
			data, err := json.Marshal(s.Map())
			if err != nil {
				t.Fatal(err)
			}
			base := complete
			if name == "complete" {
				base = settings.Default()
			}
			for parser, parse := range map[string]func() (settings.Settings, error){
				"JSON": func() (settings.Settings, error) { return settings.ParseJSON(data, base) },
				"YAML": func() (settings.Settings, error) { return settings.ParseYAML(data, "f", base) },
			} {
				got, err := parse()
				if err != nil {
					t.Fatal(err)
				}
				if diff := cmp.Diff(s.Map(), got.Map()); diff != "" {
					t.Errorf("%s (-want +got):\n%s", parser, diff)
				}
			}
		})
	}
}

// The editor's settings go over the file's, key by key, and neither changes
// what it was put over.
func TestLayers(t *testing.T) {
	file, err := settings.ParseYAML([]byte("rounds: 5\ntop: 5\ntags: [a, b]\nweights: {cpu: 5, dram: 5}\nzones: {red: 0.2}\n"), "f", settings.Default())
	if err != nil {
		t.Fatal(err)
	}
	editor, err := settings.ParseJSON([]byte(`{"rounds": "auto", "tags": ["c"], "weights": {"cpu": 7}, "zones": {"floor": 0.01}}`), file)
	if err != nil {
		t.Fatal(err)
	}
	want := with(func(s *settings.Settings) {
		s.Top, s.Tags = 5, []string{"c"}
		s.Weights[spell.CPU], s.Weights[spell.DRAM] = 7, 5
		s.Zones.Red, s.Zones.Floor = 0.2, 0.01
	})
	if diff := cmp.Diff(want, editor); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	if file.Weights[spell.CPU] != 5 || file.Tags[0] != "a" || len(file.Tags) != 2 {
		t.Errorf("the file's settings changed: %+v", file)
	}
}

func TestLoad(t *testing.T) {
	dir := t.TempDir()
	got, err := settings.Load(dir)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(settings.Default(), got); diff != "" {
		t.Errorf("without a file (-want +got):\n%s", diff)
	}
	name := filepath.Join(dir, ".spell-lsp.yaml")
	if err := os.WriteFile(name, []byte("top: 4\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if got, err = settings.Load(dir); err != nil || got.Top != 4 {
		t.Errorf("top is %d, error %v", got.Top, err)
	}
	if err := os.WriteFile(name, []byte("top: four\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err = settings.Load(dir); err == nil || !strings.HasPrefix(err.Error(), name+":1:6: top is ") {
		t.Errorf("a bad value: %v", err)
	}
	if err := os.Remove(name); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(name, 0o700); err != nil {
		t.Fatal(err)
	}
	if _, err = settings.Load(dir); err == nil || !strings.Contains(err.Error(), "reading the configuration: ") {
		t.Errorf("a folder in place of the file: %v", err)
	}
}

// A flag is named as the user wrote it, and goes over what is below it like
// any other source.
func TestParseFlags(t *testing.T) {
	flags := map[string]settings.FlagValue{
		"rounds":  {Flag: "--rounds", Value: json.Number("3")},
		"weights": {Flag: "--weights", Value: map[string]any{"cpu": json.Number("2")}},
		"tags":    {Flag: "--tags", Value: []any{"a"}},
	}
	got, err := settings.ParseFlags(flags, settings.Default())
	if err != nil {
		t.Fatal(err)
	}
	want := with(func(s *settings.Settings) {
		s.Rounds, s.Tags = 3, []string{"a"}
		s.Weights[spell.CPU] = 2
	})
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	flags["weights"].Value.(map[string]any)["ram"] = json.Number("1")
	flags["rounds"] = settings.FlagValue{Flag: "--rounds", Value: 3.5}
	_, err = settings.ParseFlags(flags, settings.Default())
	wantErr := "--rounds is a Go float64, must be auto, or a whole number from 1 to 1000\n" +
		"--weights.ram is not a setting; did you mean dram? (there are cpu, dram, gpu, disk, fans, net)"
	if err == nil || err.Error() != wantErr {
		t.Errorf("got\n%v\nwant\n%s", err, wantErr)
	}
}
