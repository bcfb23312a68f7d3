package main

import (
	"errors"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
)

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"intray": main})
}

// TestScripts runs the scripts in testdata, as a user would type them. In addition to the
// commands of testscript, scripts can use these:
//
//	status N PROGRAM ARGS…   runs a program that must exit with the status N
//	files FOLDER NAMES…      checks that the folder contains exactly these files
//	keep NAME                stores the output of the last program in a variable
//	firstid NAME             stores the id of the first listed key in a variable
func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir:                 "testdata",
		RequireExplicitExec: true,
		UpdateScripts:       os.Getenv("INTRAY_UPDATE_SCRIPTS") != "",
		Setup: func(env *testscript.Env) error {
			// By default, a program built with the race detector sleeps for a second before it
			// exits.
			env.Setenv("GORACE", "atexit_sleep_ms=0")
			return nil
		},
		Cmds: map[string]func(ts *testscript.TestScript, neg bool, args []string){
			"status": status, "files": files, "keep": keep, "firstid": firstID,
		},
	})
}

func status(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: status N PROGRAM ARGS…")
	}
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	got := 0
	err = ts.Exec(args[1], args[2:]...)
	var exit *exec.ExitError
	switch {
	case errors.As(err, &exit):
		got = exit.ExitCode()
	case err != nil:
		ts.Fatalf("%v", err)
	}
	if got != want {
		ts.Fatalf("exit status %d, want %d\n%s", got, want, ts.ReadFile("stderr"))
	}
}

func files(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) == 0 {
		ts.Fatalf("usage: files FOLDER NAMES…")
	}
	entries, err := os.ReadDir(ts.MkAbs(args[0]))
	ts.Check(err)
	var got []string
	for _, entry := range entries {
		got = append(got, entry.Name())
	}
	want := slices.Sorted(slices.Values(args[1:]))
	if !slices.Equal(got, want) {
		ts.Fatalf("%s holds %v, want %v", args[0], got, want)
	}
}

func keep(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: keep NAME")
	}
	ts.Setenv(args[0], strings.TrimSpace(ts.ReadFile("stdout")))
}

func firstID(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: firstid NAME")
	}
	lines := strings.Split(ts.ReadFile("stdout"), "\n")
	id, _, found := strings.Cut(lines[1], " ")
	if !found || len(id) != 36 {
		ts.Fatalf("%q begins with no id", lines[1])
	}
	ts.Setenv(args[0], id)
}
