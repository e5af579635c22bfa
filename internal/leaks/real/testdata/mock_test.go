//go:build go1.23

package mock_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/mock"
)

type shop struct{ mock.Mock }

func (s *shop) Price(article string, pieces int) int { return s.Called(article, pieces).Int(0) }

func (s *shop) Order(articles []string) error { return s.Called(articles).Error(0) }

func TestWorkloadCalls(t *testing.T) {
	for range 300 {
		s := new(shop)
		s.On("Price", "apple", mock.Anything).Return(3)
		s.On("Price", "pear", mock.MatchedBy(func(n int) bool { return n > 2 })).Return(4)
		s.On("Order", []string{"apple", "pear"}).Return(nil)
		for i := range 10 {
			if s.Price("apple", i) != 3 || s.Price("pear", i+3) != 4 || s.Order([]string{"apple", "pear"}) != nil {
				t.Fatal("wrong answer")
			}
		}
		s.AssertExpectations(t)
	}
}

func TestWorkloadAssertions(t *testing.T) {
	type article struct {
		Name   string
		Prices map[string]float64
	}
	for i := range 4000 {
		a := article{"apple", map[string]float64{"today": float64(i), "tomorrow": 2}}
		b := article{"apple", map[string]float64{"today": float64(i), "tomorrow": 2}}
		assert.Equal(t, a, b)
		assert.ElementsMatch(t, []int{1, 2, 3, 4, i}, []int{i, 4, 3, 2, 1})
		assert.Contains(t, []string{"apple", "pear"}, "pear")
		assert.InDelta(t, 1.0, 1.05, 0.1)
		assert.JSONEq(t, `{"a": [1, 2], "b": {"c": 3}}`, `{"b": {"c": 3}, "a": [1, 2]}`)
	}
}
