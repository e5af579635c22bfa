//go:build go1.23

package swag_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/go-openapi/swag"
)

func TestWorkloadNames(t *testing.T) {
	for i := range 400 {
		name := fmt.Sprint("get_http_request_id-of user", i, " by json schemaURL")
		if swag.ToGoName(name) == "" || swag.ToFileName(name) == "" || swag.ToJSONName(name) == "" {
			t.Fatal(name)
		}
	}
}

func TestWorkloadDocuments(t *testing.T) {
	var b strings.Builder
	for i := range 300 {
		fmt.Fprintf(&b, "path-%d:\n  get: {operationId: op%d, tags: [a, b]}\n  responses:\n    ok: {description: fine}\n", i, i)
	}
	for range 40 {
		doc, err := swag.BytesToYAMLDoc([]byte(b.String()))
		if err != nil {
			t.Fatal(err)
		}
		if _, err := swag.YAMLToJSON(doc); err != nil {
			t.Fatal(err)
		}
	}
}
