package main

import (
	"fmt"
	"os"
	"strconv"
	"strings"

	"github.com/rogpeppe/go-internal/testscript"

	"spell-lsp/spell/record"
	"spell-lsp/spell/record/recordjson"
)

// recordCommand looks into a run record for scripts:
//
//	record FILE adds-up               fails unless the parts of each test add up
//	record FILE outcome TEST WANT     fails unless the test ended so
//	record FILE n COMPONENT WANT      fails unless the component had so many calls in a round
//	record FILE ranked COMPONENT      fails unless the component is in the record
func recordCommand(ts *testscript.TestScript, not bool, args []string) {
	err := checkRecord(ts.MkAbs(args[0]), args[1], args[2:])
	if not && err == nil {
		ts.Fatalf("record %s: it does", strings.Join(args, " "))
	}
	if !not {
		ts.Check(err)
	}
}

func checkRecord(file, what string, args []string) error {
	f, err := os.Open(file)
	if err != nil {
		return err
	}
	defer f.Close()
	run, err := recordjson.Read(f)
	if err != nil {
		return err
	}
	switch what {
	case "adds-up":
		if worst := run.Imbalance(); worst > 0.005 {
			return fmt.Errorf("parts and counter differ by %.3g %%", 100*worst)
		}
		return nil
	case "outcome":
		return checkOutcome(run, args[0], args[1])
	}
	for _, c := range run.Components {
		if c.ID != args[0] {
			continue
		}
		if what == "n" && strconv.FormatFloat(c.N, 'g', -1, 64) != args[1] {
			return fmt.Errorf("%s has %v calls, want %s", c.ID, c.N, args[1])
		}
		return nil
	}
	return fmt.Errorf("no component %s", args[0])
}

func checkOutcome(run *record.Run, test, want string) error {
	for _, t := range run.Tests {
		if t.Name != test {
			continue
		}
		if string(t.Outcome) != want {
			return fmt.Errorf("%s: outcome %s, want %s", test, t.Outcome, want)
		}
		return nil
	}
	return fmt.Errorf("no test %s", test)
}
