// Package power finds how many watts each component of a program draws, from the
// ticks of a meter and the running time of the components in each tick. It reads no
// meter, file or clock.
//
// # Model
//
// For tick k and one energy domain, with x(k,c) the running time of row c in seconds,
// over all threads, and T(k) the length of the tick,
//
//	joules(k) = idle T(k) + sum over c of watts(c) x(k,c) + noise(k)
//	watts(c) ~ Normal(mean, tau^2), not negative
//
// so a row with little evidence gets the mean power, which amounts to sharing by CPU
// time, and a row with much evidence gets its own. Rows with a thousandth of all running
// time or more, at most 1000, have terms of their own; the others share one term. Domains
// are independent of each other.
//
// # Scales
//
// The moments of readings are known only approximately. An error moves energy from one
// tick to the next: the noise of successive ticks is negatively correlated, and fast
// changes of power look smaller than they are (two functions that alternate within ticks
// seem more alike), while slow changes do not. So the fit uses not ticks but coefficients
// by scale: the mean of 64 ticks, and the differences of 16, of 4 and of single ticks from
// the mean that they are part of (a Haar wavelet with four branches). Coefficients are far
// less correlated than ticks, and are treated as independent. With X and y the
// coefficients of scale s,
//
//	y(s) = gain(s) X(s) w + noise(s),   noise(s) ~ Normal(0, v(s)),   gain = 1 for the means
//
// The noise v and the gain of each scale come from the data. Rejected designs, in
// simulation: a fit of single ticks is as good with an exact clock (0.05 ms), and a fit of
// merged ticks is as good with an inexact clock (0.3 ms) and short calls, but each is far
// off in the other case. The fit by scale is close to the better one in both cases, and
// better for mixed calls with an inexact clock. Coefficients are orthogonal, so their sums
// of products follow from those of merged ticks: A(1) - A(4)/4 for the differences within
// four ticks, with A(m) the sum over blocks of m ticks. These sums are all that is kept of
// a long run.
//
// # Solution
//
// The normal equations are
//
//	Q w = b,   Q = P + sum over s of gain^2/v X'X,   b = q + sum over s of gain/v X'y
//
// where P and q hold the priors: rows spread about their mean, which is one more variable,
// with standard deviation tau; idle power is what was measured before. Without such a
// measurement, idle power and the mean lie between nothing and all of the energy. The
// hyperparameters maximise the evidence; they are found by iteration, with C the inverse
// of Q:
//
//	v(s)    = (residual squares of s) / (coefficients of s - gain^2/v tr(C X'X))
//	gain(s) = w'X'y / (w'X'X w + tr(C X'X))
//	tau^2   = sum of (watts - mean)^2 / (rows - sum of their variances / tau^2)
//
// each with a prior that weighs as much as a tick or two, so that no data means no
// certainty. The watts are then the minimum of w'Qw/2 - b'w subject to w >= 0. Their
// standard deviations come from C, widened where noise is proportional to power.
//
// # Machines that are not linear
//
// Two threads on one core draw less than twice what one does, turbo gives one busy core a higher
// frequency than each of two, temperature changes the power of everything, and a counter can be
// late. Each is a change of the running times before they enter the model, see Terms: a row's
// seconds count for less where it runs beside others, a share of them comes later, and all of them
// are multiplied by a factor that follows the frequency, where that can be read, and by one that
// follows the ratio of what was drawn to what the model expects.
// So the fit stays linear, and the watts of a term are those of a thread that runs alone.
//
// The data decide which terms there are. While the first ticks are still kept one by one,
// stretches of 256 ticks are divided into two halves; each half is fitted, and says how likely the
// other is. The term that raises the likelihood most is added if it raises the logarithm for both
// halves by more than five; then all values are improved by steps, and the next term is tried.
// In simulation, by physics that differ from these terms, nothing is added where there is noise
// alone. Which threads ran at the same moment of a tick is not known, so that losses are those
// beside the mean of the others: with eight threads on four cores errors stay larger than with two. Of other
// processes it is not even known in which tick they ran, so that they are left out of losses.
//
// Sources: C. Lawson, R. Hanson, Solving Least Squares Problems (1974), chapter
// 23, for the bound at 0; for the algorithm L. Portugal, J. Judice, L.
// Vicente, A Comparison of Block Pivoting and Interior-Point Algorithms for
// Linear Least Squares Problems with Nonnegative Variables, Mathematics of
// Computation 63 (1994). D. MacKay, Bayesian Interpolation, Neural Computation 4
// (1992), for tau and the noise. A. Dempster, N. Laird, D. Rubin, Maximum
// Likelihood from Incomplete Data via the EM Algorithm, J. R. Stat. Soc. B 39
// (1977), for the gains. G. Wornell, Signal Processing with Fractals (1996), for
// what wavelets do to correlated noise.
package power
