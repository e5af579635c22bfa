//go:build go1.23

package yaml_test

import (
	"fmt"
	"strings"
	"testing"

	"gopkg.in/yaml.v2"
)

func TestWorkloadNested(t *testing.T) {
	text := strings.Repeat("[", 3000) + strings.Repeat("]", 3000)
	for range 4 {
		var v interface{}
		if err := yaml.Unmarshal([]byte(text), &v); err != nil {
			t.Fatal(err)
		}
	}
}

func TestWorkloadConfiguration(t *testing.T) {
	var b strings.Builder
	for i := range 300 {
		fmt.Fprintf(&b, "service-%d:\n  image: registry.example/service:%d\n  ports: [80, %d]\n  env: {LEVEL: debug, RATE: 0.5}\n  text: |\n    some\n    lines\n", i, i, i)
	}
	for range 10 {
		v := make(map[string]interface{})
		if err := yaml.Unmarshal([]byte(b.String()), &v); err != nil || len(v) != 300 {
			t.Fatal(len(v), err)
		}
		if _, err := yaml.Marshal(v); err != nil {
			t.Fatal(err)
		}
	}
}
