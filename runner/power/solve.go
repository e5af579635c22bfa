package power

import (
	"math"

	"gonum.org/v1/gonum/mat"
)

// A normal is a normal distribution; sd 0 means that nothing is known.
type normal struct{ mean, sd float64 }

// uniform is the normal distribution with the mean and variance of the uniform distribution
// from 0 to the limit.
func uniform(limit float64) normal { return normal{limit / 2, limit / math.Sqrt(12)} }

// precision is the contribution of a prior to the normal equations.
func (n normal) precision() float64 { return 1 / (n.sd * n.sd) }

// A solution is the model solved for one domain, in W.
type solution struct {
	watts []float64 // by term, 0 or more
	sd    []float64 // by term
	mean  normal    // of rows
	tau   float64   // standard deviation of rows about their mean
}

// The priors of the hyperparameters, and their weights.
const (
	priorSpread = 0.5 // tau, as a share of the mean
	priorRows   = 2   // weight of priorSpread, in rows
	priorNoise  = 0.1 // standard deviation, as a share of a tick's mean energy
	priorTicks  = 1   // weight of priorNoise, in coefficients
	gainSD      = 0.1 // standard deviation of gains about 1
	minGain     = 0.2
)

const (
	iterations = 40   // at most; usually 3 to 8
	tolerance  = 1e-3 // iterations end below this relative change of noise, gains and tau
	minJoules  = 1e-9 // J; a domain with less in all ticks draws nothing
)

// In simulations of effects that the model ignores (calls of one function that differ in
// power, calls of equal length, counters that are up to 1 ms old) errors are up to 1.4 times
// as large as noise explains, and do not vanish with more data.
const (
	modelFactor = 1.25 // factor on the standard deviation from noise
	modelShare  = 5e-3 // additional standard deviation, as a share of the power
)

// solve fits a domain.
func solve(s *sums, scales []scale, domain int, idle normal, rest Rest) solution {
	if s.joules[domain] < minJoules {
		return nothing(s.terms(), s.ticks, idle)
	}
	e := newEstimator(s, scales, domain, idle)
	e.converge(rest, s.term)
	p := e.terms
	w := nonNegative(e.q, e.b, e.w, p)
	out := solution{watts: w[:p], sd: make([]float64, p), mean: normal{max(w[p], 0), e.sd(p)}, tau: e.tau}
	for i := range out.sd {
		out.sd[i] = e.sd(i)
	}
	return out
}

// converge finds the hyperparameters and the watts.
func (e *estimator) converge(rest Rest, term []int32) {
	e.setRest(rest, term)
	e.posterior()
	for range iterations {
		change := e.update()
		e.posterior()
		if change < tolerance {
			break
		}
	}
}

// nothing is the solution without energy: power 0 if there were ticks, unknown power
// otherwise.
func nothing(terms, ticks int, idle normal) solution {
	s := solution{watts: make([]float64, terms), sd: make([]float64, terms)}
	if ticks > 0 {
		return s
	}
	for i := range s.sd {
		s.sd[i] = math.Inf(1)
	}
	if idle.sd > 0 {
		s.watts[idleTerm], s.sd[idleTerm] = idle.mean, idle.sd
	}
	s.mean.sd = math.Inf(1)
	return s
}

// An estimator finds the hyperparameters of one domain (noise, gains, tau) and the watts
// given these. Its variables are the terms and, last, the mean of rows.
type estimator struct {
	domain int
	scales []scale
	terms  int

	idle, mean normal     // priors
	rest       Rest       // prior of a sum, see SetRest
	restRow    int        // variable of rest.Row: its term, or the mean
	unit       float64    // W, the order of magnitude of powers
	usual      float64    // J, mean energy of a tick
	tick       float64    // s, median length of a tick
	share      float64    // as sums.share
	powers     [5]float64 // as sums.powers

	noise []float64 // by scale: variance of a coefficient, J^2
	gain  []float64 // by scale: the share of a change of power that the counter shows
	tau   float64
	left  float64 // residual degrees of freedom

	q   *mat.SymDense // normal equations: q w = b
	b   []float64
	w   []float64     // posterior mean
	cov *mat.SymDense // posterior covariance
}

