package main

import (
	"fmt"
	"os"
	"strconv"

	"spell-lsp/spell/record"
)

// recordCommand looks into a run record for scripts:
//
//	record FILE adds-up               exits 1 unless the parts of each test add up
//	record FILE outcome TEST WANT     exits 1 unless the test ended so
//	record FILE n COMPONENT WANT      exits 1 unless the component had so many calls in a round
//	record FILE ranked COMPONENT      exits 1 unless the component is in the record
func recordCommand() {
	if err := checkRecord(os.Args[1], os.Args[2], os.Args[3:]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func checkRecord(file, what string, args []string) error {
	f, err := os.Open(file)
	if err != nil {
		return err
	}
	defer f.Close()
	run, err := record.Read(f)
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
