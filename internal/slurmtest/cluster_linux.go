package slurmtest

import (
	"bytes"
	"context"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// A Cluster has nodes node1, node2 and so on, which see the files of this machine.
type Cluster struct {
	// Own is a folder that shows another one on each node, if the cluster was given such folders.
	Own  string
	dir  string
	died chan string // the names of daemons that have ended
}

// Partitions of a cluster: of jobs that may be interrupted, of those that interrupt them, and one that takes none.
const (
	Usual  = "usual"
	Urgent = "urgent"
	Closed = "closed"
)

// New starts a cluster, which runs until the test ends, and makes it the one that Slurm's commands use. own has
// the folder for [Cluster.Own] of each node, and so says how many nodes there are; one may be "". The test is
// skipped where there is no Slurm, or without root.
func New(t *testing.T, own ...string) *Cluster {
	t.Helper()
	if os.Geteuid() != 0 {
		t.Skip("only root can run the daemons of a cluster")
	}
	if _, err := exec.LookPath("slurmctld"); err != nil {
		t.Skip("there is no Slurm: make tools-slurm installs it")
	}
	if out, err := exec.CommandContext(t.Context(), "unshare", "-m", "true").CombinedOutput(); err != nil {
		t.Skipf("there are no namespaces here: %v: %s", err, out)
	}
	c := &Cluster{dir: t.TempDir(), died: make(chan string, len(own)+1)}
	c.Own = filepath.Join(c.dir, "own")
	for _, name := range []string{"own", "state"} {
		c.must(t, os.Mkdir(filepath.Join(c.dir, name), 0o755))
	}
	conf := filepath.Join(c.dir, "slurm.conf")
	c.must(t, os.WriteFile(conf, []byte(c.config(t, len(own))), 0o600))
	t.Setenv("SLURM_CONF", conf)
	c.start(t, "slurmctld", "slurmctld", "-D")
	for i, folder := range own {
		node := Node(i)
		c.must(t, os.MkdirAll(filepath.Join(c.dir, "spool", node), 0o755))
		mount := "true"
		if folder != "" {
			mount = `mount --bind "$1" "$2"`
		}
		c.start(t, node, "unshare", "-m", "sh", "-c", mount+` && exec slurmd -D -N "$3"`, "sh", folder, c.Own, node)
	}
	t.Cleanup(c.cancelAll)
	c.wait(t, len(own))
	return c
}

// cancelAll ends what a failed test left: daemons that are killed end no job.
func (c *Cluster) cancelAll() {
	ctx, stop := context.WithTimeout(context.Background(), time.Minute)
	defer stop()
	exec.CommandContext(ctx, "scancel", "--user=root").Run() //nolint:errcheck // the loop sees whether it did
	for ctx.Err() == nil {
		out, err := exec.CommandContext(ctx, "squeue", "--noheader", "--states=RUNNING,COMPLETING,PENDING", "--format=%i").Output()
		if err == nil && len(bytes.TrimSpace(out)) == 0 {
			return
		}
		time.Sleep(50 * time.Millisecond) // Slurm tells nobody
	}
}

// Node is the name of a node, from 0.
func Node(i int) string { return fmt.Sprintf("node%d", i+1) }

func (c *Cluster) must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// config has no passwords (munge), and answers soon: by default a job waits for the next minute in many places.
func (c *Cluster) config(t *testing.T, nodes int) string {
	host, err := os.Hostname()
	c.must(t, err)
	ports := freePorts(t, nodes+1)
	lines := []string{
		"ClusterName=test", "SlurmctldHost=" + host + "(127.0.0.1)", "SlurmUser=root", "SlurmdUser=root",
		"AuthType=auth/none", "CredType=cred/none", "AuthInfo=cred_expire=5",
		"ProctrackType=proctrack/linuxproc", "TaskPlugin=task/none", "MpiDefault=none", "SelectType=select/linear",
		"ReturnToService=2", "SlurmdParameters=config_overrides", "KillWait=2", "JobRequeue=1",
		"SchedulerParameters=sched_min_interval=100000,sched_interval=1,bf_interval=1,batch_sched_delay=0",
		"PreemptType=preempt/partition_prio", "PreemptMode=REQUEUE",
		"StateSaveLocation=" + c.dir + "/state", "SlurmdSpoolDir=" + c.dir + "/spool/%n",
		"SlurmctldPidFile=" + c.dir + "/slurmctld.pid", "SlurmdPidFile=" + c.dir + "/%n.pid",
		fmt.Sprint("SlurmctldPort=", ports[0]),
	}
	for i := range nodes {
		lines = append(lines, fmt.Sprintf("NodeName=%s NodeHostname=%s NodeAddr=127.0.0.1 Port=%d CPUs=1 RealMemory=1000", Node(i), host, ports[i+1]))
	}
	return strings.Join(append(lines,
		"PartitionName="+Usual+" Nodes=ALL Default=YES MaxTime=INFINITE PriorityTier=1",
		"PartitionName="+Urgent+" Nodes=ALL MaxTime=INFINITE PriorityTier=2 PreemptMode=OFF",
		"PartitionName="+Closed+" Nodes=ALL DisableRootJobs=YES",
		""), "\n")
}

// freePorts are those that nobody listens on now.
func freePorts(t *testing.T, n int) (ports []int) {
	t.Helper()
	for range n {
		l, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp4", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		defer l.Close() //nolint:errcheck // the port is free then
		ports = append(ports, l.Addr().(*net.TCPAddr).Port)
	}
	return ports
}

// start starts a daemon, which is ended when the test is over.
func (c *Cluster) start(t *testing.T, name string, args ...string) {
	t.Helper()
	log, err := os.Create(filepath.Join(c.dir, name+".log"))
	c.must(t, err)
	cmd := exec.CommandContext(context.Background(), args[0], args[1:]...) // it ends with the test, below
	cmd.Stdout, cmd.Stderr = log, log
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
	c.must(t, cmd.Start())
	ended := make(chan struct{})
	go func() {
		cmd.Wait() //nolint:errcheck // its log says why
		c.died <- name
		close(ended)
	}()
	t.Cleanup(func() {
		cmd.Process.Signal(syscall.SIGTERM) //nolint:errcheck // it may have ended
		<-ended
		log.Close()
		if text, err := os.ReadFile(log.Name()); t.Failed() && err == nil {
			t.Logf("%s says:\n%s", name, text[max(0, len(text)-4000):])
		}
	})
}

// wait waits until all nodes can be used.
func (c *Cluster) wait(t *testing.T, nodes int) {
	t.Helper()
	for {
		out, err := exec.CommandContext(t.Context(), "sinfo", "--noheader", "--partition="+Usual, "--states=idle", "--format=%D").Output()
		if err == nil && string(bytes.TrimSpace(out)) == fmt.Sprint(nodes) {
			return
		}
		select {
		case name := <-c.died:
			t.Fatalf("%s has ended", name)
		case <-time.After(50 * time.Millisecond): // Slurm tells nobody
		}
	}
}

// Do runs one of Slurm's commands.
func (c *Cluster) Do(t *testing.T, name string, args ...string) string {
	t.Helper()
	out, err := exec.CommandContext(t.Context(), name, args...).CombinedOutput()
	if err != nil {
		t.Fatalf("%s %q: %v: %s", name, args, err, out)
	}
	return string(bytes.TrimSpace(out))
}

// Jobs are the states of all tasks of all jobs, by squeue.
func (c *Cluster) Jobs(t *testing.T) string {
	return c.Do(t, "squeue", "--noheader", "--array", "--states=all", "--format=%i|%T|%N")
}