func newEstimator(s *sums, scales []scale, domain int, idle normal) *estimator {
	e := &estimator{domain: domain, scales: scales, terms: s.terms(), idle: idle, tick: s.usual, share: s.share, powers: s.powers}
	mean := s.joules[domain] / s.seconds
	if idle.sd <= 0 {
		e.idle = uniform(mean)
	}
	e.unit = mean
	if s.running > 1e-9*s.seconds {
		e.unit = s.joules[domain] / s.running
	}
	e.mean = uniform(e.unit)
	e.tau = priorSpread * e.mean.mean
	e.usual = s.joules[domain] / float64(s.ticks)
	for range scales {
		e.noise = append(e.noise, priorNoise*priorNoise*e.usual*e.usual)
		e.gain = append(e.gain, 1)
	}
	return e
}

// sd is the standard deviation of a variable: that of the posterior, widened because the
// noise is itself estimated (the variance of Student's distribution), because it is
// heteroscedastic, and because the model is not exact.
func (e *estimator) sd(i int) float64 {
	student := (e.left + 3) / (e.left + 1)
	noise := modelFactor * math.Sqrt(max(e.cov.At(i, i), 0)*student*e.uneven())
	return math.Hypot(noise, modelShare*e.w[i])
}

// uneven is the factor on the variance because noise is proportional to power (an error of
// a reading's moment times power is an error of energy), while the fit assumes equal noise:
// the ticks that carry evidence about rows are those with more noise. It is the ratio of
// the sandwich estimator to the plain one, for the running time of all rows together.
func (e *estimator) uneven() float64 {
	i, m := max(e.w[idleTerm], 0)*e.tick, max(e.w[e.terms], 0)
	s := e.powers
	noise := i*i*s[0] + 2*i*m*s[1] + m*m*s[2]
	seen := i*i*s[2] + 2*i*m*s[3] + m*m*s[4]
	if noise*s[2] <= 0 {
		return 1
	}
	return max(1, seen*s[0]/(noise*s[2]))
}

// posterior solves for the watts given the hyperparameters, without the bound at 0.
func (e *estimator) posterior() {
	p := e.terms
	e.q, e.b = mat.NewSymDense(p+1, nil), make([]float64, p+1)
	for i, s := range e.scales {
		weight, g := 1/e.noise[i], e.gain[i]
		for r := range p {
			row, xx := e.q.RawSymmetric().Data[r*(p+1):], s.xx.RawSymmetric().Data[r*p:]
			for c := r; c < p; c++ {
				row[c] += weight * g * g * xx[c]
			}
			e.b[r] += weight * g * s.xy[e.domain][r]
		}
	}
	e.addPrecision(idleTerm, idleTerm, e.idle.precision())
	e.b[idleTerm] += e.idle.mean * e.idle.precision()
	e.addPrecision(p, p, e.mean.precision())
	e.b[p] += e.mean.mean * e.mean.precision()
	for i := restTerm; i < p; i++ {
		if i == e.restRow && e.rest.Near > 0 {
			mean := e.share * e.typical()
			near := normal{mean, e.rest.Near * mean}
			e.addPrecision(i, i, near.precision())
			e.b[i] += near.mean * near.precision()
			continue
		}
		e.addPrecision(i, i, 1/(e.tau*e.tau))
		e.addPrecision(i, p, -1/(e.tau*e.tau))
		e.addPrecision(p, p, 1/(e.tau*e.tau))
	}
	e.addRest()
	f := factorize(e.q)
	e.w, e.cov = f.solve(e.b), f.inverse()
}

// typical is the mean power of rows, as far as it is known by now.
func (e *estimator) typical() float64 {
	if e.w == nil {
		return e.mean.mean
	}
	return max(e.w[e.terms], e.unit/100)
}

