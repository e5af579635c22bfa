package growth

import "math"

// A Matrix is square: as many rows as columns.
type Matrix [][]float64

func empty(n int) Matrix {
	m := make(Matrix, n)
	for i := range m {
		m[i] = make([]float64, n)
	}
	return m
}

// Add adds matrices of the same size.
func Add(a, b Matrix) Matrix {
	sum := empty(len(a))
	for i := range sum {
		for j := range sum[i] {
			sum[i][j] = a[i][j] + b[i][j]
		}
	}
	return sum
}

// Multiply multiplies matrices of the same size.
func Multiply(a, b Matrix) Matrix {
	product := empty(len(a))
	for i := range product {
		for k := range b {
			for j := range product[i] {
				product[i][j] += a[i][k] * b[k][j]
			}
		}
	}
	return product
}

// Determinant is found by elimination, with the largest element of each column first.
func Determinant(m Matrix) float64 {
	rows := make(Matrix, len(m))
	for i := range m {
		rows[i] = append([]float64(nil), m[i]...)
	}
	determinant := 1.0
	for k := range rows {
		best := k
		for i := k + 1; i < len(rows); i++ {
			if math.Abs(rows[i][k]) > math.Abs(rows[best][k]) {
				best = i
			}
		}
		if rows[best][k] == 0 {
			return 0
		}
		if best != k {
			rows[best], rows[k] = rows[k], rows[best]
			determinant = -determinant
		}
		determinant *= rows[k][k]
		for i := k + 1; i < len(rows); i++ {
			for j, factor := k, rows[i][k]/rows[k][k]; j < len(rows); j++ {
				rows[i][j] -= factor * rows[k][j]
			}
		}
	}
	return determinant
}
