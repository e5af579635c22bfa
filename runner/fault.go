package runner

import (
	"context"
	"errors"

	"spell-lsp/runner/execution"
	"spell-lsp/runner/meters"
)

// A Fault is the error of a measurement as it travels from the machine that measured.
type Fault struct {
	Kind string `json:"kind"` // of faultKinds; "" for any other error
	Text string `json:"text"`
	// ProbesShare is the part of the CPU time that probes would take, 0 to 1, of the kind dear.
	ProbesShare float64 `json:"probes_share,omitempty"`
	// Reason is why the meter that was named does not work, of the kind open.
	Reason *meters.Reason `json:"reason,omitempty"`
}

const (
	faultOfMeter    = "meter"
	meterUnopened   = "open"
	faultOfSampling = "sampling"
	probesDear      = "dear"
)

// faultKinds are the errors that callers tell apart by errors.Is; of several the first counts.
var faultKinds = []struct {
	kind string
	is   error
}{{"canceled", context.Canceled}, {"no time", ErrNoTime}, {"no test", ErrNoTest}, {"unreached", ErrUnreached}, {"scenario", ErrScenario}}

// FaultOf describes an error of [Task.Measure]; nil for nil.
func FaultOf(err error) *Fault {
	if err == nil {
		return nil
	}
	f := &Fault{Text: err.Error()}
	if dear := (*dearError)(nil); errors.As(err, &dear) {
		f.Kind, f.ProbesShare = probesDear, dear.share
	} else if fault := (*MeterError)(nil); errors.As(err, &fault) {
		f.Kind, f.Text = faultOfMeter, fault.Err.Error()
	} else if unopened := (*meters.OpenError)(nil); errors.As(err, &unopened) {
		f.Kind, f.Reason = meterUnopened, &unopened.Reason
	} else if fault := (*SamplingError)(nil); errors.As(err, &fault) {
		f.Kind = faultOfSampling
	}
	for _, k := range faultKinds {
		if f.Kind == "" && errors.Is(err, k.is) {
			f.Kind = k.kind
		}
	}
	return f
}

// Err is the error that the fault describes, as far as callers tell errors apart.
func (f *Fault) Err() error {
	if f == nil {
		return nil
	}
	switch f.Kind {
	case probesDear:
		return &dearError{f.ProbesShare}
	case faultOfMeter:
		return &execution.MeterError{Err: errors.New(f.Text)}
	case meterUnopened:
		if f.Reason != nil {
			return &meters.OpenError{Reason: *f.Reason, Err: errors.New(f.Text)}
		}
	case faultOfSampling:
		return &execution.SamplingError{Err: errors.New(f.Text)}
	}
	for _, k := range faultKinds {
		if f.Kind == k.kind && k.kind != "canceled" { // nobody here has cancelled it
			return &faultError{f.Text, k.is}
		}
	}
	return errors.New(f.Text)
}

// A faultError has the text of an error of another machine, and is what that one was.
type faultError struct {
	text string
	is   error
}

func (e *faultError) Error() string { return e.text }
func (e *faultError) Unwrap() error { return e.is }
