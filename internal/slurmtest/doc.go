// Package slurmtest runs a cluster for tests: Slurm's own daemons, with several nodes on this machine.
package slurmtest