// setRest makes a measurement at rest a prior. The mean stands for a row without a term
// of its own.
func (e *estimator) setRest(r Rest, term []int32) {
	e.rest, e.restRow = r, e.terms
	if r.SD > 0 && int(r.Row) < len(term) && term[r.Row] != restTerm {
		e.restRow = int(term[r.Row])
	}
}

// addRest adds the prior that the power of the idle machine and of the row's load add up to
// what was measured.
func (e *estimator) addRest() {
	if e.rest.SD <= 0 {
		return
	}
	precision := 1 / (e.rest.SD * e.rest.SD)
	load := e.rest.Load
	e.b[idleTerm] += e.rest.Watts * precision
	e.b[e.restRow] += load * e.rest.Watts * precision
	e.addPrecision(idleTerm, idleTerm, precision)
	e.addPrecision(idleTerm, e.restRow, load*precision)
	e.addPrecision(e.restRow, e.restRow, load*load*precision)
}

func (e *estimator) addPrecision(i, j int, precision float64) {
	e.q.SetSym(i, j, e.q.At(i, j)+precision)
}

// update re-estimates the hyperparameters from the posterior, and returns the largest
// relative change.
func (e *estimator) update() float64 {
	n := len(e.scales)
	rss, left, gains := make([]float64, n), make([]float64, n), make([]float64, n)
	noiseSD := priorNoise * e.usual
	allRSS, allLeft := priorTicks*noiseSD*noiseSD, float64(priorTicks)
	for i, s := range e.scales {
		g := e.gain[i]
		square, spent := e.squares(s.xx)
		cross := 0.0
		for t, xy := range s.xy[e.domain] {
			cross += e.w[t] * xy
		}
		rss[i] = max(s.yy[e.domain]-2*g*cross+g*g*square, 0)
		left[i] = max(s.n-g*g*spent/e.noise[i], 0)
		allRSS += rss[i]
		allLeft += left[i]
		prior := e.noise[i] / (gainSD * gainSD)
		gains[i] = min(max((cross+prior)/(square+spent+prior), minGain), 1)
	}
	gains[0] = 1 // the counter shows the slowest changes in full
	change := 0.0
	set := func(old *float64, value float64) {
		change = max(change, math.Abs(value / *old - 1))
		*old = value
	}
	for i := range e.scales {
		set(&e.gain[i], gains[i])
		set(&e.noise[i], (rss[i]+priorTicks*allRSS/allLeft)/(left[i]+priorTicks))
	}
	set(&e.tau, e.spread())
	e.left = allLeft - priorTicks
	return change
}

// squares returns w'Aw, and the trace of A times the covariance.
func (e *estimator) squares(a *mat.SymDense) (square, spent float64) {
	p := e.terms
	for r := range p {
		row, cov := a.RawSymmetric().Data[r*p:], e.cov.RawSymmetric().Data[r*(p+1):]
		sum, tr := row[r]*e.w[r]/2, row[r]*cov[r]/2
		for c := r + 1; c < p; c++ {
			sum += row[c] * e.w[c]
			tr += row[c] * cov[c]
		}
		square += 2 * e.w[r] * sum
		spent += 2 * tr
	}
	return square, spent
}

// spread estimates tau from the distances of rows from their mean, divided by the number of
// rows that the data determine (MacKay 1992). The prior counts as additional rows.
func (e *estimator) spread() float64 {
	p := e.terms
	spreadSD := priorSpread * e.typical()
	squares, known := priorRows*spreadSD*spreadSD, float64(priorRows)
	for i := restTerm; i < p; i++ {
		if i == e.restRow && e.rest.Near > 0 {
			continue
		}
		u := e.w[i] - e.w[p]
		variance := e.cov.At(i, i) + e.cov.At(p, p) - 2*e.cov.At(i, p)
		squares += u * u
		known += min(max(1-variance/(e.tau*e.tau), 0), 1)
	}
	return math.Sqrt(squares / known)
}
