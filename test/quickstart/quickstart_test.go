package quickstart

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/intraydata/intray/test/livetest"
)

// TestQuickstart runs every command on the page in one shell, in an empty folder. It checks
// that the output matches what the page shows.
func TestQuickstart(t *testing.T) {
	t.Parallel()
	skipWithoutPrograms(t, "quickstart.md")
	page := read(t, root(t), "docs", "quickstart.md")
	for _, b := range blocks(page) {
		if b.language != "sh" && b.language != "text" {
			t.Fatalf("line %d: a block of %q, which no test runs", b.line, b.language)
		}
	}
	steps := stepsOf(t, page)
	if !slices.ContainsFunc(steps, func(s step) bool { return strings.HasPrefix(s.command, untilSubmitted) }) {
		t.Fatalf("the page has no command that waits for the review: %s", untilSubmitted)
	}
	steps = withReview(steps)
	runSteps(t, steps, install(t, page))
}

// TestQuickstartWithRunningServer runs the commands of the page with a server that it did not start, as
// the page describes.
func TestQuickstartWithRunningServer(t *testing.T) {
	t.Parallel()
	skipWithoutPrograms(t, "quickstart.md")
	page := read(t, root(t), "docs", "quickstart.md")
	bin := install(t, page)
	server := livetest.Start(t, livetest.Config{Binary: filepath.Join(bin, "intray")})
	steps := stepsOf(t, page)
	from := slices.IndexFunc(steps, func(s step) bool { return strings.HasPrefix(s.command, "KEY=") })
	until := slices.IndexFunc(steps, func(s step) bool { return strings.HasPrefix(s.command, "kill ") })
	if from < 0 || until < from {
		t.Fatalf("the page has no commands that follow the start of the server: %d, %d", from, until)
	}
	begin := step{command: fmt.Sprintf("URL=%s\nBACKEND_KEY=%s\n", server.URL, livetest.BackendKey)}
	runSteps(t, append([]step{begin}, withReview(steps[from:until])...), bin)
}

// TestFindingB24RepeatedStep runs the step that saves the schema twice. The second time, the name
// of the schema was taken, and the error became the ID of the schema.
func TestFindingB24RepeatedStep(t *testing.T) {
	t.Parallel()
	skipWithoutPrograms(t, "quickstart.md")
	page := read(t, root(t), "docs", "quickstart.md")
	var steps []step
	for _, s := range stepsOf(t, page) {
		steps = append(steps, s)
		if !strings.Contains(s.command, "/api/v1/schemas/") {
			continue
		}
		first := step{command: "FIRST=$SCHEMA\n"}
		same := step{command: "test \"$SCHEMA\" = \"$FIRST\" && echo same\n", shown: "same\n"}
		refused := step{
			command: "curl -sS \"$URL/api/v1/schemas/\" -H \"$KEY\" -H 'Content-Type: application/json' -d @schema.json >refused.out\n" +
				"json id <refused.out 2>&1 || echo \"status $?\"\n",
			shown: "A schema named \"People\" already exists…\nstatus 1\n",
		}
		stop := step{command: "kill \"$SERVER\"\nwait \"$SERVER\"\n"}
		runSteps(t, append(steps, first, s, same, refused, stop), install(t, page))
		return
	}
	t.Fatal("the page has no step that saves a schema")
}

// skipWithoutPrograms skips the test if a program that the page uses is not installed.
func skipWithoutPrograms(t *testing.T, page string) {
	t.Helper()
	for _, program := range []string{"curl", "python3"} {
		if _, err := exec.LookPath(program); err != nil {
			t.Skipf("SKIPPED: %s is not installed, which docs/%s needs", program, page)
		}
	}
}

// untilSubmitted is the beginning of the quickstart command that waits until a user has
// submitted the review.
const untilSubmitted = `until [ "$(status)" = SUCCESSFUL ]`

// reviewByHTTP performs the review that the quickstart asks the reader to do, with the same
// calls as the review page.
const reviewByHTTP = `
LINK=$(json review_url <import.out)
REVIEW=$URL/api/review/v1/$IMPORT
curl -sSf -o session.out -c cookies.out -X POST "$REVIEW/session/" -H "Authorization: Bearer ${LINK#*#}"
curl -sSf -o edit.out -b cookies.out "$REVIEW/edits/" -H 'Content-Type: application/json' -d '{
  "op": "1", "kind": "set",
  "cells": [{"id": "1", "key": "email", "text": "bob@example.org", "version": 0, "seen": "bob(at)example.org"}]}'
curl -sSf -o submit.out -b cookies.out -X POST "$REVIEW/submit/"
`

// withReview inserts the review before the command that waits for it.
func withReview(steps []step) []step {
	at := slices.IndexFunc(steps, func(s step) bool { return strings.HasPrefix(s.command, untilSubmitted) })
	if at < 0 {
		return steps
	}
	return slices.Insert(slices.Clone(steps), at, step{command: reviewByHTTP, line: steps[at].line})
}

// step is a command on a page, with the output that the page shows.
type step struct {
	command, shown string
	line           int
}

// stepsOf returns the commands on a page, with their output. It skips code blocks whose language
// is not sh or text.
func stepsOf(t *testing.T, page string) (steps []step) {
	t.Helper()
	for _, b := range blocks(page) {
		switch b.language {
		case "sh":
			steps = append(steps, step{command: b.text, line: b.line})
		case "text":
			if len(steps) == 0 {
				t.Fatalf("line %d: output before any command", b.line)
			}
			steps[len(steps)-1].shown = b.text
		}
	}
	if len(steps) < 4 {
		t.Fatalf("the page has only %d blocks of commands", len(steps))
	}
	return steps
}

const mark = "----- the next command -----\n"

// runShell runs the commands in one shell and returns the output of each.
func runShell(t *testing.T, steps []step, bin string) []string {
	t.Helper()
	var script strings.Builder
	for _, s := range steps {
		fmt.Fprintf(&script, "%sprintf '\\n%%s' '%s'\n", s.command, mark)
	}
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	shell := exec.CommandContext(ctx, "sh", "-eu", "-c", script.String())
	shell.Dir = t.TempDir()
	shell.Env = append(clean(os.Environ()), "PATH="+bin+":"+os.Getenv("PATH"), "PORT="+freePort(t))
	// The server is a child of the shell. If the shell stops early, both must end.
	shell.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	endAll := func() error { return syscall.Kill(-shell.Process.Pid, syscall.SIGKILL) }
	shell.Cancel, shell.WaitDelay = endAll, 5*time.Second
	var stdout, stderr bytes.Buffer
	shell.Stdout, shell.Stderr = &stdout, &stderr
	err := shell.Run()
	if shell.Process != nil {
		if fault := endAll(); fault != nil && !errors.Is(fault, syscall.ESRCH) {
			t.Error(fault)
		}
	}
	if err != nil {
		t.Errorf("the shell stopped: %v\n%s", err, stderr.String())
	}
	outputs := strings.Split(stdout.String(), mark)
	return outputs[:len(outputs)-1]
}

// clean removes the environment variables that would configure the server.
func clean(environment []string) []string {
	var kept []string
	for _, variable := range environment {
		if !strings.HasPrefix(variable, "INTRAY_") && !strings.HasPrefix(variable, "PATH=") {
			kept = append(kept, variable)
		}
	}
	return kept
}

func freePort(t *testing.T) string {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	_, port, err := net.SplitHostPort(listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	return port
}
