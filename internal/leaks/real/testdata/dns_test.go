//go:build go1.23

package dns_test

import (
	"fmt"
	"testing"

	"github.com/miekg/dns"
)

func TestWorkloadNames(t *testing.T) {
	for i := range 300000 {
		name := fmt.Sprint("Host-", i, ".Some.Department.EXAMPLE.org")
		if dns.CanonicalName(name) == name {
			t.Fatal(name)
		}
	}
}

func TestWorkloadMessages(t *testing.T) {
	m := new(dns.Msg)
	m.SetQuestion("www.example.org.", dns.TypeA)
	for i := range 10 {
		rr, err := dns.NewRR(fmt.Sprint("www.example.org. 300 IN A 192.0.2.", i))
		if err != nil {
			t.Fatal(err)
		}
		m.Answer = append(m.Answer, rr)
	}
	for range 20000 {
		b, err := m.Pack()
		if err != nil {
			t.Fatal(err)
		}
		if err := new(dns.Msg).Unpack(b); err != nil {
			t.Fatal(err)
		}
	}
}
