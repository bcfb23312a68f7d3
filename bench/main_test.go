// Package bench measures Intray: the running server over HTTP, and the file readers, imports,
// exports and hooks, most of them in comparison with other programs. It prints the results.
// README.md explains how it measures.
//
// A contest is one task, a contestant is a program that performs it, and a run is one process. A
// tally contains the data that a contestant found, and a cost is the time and memory of a run.
//
// By default, each measurement runs once, with a tenth of the data. With INTRAY_BENCH=full,
// each measurement runs several times, with all of the data. No test fails because it is slow.
package bench

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"runtime/debug"
	"slices"
	"testing"

	"github.com/intraydata/intray/test/livetest"
	"github.com/intraydata/intray/test/suite"
)

// This program starts itself as a child process, because a measured reader must have
// nothing else in memory.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == "hook-worker" {
		os.Exit(serveHooks())
	}
	if len(os.Args) > 2 && os.Args[1] == childMark {
		os.Exit(child(os.Args[2], os.Args[3:]))
	}
	status := suite.Run(m, suite.Bench)
	livetest.Cleanup()
	os.Exit(status)
}

const childMark = "as-a-child"

// childCommand returns the command that runs a task in a child process.
func childCommand(task string, args ...string) []string {
	return append([]string{os.Args[0], childMark, task}, args...)
}

// child performs a task and writes its answer as JSON.
func child(task string, args []string) (status int) {
	tasks := map[string]func([]string) (any, error){
		"measure": measure, "generate": generateFile, "intray": readWithIntray, "encoding/csv": readWithStandard,
		"windows": windows, "stage grid": stageGrid, "grid": reviewGrid, "hooks": runHooks, "hook workers": startWorkers,
		"stage": stageChild, "export": export, "export wide": exportWide,
	}
	answer, err := tasks[task](args)
	if err == nil {
		err = json.NewEncoder(os.Stdout).Encode(answer)
	}
	if err != nil {
		fmt.Fprintf(os.Stderr, "%s %q: %v\n", task, args, err)
		return 1
	}
	return 0
}

// ask runs a command and decodes its answer.
func ask(t *testing.T, answer any, command ...string) {
	t.Helper()
	process := exec.CommandContext(t.Context(), command[0], command[1:]...)
	process.Stderr = os.Stderr
	// The race detector waits one second at the end of each process.
	process.Env = append(os.Environ(), "GORACE=atexit_sleep_ms=0")
	out, err := process.Output()
	if err != nil {
		t.Fatalf("%q: %v", command, err)
	}
	if err := json.Unmarshal(out, answer); err != nil {
		t.Fatalf("%q answers %.500q: %v", command, out, err)
	}
}

func full() bool { return os.Getenv("INTRAY_BENCH") == "full" }

// raced reports whether this program was built with the race detector, which makes it many
// times slower.
func raced() bool {
	made, ok := debug.ReadBuildInfo()
	return ok && slices.Contains(made.Settings, debug.BuildSetting{Key: "-race", Value: "true"})
}

// share returns the number of rows or repetitions to measure, given the number in a full run.
func share(whole int) int {
	switch {
	case raced():
		return whole / 100
	case full():
		return whole
	}
	return whole / 20
}

// repeats returns how many times each contestant runs.
func repeats(whole int) int {
	if full() {
		return whole
	}
	return 1
}
