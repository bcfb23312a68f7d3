package sandbox

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"runtime"
	"time"

	"golang.org/x/net/bpf"
	"golang.org/x/sys/unix"
)

// runParent runs a program that has a pool. Either the workers spin, or the program reports the
// results of calls.
func runParent(args []string) {
	if args[0] == "confined" {
		forbidNamespaces()
	}
	c, err := New(Config{IdleWorkers: 1, StartTimeout: generousBudget})
	if err != nil {
		fmt.Println("open the pool:", err)
		os.Exit(1)
	}
	if args[0] == "spin" {
		spinUntilKilled(c)
	}
	reportCalls(c, args[1:])
	c.Close()
}

// forbidNamespaces makes the system refuse new namespaces, as containers do.
func forbidNamespaces() {
	allow, refuse := returnAction(unix.SECCOMP_RET_ALLOW), returnAction(unix.SECCOMP_RET_ERRNO|uint32(unix.EPERM))
	runtime.LockOSThread()
	err := installFilter([]bpf.Instruction{
		bpf.LoadAbsolute{Off: offsetNumber, Size: 4},
		bpf.JumpIf{Cond: bpf.JumpEqual, Val: unix.SYS_CLONE, SkipTrue: 1}, allow,
		loadArgument(0),
		bpf.JumpIf{Cond: bpf.JumpBitsSet, Val: unix.CLONE_NEWNET, SkipFalse: 1}, refuse, allow,
	}, unix.SECCOMP_FILTER_FLAG_TSYNC)
	runtime.UnlockOSThread()
	if err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
}

// spinUntilKilled starts three busy workers, prints their process IDs and waits until it is
// killed.
func spinUntilKilled(c *Pool) {
	for range 3 {
		w, err := c.Worker(context.Background(), Limits{})
		if err != nil {
			fmt.Println(err)
			os.Exit(1)
		}
		fmt.Println(w.proc.os.Pid)
		go func() { _, _ = w.Call(context.Background(), []byte("spin"), time.Hour) }()
	}
	fmt.Println("ready")
	select {}
}

// callReport is the result of one call.
type callReport struct {
	Answer, Kind, Detail string
	Capabilities         Capabilities
}

// reportCalls prints the result of each call, one per line.
func reportCalls(c *Pool, requests []string) {
	out := json.NewEncoder(os.Stdout)
	for _, request := range requests {
		w, err := c.Worker(context.Background(), Limits{})
		if err != nil {
			fmt.Println(err)
			os.Exit(1)
		}
		answer, err := w.Call(context.Background(), []byte(request), budgetOf(request))
		one := callReport{Answer: answer, Capabilities: c.Capabilities()}
		var f *Failure
		if errors.As(err, &f) {
			one.Kind, one.Detail = string(f.Kind), f.Detail
		}
		_ = out.Encode(one)
		w.Close()
	}
}
