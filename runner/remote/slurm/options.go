// Package slurm measures on the nodes of a cluster, by Slurm's own commands: an array job, each task of which has
// a node for itself and runs whole rounds. It needs a folder that the nodes share with the machine that submits.
//
// The folder of a measurement, which is removed at its end:
//
//	job.N.json.gz, content  what is measured, see package remote
//	spell-lsp, start        the program of a task, and the script that starts it
//	plan.json               what each task runs
//	alive                   when the side that submitted was last there
//	TASK.ATTEMPT.json       what an attempt of a task has done
//	TASK.ATTEMPT.run.gz     the run of its complete rounds, or, where several builds are measured in turns,
//	TASK.ATTEMPT.TURN.PLACE.run.gz
//	                        the run of one of them, by its place, in a complete turn
//
// A task that Slurm puts back in the queue is another attempt: it runs the rounds that are still missing.
package slurm

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode"
)

// Prefix begins what names a cluster in place of a host: "slurm" or "slurm:OPTIONS".
const Prefix = "slurm"

// Is tells whether a destination is a cluster.
func Is(destination string) bool {
	return destination == Prefix || strings.HasPrefix(destination, Prefix+":")
}

const (
	defaultNodes = 4
	mostNodes    = 1000
)

// Options say how a job is submitted.
type Options struct {
	Nodes  int      // tasks of the array, each on a node for itself, from 1
	AtOnce int      // how many may run at a time; 0: as many as Slurm has nodes for
	Dir    string   // the folder that nodes share; "" is one in the user's cache folder
	Sbatch []string // options of sbatch
}

// sbatchOptions are the options of sbatch that can be given. Others would change what a task is.
var sbatchOptions = []string{
	"account", "begin", "clusters", "comment", "constraint", "exclude", "gres", "licenses", "mem", "nice", "nodelist",
	"partition", "prefer", "qos", "reservation", "time", "wckey",
}

// Parse reads "slurm:KEY=VALUE,KEY=VALUE". A comma within brackets belongs to a value, and a key that is there
// several times has a list.
func Parse(destination string) (Options, error) {
	o := Options{Nodes: defaultNodes}
	rest, has := strings.CutPrefix(destination, Prefix+":")
	if !has {
		return o, nil
	}
	of := make(map[string][]string)
	var keys []string
	for _, field := range fields(rest) {
		key, value, found := strings.Cut(field, "=")
		if !found || value == "" || strings.ContainsFunc(value, func(c rune) bool { return unicode.IsSpace(c) || unicode.IsControl(c) }) {
			return o, fmt.Errorf("%s: %q is no option: give KEY=VALUE, without blanks, as in slurm:nodes=4,partition=bare", destination, field)
		}
		if of[key] == nil {
			keys = append(keys, key)
		}
		of[key] = append(of[key], value)
	}
	for _, key := range keys {
		if err := o.set(key, of[key]); err != nil {
			return o, fmt.Errorf("%s: %w", destination, err)
		}
	}
	return o, nil
}

// fields divides at commas outside of brackets.
func fields(text string) (list []string) {
	depth, from := 0, 0
	for i, c := range text {
		switch c {
		case '[':
			depth++
		case ']':
			depth--
		case ',':
			if depth == 0 {
				list = append(list, text[from:i])
				from = i + 1
			}
		}
	}
	return append(list, text[from:])
}

func (o *Options) set(key string, values []string) (err error) {
	switch {
	case key == "nodelist" && strings.ContainsAny(strings.Join(values, ","), "[,"):
		err = fmt.Errorf("nodelist is %s: each task has one node, so only one can be named: leave out others by exclude, or choose by constraint", strings.Join(values, ","))
	case slices.Contains(sbatchOptions, key):
		o.Sbatch = append(o.Sbatch, "--"+key+"="+strings.Join(values, ","))
	case len(values) > 1:
		err = fmt.Errorf("%s is there twice", key)
	case key == "nodes":
		o.Nodes, err = number(key, values[0])
	case key == "at-once":
		o.AtOnce, err = number(key, values[0])
	case key == "dir":
		if o.Dir = values[0]; !strings.HasPrefix(o.Dir, "/") {
			err = fmt.Errorf("dir is %q: it must begin with /, and be a folder that the nodes share with this machine", o.Dir)
		}
	default:
		err = fmt.Errorf("there is no option %q: there are nodes, at-once, dir, and of sbatch %s", key, strings.Join(sbatchOptions, ", "))
	}
	return err
}

func number(key, text string) (int, error) {
	n, err := strconv.Atoi(text)
	if err != nil || n < 1 || n > mostNodes {
		return 0, fmt.Errorf("%s is %q: it must be a number from 1 to %d", key, text, mostNodes)
	}
	return n, nil
}
