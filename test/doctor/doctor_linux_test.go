// Package doctor_test checks that intray doctor names each problem of a broken installation with its fix,
// finds nothing in a healthy one, and reveals no secrets.
package doctor_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io/fs"
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

func TestMain(m *testing.M) {
	if os.Getenv(withoutLandlock) != "" {
		fmt.Fprintln(os.Stderr, runWithoutLandlock())
		os.Exit(3)
	}
	status := m.Run()
	livetest.Cleanup()
	os.Exit(status)
}

// These are secrets of the installations under test.
const (
	password  = "pg-Secret-4711"
	masterKey = "c2VjcmV0IG1hc3RlciBrZXkgb2YgMzIgYnl0ZXMgISE="
	s3Secret  = "intray-secret"
)

// finding and report are parts of the output.
type finding struct{ Status, Problem, Where, Fix string }

type report struct {
	Version, Status    string
	Failures, Warnings int
	Checks             []struct {
		Check, Status, Detail string
		Findings              []finding
	}
}

// of returns the findings of a check.
func (r report) of(check string) []finding {
	for _, c := range r.Checks {
		if c.Check == check {
			return c.Findings
		}
	}
	return nil
}

// detail returns what a check examined.
func (r report) detail(check string) string {
	for _, c := range r.Checks {
		if c.Check == check {
			return c.Detail
		}
	}
	return ""
}

// installation is an installation without a running server.
type installation struct {
	t    *testing.T
	data string
	args []string
	env  []string
	// user is the user that runs the command if it is not 0.
	user int
	// wrapper are the program and the arguments that run the command.
	wrapper []string
}

// install starts a server once, so that its stores exist.
func install(t *testing.T, args []string, env ...string) *installation {
	t.Helper()
	server := livetest.Start(t, livetest.Config{Args: args, Env: env})
	stop(server)
	return &installation{t: t, data: server.DataDir(), args: args, env: env}
}

func stop(server *livetest.Server) {
	server.Signal(syscall.SIGTERM)
	server.Wait()
}

// cleanEnvironment returns the environment of the tests without variables that doctor reports.
func cleanEnvironment() []string {
	return slices.DeleteFunc(os.Environ(), func(variable string) bool {
		name, _, _ := strings.Cut(strings.ToUpper(variable), "=")
		return strings.HasPrefix(name, "INTRAY_") || strings.HasSuffix(name, "_PROXY") || name == "TZ"
	})
}

// run runs intray doctor and returns its output and exit status.
func (i *installation) run(extra ...string) (out string, status int) {
	i.t.Helper()
	ctx, cancel := context.WithTimeout(i.t.Context(), time.Minute)
	defer cancel()
	args := slices.Concat(i.wrapper, []string{livetest.BuildBinary(i.t), "doctor", "--data", i.data}, i.args, extra)
	command := exec.CommandContext(ctx, args[0], args[1:]...)
	command.Env = append(cleanEnvironment(), "INTRAY_BACKEND_KEY="+livetest.BackendKey, "INTRAY_FRONTEND_KEY="+livetest.FrontendKey)
	command.Env = append(command.Env, i.env...)
	if i.user != 0 {
		runAs(i.t, command, i.user)
	}
	var stdout, stderr bytes.Buffer
	command.Stdout, command.Stderr = &stdout, &stderr
	err := command.Run()
	if command.ProcessState == nil {
		i.t.Fatal(err)
	}
	if stderr.Len() > 0 {
		i.t.Errorf("stderr: %s", &stderr)
	}
	i.checkSecrets(stdout.String())
	return stdout.String(), command.ProcessState.ExitCode()
}

// checkSecrets checks that a report contains no secret.
func (i *installation) checkSecrets(text string) {
	i.t.Helper()
	secrets := []string{password, masterKey, s3Secret, livetest.BackendKey, livetest.FrontendKey}
	if key, err := os.ReadFile(filepath.Join(i.data, "master.key")); err == nil && len(key) > 40 {
		secrets = append(secrets, strings.TrimSpace(string(key)))
	}
	for _, secret := range secrets {
		if strings.Contains(text, secret) {
			i.t.Errorf("the report contains the secret %q:\n%s", secret, text)
		}
	}
}

// diagnose runs intray doctor twice, and returns the report after checking the exit status and the
// text.
func (i *installation) diagnose(extra ...string) report {
	i.t.Helper()
	out, status := i.run(extra...)
	var r report
	if err := json.Unmarshal([]byte(out), &r); err != nil {
		i.t.Fatalf("%v in %s", err, out)
	}
	want := 0
	if r.Failures > 0 {
		want = 1
	}
	if status != want || len(r.Checks) < 15 {
		i.t.Errorf("exit status %d, want %d, with %d checks", status, want, len(r.Checks))
	}
	for _, c := range r.Checks {
		for _, f := range c.Findings {
			if f.Problem == "" || f.Where == "" || f.Fix == "" {
				i.t.Errorf("%s: incomplete finding %+v", c.Check, f)
			}
		}
	}
	text, _ := i.run(append(extra, "--text")...)
	if want := fmt.Sprintf("%d failure", r.Failures); !strings.Contains(text, want) {
		i.t.Errorf("the text lacks %q:\n%s", want, text)
	}
	return r
}

// wantHealthy checks that there are no findings.
func (i *installation) wantHealthy(extra ...string) {
	i.t.Helper()
	for _, c := range i.diagnose(extra...).Checks {
		if c.Status != "ok" || len(c.Findings) > 0 {
			i.t.Errorf("%s: %s, %+v", c.Check, c.Status, c.Findings)
		}
	}
}

// want checks that a check reports a problem and its fix.
func (i *installation) want(check, status, problem, where, fix string, extra ...string) {
	i.t.Helper()
	r := i.diagnose(extra...)
	found := slices.ContainsFunc(r.of(check), func(f finding) bool {
		return f.Status == status && strings.Contains(f.Problem, problem) && strings.Contains(f.Where, where) && strings.Contains(f.Fix, fix)
	})
	if !found {
		i.t.Errorf("%s: want a %s with %q, %q and %q, got %+v", check, status, problem, where, fix, r.of(check))
	}
	if status == "warning" && r.Failures > 0 {
		i.t.Errorf("%d failures: %+v", r.Failures, r)
	}
}

// files returns the contents of the data folder.
func files(t *testing.T, folder string) map[string]string {
	t.Helper()
	all := map[string]string{}
	err := filepath.WalkDir(folder, func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			all[name] = "folder"
			return err
		}
		text, err := os.ReadFile(name)
		all[name] = string(text)
		return err
	})
	must(t, err)
	return all
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
