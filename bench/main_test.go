// Package bench measures Intray: the running service from outside, over HTTP,
// and the readers of files side by side with other programs that read the same
// file. It prints what it measured; README.md beside it says how.
//
// A contest is one task, a contestant a program that does it, a run one process
// of it. What a contestant found is its tally, what a run took is its cost.
//
// A tenth of each measurement runs by default, once; the whole, and each run
// several times, with INTRAY_BENCH=full. Nothing here fails for being slow.
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

// This program is its own child, too: a reader whose process is measured must
// hold nothing else in its memory.
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

// childCommand is how this program is called as a child.
func childCommand(task string, args ...string) []string {
	return append([]string{os.Args[0], childMark, task}, args...)
}

// child does one task and writes what came of it as JSON.
func child(task string, args []string) (status int) {
	tasks := map[string]func([]string) (any, error){
		"measure": measure, "generate": generateFile, "intray": readWithIntray, "encoding/csv": readWithStandard,
		"windows": windows, "hooks": runHooks, "hook workers": startWorkers,
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

// ask runs a command and reads its answer.
func ask(t *testing.T, answer any, command ...string) {
	t.Helper()
	process := exec.CommandContext(t.Context(), command[0], command[1:]...)
	process.Stderr = os.Stderr
	// The race detector waits a second at the end of each process.
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

// raced says whether this program looks for data races, which makes it many
// times slower.
func raced() bool {
	made, ok := debug.ReadBuildInfo()
	return ok && slices.Contains(made.Settings, debug.BuildSetting{Key: "-race", Value: "true"})
}

// share is how much of the whole is measured.
func share(whole int) int {
	switch {
	case raced():
		return whole / 100
	case full():
		return whole
	}
	return whole / 10
}

// repeats is how often each contestant runs.
func repeats(whole int) int {
	if full() {
		return whole
	}
	return 1
}
