//go:build go1.23

package decimal_test

import (
	"testing"

	"github.com/shopspring/decimal"
)

func TestWorkloadDigits(t *testing.T) {
	for i := range int64(300000) {
		if decimal.NewFromInt(1234567890123+i).NumDigits() != 13 || decimal.New(-99-i, 5).NumDigits() < 2 {
			t.Fatal(i)
		}
	}
}

func TestWorkloadInvoice(t *testing.T) {
	rate := decimal.RequireFromString("0.19")
	for range 400 {
		sum := decimal.Zero
		for i := range int64(500) {
			net := decimal.New(199+i, -2).Mul(decimal.NewFromInt(3))
			sum = sum.Add(net.Add(net.Mul(rate)).Round(2))
		}
		if sum.Div(decimal.NewFromInt(7)).StringFixed(4) == "" {
			t.Fatal("no sum")
		}
	}
}
