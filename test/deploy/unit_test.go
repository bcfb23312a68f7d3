package deploy

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	intray "github.com/intraydata/intray/sdk/go"
)

const unitFile = "deploy/systemd/intray.service"

// backendKey is the key with which the tests call the API.
const backendKey = "bk_deploydeploydeploydeploydeploydeploydeploy"

// TestUnitVerify checks the unit with systemd-analyze.
func TestUnitVerify(t *testing.T) {
	needPrograms(t, "systemd-analyze")
	// The program must exist. Warnings do not change the exit status.
	folder := t.TempDir()
	text := strings.ReplaceAll(read(t, repository(t, unitFile)), "/usr/bin/intray", buildProgram(t))
	unit := filepath.Join(folder, "intray.service")
	if err := os.WriteFile(unit, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	if out := output(t, "systemd-analyze", "verify", "--man=no", unit); out != "" {
		t.Errorf("systemd-analyze verify:\n%s", out)
	}
}

// TestUnitExposure checks that the unit keeps its restrictions. Without any, the exposure is 9.6.
func TestUnitExposure(t *testing.T) {
	needPrograms(t, "systemd-analyze")
	version := regexp.MustCompile(`systemd (\d+)`).FindStringSubmatch(output(t, "systemd-analyze", "--version"))
	if len(version) != 2 || version[1] < "250" {
		t.Skipf("SKIPPED: systemd %v cannot analyze a file", version)
	}
	out, err := exec.Command("systemd-analyze", "security", "--offline=true", "--threshold=20", "--no-pager", repository(t, unitFile)).CombinedOutput()
	if err != nil {
		t.Errorf("the exposure is over 2.0: %v\n%s", err, out)
	}
}

// TestUnitEnvironment checks that the example of the settings sets nothing until it is edited, and
// that its lines are valid for systemd.
func TestUnitEnvironment(t *testing.T) {
	line := regexp.MustCompile(`^#?[A-Z0-9_]+=\S*$`)
	settings := 0
	for _, text := range strings.Split(read(t, repository(t, "deploy/systemd/intray.env")), "\n") {
		switch {
		case text == "" || strings.HasPrefix(text, "# "):
		case strings.HasPrefix(text, "#") && line.MatchString(text):
			settings++
		default:
			t.Errorf("%q is neither a comment nor a setting in a comment", text)
		}
	}
	if settings < 8 {
		t.Errorf("the example contains only %d settings", settings)
	}
}

// service is the unit in a systemd that runs in a copy of the root folder.
type service struct {
	t   *testing.T
	pid int
	url string
}

// startSystemd starts systemd with no other units than this one.
func startSystemd(t *testing.T) *service {
	t.Helper()
	needPrograms(t, "systemctl", "nsenter")
	needRoot(t)
	const init = "/lib/systemd/systemd"
	if _, err := os.Stat(init); err != nil {
		t.Skipf("SKIPPED: systemd is not installed: %v", err)
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address := listener.Addr().String()
	_ = listener.Close()
	command := rootCommand(t, 0, nil, buildProgram(t))
	command.Env = append(command.Env, variableInit+"="+init+" --system --unit=sysinit-intray.target --log-target=console")
	var log strings.Builder
	command.Stdout, command.Stderr = &log, &log
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	s := &service{t: t, pid: command.Process.Pid, url: "http://" + address}
	t.Cleanup(func() {
		if t.Failed() {
			out, _ := s.run("cat", "/run/intray.log")
			t.Logf("the log of the server:\n%s", out)
		}
		_ = command.Process.Kill()
		_ = command.Wait()
	})
	s.await("systemd to start", func() error {
		if _, err := s.run("systemctl", "show", "--property=Version"); err != nil {
			return fmt.Errorf("%w: %s", err, log.String())
		}
		return nil
	})
	s.must("install", "-m", "644", repository(t, unitFile), "/etc/systemd/system/intray.service")
	s.must("install", "-d", "/etc/intray")
	s.write("/etc/intray/intray.env", "INTRAY_LISTEN="+address+"\nINTRAY_BACKEND_KEY="+backendKey+"\n")
	s.configure("")
	return s
}

// run runs a program in the namespaces of systemd.
func (s *service) run(args ...string) (string, error) {
	out, err := exec.Command("nsenter", append([]string{"-t", fmt.Sprint(s.pid), "--mount", "--pid", "--cgroup", "--"}, args...)...).CombinedOutput()
	return strings.TrimSpace(string(out)), err
}

func (s *service) must(args ...string) string {
	s.t.Helper()
	out, err := s.run(args...)
	if err != nil {
		s.t.Fatalf("%s: %v\n%s", strings.Join(args, " "), err, out)
	}
	return out
}

func (s *service) write(path, text string) {
	s.t.Helper()
	s.must("sh", "-c", `umask 077 && printf %s "$1" >"$2"`, "sh", text, path)
}

// configure replaces settings of the unit, as an operator would with systemctl edit.
func (s *service) configure(settings string) {
	s.t.Helper()
	s.must("mkdir", "-p", "/etc/systemd/system/intray.service.d")
	s.must("sh", "-c", `printf "[Service]\nStandardOutput=append:/run/intray.log\nStandardError=append:/run/intray.log\n%s\n" "$1" >/etc/systemd/system/intray.service.d/test.conf`, "sh", settings)
	s.must("systemctl", "daemon-reload")
}

func (s *service) property(name string) string {
	s.t.Helper()
	return s.must("systemctl", "show", "--value", "--property="+name, "intray")
}

func (s *service) await(what string, done func() error) {
	s.t.Helper()
	var err error
	for end := time.Now().Add(30 * time.Second); time.Now().Before(end); time.Sleep(50 * time.Millisecond) {
		if err = done(); err == nil {
			return
		}
	}
	s.t.Fatalf("waited 30 s for %s: %v", what, err)
}

// importNames imports a file whose schema has a hook, and checks the result.
func (s *service) importNames() {
	s.t.Helper()
	client, err := intray.New(s.url, backendKey, intray.Config{})
	if err != nil {
		s.t.Fatal(err)
	}
	importNames(s.t, client)
}

// importNames imports a file whose schema has a hook, and checks the result.
func importNames(t *testing.T, client *intray.Client) {
	t.Helper()
	draft, err := intray.InlineSchema([]byte(`{"fields": [{"key": "name", "label": "Name"}],
		"hooks": {"rowHooks": ["({row}) => ({row: {name: {value: row.name.value.toUpperCase()}}})"]}}`))
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	done, err := client.ImportFile(ctx, draft, strings.NewReader("Name\nAda\nBob\n"), intray.ImportOptions{Name: "names.csv"})
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for row, err := range intray.Rows[struct{ Name string }](ctx, client, done.ID) {
		if err != nil {
			t.Fatal(err)
		}
		names = append(names, row.Name)
	}
	if strings.Join(names, " ") != "ADA BOB" {
		t.Fatalf("the result contains %q", names)
	}
}

// workers returns the process IDs of hook workers, as seen by systemd.
func (s *service) workers() []string {
	s.t.Helper()
	return strings.Fields(s.must("sh", "-c", `cat /proc/"$1"/task/*/children`, "sh", s.property("MainPID")))
}

// TestUnitRuns starts the unit with systemd, and checks that it runs hooks in the complete sandbox,
// restarts after a crash, and stops in time.
func TestUnitRuns(t *testing.T) {
	s := startSystemd(t)
	s.must("systemctl", "start", "intray")
	s.importNames()
	if log := s.must("cat", "/run/intray.log"); strings.Contains(log, `"level":"WARN"`) || strings.Contains(log, `"level":"ERROR"`) {
		t.Errorf("the server logs warnings:\n%s", log)
	}
	if user := s.must("stat", "-L", "-c", "%U %a", "/var/lib/intray"); user != "intray 700" {
		t.Errorf("the data folder has the owner and mode %s", user)
	}
	main := s.property("MainPID")
	workers := s.workers()
	if len(workers) == 0 {
		t.Fatal("no hook worker is running")
	}
	for _, namespace := range []string{"user", "net", "ipc", "uts"} {
		server, worker := s.must("readlink", "/proc/"+main+"/ns/"+namespace), s.must("readlink", "/proc/"+workers[0]+"/ns/"+namespace)
		if server == worker {
			t.Errorf("hook workers have the %s namespace of the server", namespace)
		}
	}

	s.must("systemctl", "kill", "--signal=KILL", "--kill-who=main", "intray")
	s.await("a restart", func() error {
		if s.property("NRestarts") == "1" && s.property("MainPID") != "0" {
			return nil
		}
		return errors.New("the server is not running")
	})
	s.importNames()

	began := time.Now()
	s.must("systemctl", "stop", "intray")
	if took := time.Since(began); took > 10*time.Second {
		t.Errorf("the service stopped after %v", took)
	}
	if result := s.property("Result"); result != "success" {
		t.Errorf("the result of the service is %s", result)
	}

	// The server would start with an invalid setting for ever.
	s.write("/etc/intray/intray.env", "INTRAY_BASE_URL=invalid\n")
	if out, err := s.run("systemctl", "start", "intray"); err == nil {
		t.Errorf("systemctl start succeeded with an invalid setting: %s", out)
	}
	s.await("an error", func() error {
		if state := s.property("ActiveState"); state != "failed" {
			return fmt.Errorf("the service is %s", state)
		}
		return nil
	})
	if status, restarts := s.property("ExecMainStatus"), s.property("NRestarts"); status != "2" || restarts != "0" {
		t.Errorf("the server ended with status %s, and was restarted %s times", status, restarts)
	}
}

// documentedDoctor matches the command that docs/deployment.md names for systemd.
var documentedDoctor = regexp.MustCompile("(?m)^\\| systemd \\| `sudo (.* intray doctor .*|.*/intray doctor .*)` \\|$")

// TestUnitDoctor checks that the documented command examines the installation of the unit. A shell would
// treat the settings file differently: in it, & runs a command in the background.
func TestUnitDoctor(t *testing.T) {
	needPrograms(t, "systemd-run", "dbus-daemon")
	match := documentedDoctor.FindStringSubmatch(read(t, repository(t, "docs/deployment.md")))
	if match == nil {
		t.Fatal("docs/deployment.md names no command for systemd")
	}
	s := startSystemd(t)
	s.must("systemctl", "start", "dbus.socket", "dbus.service") // systemd-run needs it
	doctor := func() string {
		out, _ := s.run(strings.Fields(match[1])...) // the status is 1 if there are failures
		return out
	}
	s.must("systemctl", "start", "intray")
	if out := doctor(); !strings.Contains(out, "a server runs with this data folder") || !strings.Contains(out, "/var/lib/intray/intray.db") || !strings.Contains(out, "\n0 failures, ") {
		t.Errorf("doctor reports:\n%s", out)
	}
	s.must("systemctl", "stop", "intray")
	s.write("/etc/intray/intray.env", "INTRAY_DATABASE_URL=postgres://intray@127.0.0.1:1/rows?sslmode=disable&pool_max_conns=4\n")
	if out := doctor(); !strings.Contains(out, "postgres://intray@127.0.0.1:1/rows") {
		t.Errorf("doctor does not examine the database in the settings file:\n%s", out)
	}
}

// TestUnitRunsNode checks the setting for Node that the unit mentions.
func TestUnitRunsNode(t *testing.T) {
	out, err := exec.Command("node", "--version").Output()
	var major int
	if _, scanErr := fmt.Sscanf(string(out), "v%d", &major); err != nil || scanErr != nil || major < 20 {
		t.Skipf("SKIPPED: Node 20 or later is not installed: %s", out)
	}
	s := startSystemd(t)
	s.configure("Environment=INTRAY_HOOK_RUNTIME=node\nMemoryDenyWriteExecute=no")
	s.must("systemctl", "start", "intray")
	s.importNames()
}
