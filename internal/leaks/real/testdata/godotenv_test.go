//go:build go1.23

package godotenv_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/joho/godotenv"
)

func environment(lines int) string {
	var b strings.Builder
	for i := range lines {
		fmt.Fprintf(&b, "export KEY_%d=\"value %d\\n of ${KEY_%d}\" # a comment\n", i, i, i/2)
	}
	return b.String()
}

func TestWorkloadRead(t *testing.T) {
	text := environment(200)
	for range 24 {
		values, err := godotenv.Unmarshal(text)
		if err != nil || len(values) != 200 {
			t.Fatal(len(values), err)
		}
	}
}

func TestWorkloadWrite(t *testing.T) {
	values := make(map[string]string)
	for i := range 400 {
		values[fmt.Sprint("KEY_", i)] = strings.Repeat("a \"quoted\" $word\n", 12)
	}
	for range 200 {
		if text, err := godotenv.Marshal(values); err != nil || text == "" {
			t.Fatal(err)
		}
	}
}
