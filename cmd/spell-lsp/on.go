package main

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"spell-lsp/runner"
	"spell-lsp/runner/remote"
	"spell-lsp/runner/remote/dist"
	"spell-lsp/runner/remote/slurm"
	"spell-lsp/runner/remote/ssh"
	"spell-lsp/spell/record"
	"spell-lsp/spell/settings"
)

// machineOf is what ssh connects to: the machine of the flag --on, if it is given, which may be one of the user's machines or any
// that ssh knows, else that of the settings, which must be one of the user's. A workspace has settings, and must not
// choose where its code is sent. "" is this machine.
func machineOf(on *string, s settings.Settings) (name, host string, err error) {
	if name = s.Machine; on != nil {
		name = *on
	}
	if name == "" {
		return "", "", nil
	}
	known, err := settings.UserMachines()
	if err != nil {
		return "", "", err
	}
	if host, ok := known.Of[name]; ok {
		return name, host, nil
	}
	if on != nil {
		if err := settings.Destination(name); err != nil {
			return "", "", fmt.Errorf("--on %w", err)
		}
		return name, name, nil
	}
	there := "none"
	if len(known.Of) > 0 {
		there = strings.Join(slices.Sorted(maps.Keys(known.Of)), ", ")
	}
	return "", "", fmt.Errorf("machine is %q, but %s has no machine of that name (it has: %s). Add the line\n  %s: HOST\nwith what ssh connects to, or leave machine empty to measure here (--on \"\")", name, known.File, there, name)
}

// measureOn measures on another machine, or on this one if host is "". With ignored, files that git ignores go along.
func measureOn(ctx context.Context, name, host string, ignored bool, p runner.Params) (*record.Run, error) {
	p, done, err := at(ctx, name, host, ignored, p)
	if err != nil {
		return nil, err
	}
	defer done()
	return runner.Measure(ctx, p)
}

// at are the parameters of measurements on another machine, or on this one if host is "". done ends the connection.
func at(ctx context.Context, name, host string, ignored bool, p runner.Params) (_ runner.Params, done func(), err error) {
	done = func() {}
	switch {
	case host == "":
		return p, done, nil
	case slurm.Is(host):
		p.Site, err = slurm.Open(name, host, ignored)
	default:
		var site *remote.Site
		if site, err = connect(ctx, name, host, ignored, p); err == nil {
			p.Site, done = site, site.Close
		}
	}
	return onMachine(name, p), done, err
}

// onMachine says in the run's settings where it was measured.
func onMachine(name string, p runner.Params) runner.Params {
	p.Settings = maps.Clone(p.Settings)
	p.Settings["machine"] = name
	return p
}

// connect connects with a machine by ssh, and asks whether it can measure.
func connect(ctx context.Context, name, host string, ignored bool, p runner.Params) (*remote.Site, error) {
	tell := func(doing string) {
		if p.Progress != nil {
			p.Progress(runner.Step{Doing: doing, Fraction: -1})
		}
	}
	return remote.Open(ctx, remote.Options{
		Name: name, Meter: p.Meter, Meters: p.Meters, Ignored: ignored,
		Dial: func(ctx context.Context) (remote.Link, error) {
			tell("connecting to " + name)
			link, err := ssh.Dial(ctx, ssh.Target{Host: host, Binary: dist.Find, Sending: func(sent, size int64) {
				tell(fmt.Sprintf("sending spell-lsp to %s, %.0f of %.0f MB", name, float64(sent)/1e6, float64(size)/1e6))
			}})
			if err != nil {
				return remote.Link{}, err
			}
			return remote.Link{Conn: link.Conn, Arch: link.Facts.Arch, Close: link.Close, Lost: link.Lost}, nil
		},
	})
}
