// Package power finds how many watts each component of a program draws, from
// the ticks of a meter and for how long components were running in each.
//
// # Model
//
// For tick k and one energy domain, with x(k,c) the seconds for which row c was
// running, over all threads, and T(k) the tick's length,
//
//	joules(k) = idle T(k) + sum over c of watts(c) x(k,c) + noise(k)
//	watts(c) ~ Normal(mean, tau^2), not negative
//
// so a row of which the ticks say little gets the mean, which is sharing by CPU
// time, and one of which they say much gets its own. Rows with a thousandth of
// all running time, 1000 at most, have terms of their own; the others share one.
// Domains are independent of each other.
//
// # Scales
//
// The moments of readings are not quite known. An error moves energy from one
// tick to the next: noise has a negative correlation, and quick changes of power
// look smaller than they are (a function that alternates with another within
// ticks seems closer to it), slow ones do not. So ticks are not fitted as they
// are but as coefficients by scale: the mean of 64 ticks, and the differences of
// 16, of 4 and of single ticks from the mean that they are part of (Haar's
// wavelet with four branches). Coefficients are far less correlated than ticks;
// they are taken as independent. With X and y the coefficients of scale s,
//
//	y(s) = gain(s) X(s) w + noise(s),   noise(s) ~ Normal(0, v(s)),   gain = 1 for the means
//
// The noise v and the gain of each scale come from the data. In simulation a fit
// of single ticks is as good where the clock is (0.05 ms), and one of merged ticks
// where it is not (0.3 ms) and all calls are short, but each is far off in the
// other's place; scales are near the better one in both, and ahead for mixed
// calls with a bad clock. Coefficients are orthogonal, so their sums of products follow
// from those of merged ticks: A(1) - A(4)/4 for the differences within four
// ticks, with A(m) the sum over blocks of m ticks. Nothing else is kept of a
// long run.
//
// # Solution
//
// The normal equations are
//
//	Q w = b,   Q = P + sum over s of gain^2/v X'X,   b = q + sum over s of gain/v X'y
//
// where P and q are those of what is believed: rows are about their mean, which
// is one more variable, with tau; idle power is what was measured before; where
// nothing was, it and the mean are between nothing and all of the energy. The
// hyperparameters are those of the greatest evidence, found by iteration with
// C the inverse of Q:
//
//	v(s)    = (residual squares of s) / (coefficients of s - gain^2/v tr(C X'X))
//	gain(s) = w'X'y / (w'X'X w + tr(C X'X))
//	tau^2   = sum of (watts - mean)^2 / (rows - sum of their variances / tau^2)
//
// each with a belief that is worth a tick or two, so that no data means no
// certainty. The watts are then the minimum of w'Qw/2 - b'w without negative
// ones, their standard deviation that of C, widened where noise goes with power.
//
// Sources: C. Lawson, R. Hanson, Solving Least Squares Problems (1974), chapter
// 23, for the bound at 0, and for how to get there L. Portugal, J. Judice, L.
// Vicente, A Comparison of Block Pivoting and Interior-Point Algorithms for
// Linear Least Squares Problems with Nonnegative Variables, Mathematics of
// Computation 63 (1994). D. MacKay, Bayesian Interpolation, Neural Computation 4
// (1992), for tau and the noise. A. Dempster, N. Laird, D. Rubin, Maximum
// Likelihood from Incomplete Data via the EM Algorithm, J. R. Stat. Soc. B 39
// (1977), for the gains. G. Wornell, Signal Processing with Fractals (1996), for
// what wavelets do to correlated noise.
package power
