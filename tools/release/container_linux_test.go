package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"
)

// These tests run the image with podman, as root or as any other user. They use the default
// filter of system calls, but no capabilities, no new privileges and a root file system that
// cannot be written. They run only if INTRAY_TESTS contains image, because they need podman.

const (
	backendKey  = "bk_imagetest_imagetest_imagetest_imagetest_image"
	frontendKey = "fk_imagetest_imagetest_imagetest_imagetest_image"
)

// strictFlags are the flags of podman run that docs/install.md recommends.
var strictFlags = []string{
	"--read-only", "--read-only-tmpfs=false", "--tmpfs=/tmp:rw,noexec,nosuid,nodev,size=64m",
	"--cap-drop=ALL", "--security-opt=no-new-privileges",
}

// schema has a hook for rows and a hook for the result. Both run in the sandbox.
const schema = `{
	"fields": [{"key": "name", "label": "Name"}, {"key": "email", "label": "E-mail", "type": "email"}],
	"hooks": {
		"rowHooks": ["({row}) => ({row: {email: {value: row.email.value?.toLowerCase()}}})"],
		"beforeFinishCallback": "(rows) => { if (rows.length < 2) return {cancel: true, message: 'Send two people.'} }"
	}
}`

const table = "Name,E-mail\nAda,Ada@Example.org\nBob,BOB@example.com\n"

// podman is an image in podman's storage.
type podman struct {
	t     *testing.T
	image string
	flags []string
}

// loadImage builds the image for this machine and loads it.
func loadImage(t *testing.T) *podman {
	t.Helper()
	if !slices.Contains(strings.Split(os.Getenv("INTRAY_TESTS"), ","), "image") {
		t.SkipNow()
	}
	if _, err := exec.LookPath("podman"); err != nil {
		t.Skip("SKIPPED: podman is not installed")
	}
	folder := t.TempDir()
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	src := source{folder: root, version: "0.0.0-test", date: time.Unix(1_800_000_000, 0).UTC()}
	program := filepath.Join(folder, "intray")
	host := target{"linux", hostArch}
	if err := compile(src, host, program, true); err != nil {
		t.Fatal(err)
	}
	sbom, err := buildSBOM(src, folder)
	if err != nil {
		t.Fatal(err)
	}
	if err := describe(src, program, sbom, filepath.Join(folder, "intray.cdx.json")); err != nil {
		t.Fatal(err)
	}
	img, err := newImage(src, host, program)
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(folder, "image.tar")
	if err := writeImage(img, src.version, file); err != nil {
		t.Fatal(err)
	}
	p := &podman{t: t, image: "localhost/intray:" + src.version}
	// By default, podman sets higher limits than its own, which only some users may do.
	var files syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &files); err != nil {
		t.Fatal(err)
	}
	p.flags = []string{fmt.Sprintf("--ulimit=nofile=%d:%d", files.Max, files.Max), "--ulimit=nproc=1024:1024"}
	p.must("load", "--quiet", "--input", file)
	t.Cleanup(func() { p.must("rmi", "--force", p.image) })
	return p
}

// command returns a command of podman. It uses runc if possible, because crun does not start on
// systems with both versions of cgroups.
func (p *podman) command(args ...string) *exec.Cmd {
	if _, err := exec.LookPath("runc"); err == nil {
		args = append([]string{"--runtime=runc"}, args...)
	}
	return exec.Command("podman", args...)
}

func (p *podman) must(args ...string) string {
	p.t.Helper()
	out, err := p.command(args...).Output()
	if err != nil {
		p.t.Fatalf("podman %s: %v", strings.Join(args, " "), withStderr(err))
	}
	return strings.TrimSpace(string(out))
}

// run returns the arguments that run a command of Intray in a strict container.
func (p *podman) run(flags []string, args ...string) []string {
	return slices.Concat([]string{"run"}, strictFlags, p.flags, flags, []string{p.image}, args)
}

// TestContainerCommand imports a file with hooks in a container without a network.
func TestContainerCommand(t *testing.T) {
	p := loadImage(t)
	folder := t.TempDir()
	writeFile(t, filepath.Join(folder, "table.csv"), table)
	writeFile(t, filepath.Join(folder, "schema.json"), schema)
	for _, name := range []string{"", "table.csv", "schema.json"} { // for the user of the image
		if err := os.Chmod(filepath.Join(folder, name), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	flags := []string{"--rm", "--network=none", "--volume=" + folder + ":/in:ro"}
	got := p.must(p.run(flags, "run", "/in/table.csv", "--schema", "/in/schema.json", "--out", "-")...)
	checkRows(t, []byte(got))
}

// TestContainerDoctor runs intray doctor in a container whose data folder belongs to another user of the
// host, in which a server does not start.
func TestContainerDoctor(t *testing.T) {
	p := loadImage(t)
	folder := t.TempDir()
	if err := os.Chmod(folder, 0o755); err != nil {
		t.Fatal(err)
	}
	out, err := p.command(p.run([]string{"--rm", "--volume=" + folder + ":/data"}, "doctor", "--text")...).Output()
	var exit *exec.ExitError
	if !errors.As(err, &exit) || exit.ExitCode() != 1 {
		t.Fatalf("%v: %s", withStderr(err), out)
	}
	text := strings.Join(strings.Fields(string(out)), " ")
	for _, want := range []string{
		"User 65532 cannot write to the folder", "On the host, find the folder or volume that is mounted at /data, and run: sudo chown -R 65532 FOLDER",
		"ok hooks", "1 failure, ",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("the report lacks %q:\n%s", want, out)
		}
	}
}

// checkRows checks the rows of the table after the hooks.
func checkRows(t *testing.T, text []byte) {
	t.Helper()
	var rows []map[string]any
	if err := json.Unmarshal(text, &rows); err != nil {
		t.Fatalf("%v: %s", err, text)
	}
	if len(rows) != 2 || rows[0]["email"] != "ada@example.org" || rows[1]["email"] != "bob@example.com" {
		t.Errorf("the rows are %v", rows)
	}
}

// TestContainerServer starts the server, imports a file with hooks over HTTP, and stops it.
func TestContainerServer(t *testing.T) {
	p := loadImage(t)
	listen := freeAddress(t)
	container := p.must(p.run([]string{
		"--detach", "--network=host", "--env=INTRAY_LISTEN=" + listen, "--env=TZ=Asia/Kolkata",
		"--env=INTRAY_BACKEND_KEY=" + backendKey, "--env=INTRAY_FRONTEND_KEY=" + frontendKey,
	})...)
	t.Cleanup(func() {
		if t.Failed() {
			out, _ := p.command("logs", container).CombinedOutput()
			t.Logf("%s", out)
		}
		p.must("rm", "--force", "--volumes", container)
	})
	c := client{t, "http://" + listen}
	c.waitUntilHealthy()
	p.checkProcess(container)
	c.importTable()

	// The image contains the time zones, and Intray uses the one in TZ.
	logs, err := p.command("logs", container).CombinedOutput()
	if err != nil || !strings.Contains(string(logs), "+05:30") {
		t.Errorf("the log does not have the time of the zone: %v", err)
	}
	if keys := p.must("exec", container, "intray", "keys", "list"); !strings.Contains(keys, "backend") {
		t.Errorf("keys list prints %s", keys)
	}
	began := time.Now()
	p.must("stop", "--time=20", container)
	if took := time.Since(began); took > 15*time.Second {
		t.Errorf("the server stopped after %s", took)
	}
	if status := p.must("inspect", "--format={{.State.ExitCode}}", container); status != "0" {
		t.Errorf("the server stopped with status %s", status)
	}
}

// checkProcess checks that the container is as restricted as its flags say.
func (p *podman) checkProcess(container string) {
	p.t.Helper()
	status, err := os.ReadFile("/proc/" + p.must("inspect", "--format={{.State.Pid}}", container) + "/status")
	if err != nil {
		p.t.Fatal(err)
	}
	for _, want := range []string{"CapEff:\t0000000000000000", "NoNewPrivs:\t1", "Seccomp:\t2"} {
		if !strings.Contains(string(status), want+"\n") {
			p.t.Errorf("the process does not have %q:\n%s", want, status)
		}
	}
}

// freeAddress returns an address on which nothing listens.
func freeAddress(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().String()
}

// client calls the API.
type client struct {
	t   *testing.T
	url string
}

// call sends a request with the backend key and returns the body of a successful response.
func (c client) call(method, url string, body []byte) []byte {
	c.t.Helper()
	if strings.HasPrefix(url, "/") {
		url = c.url + url
	}
	request, err := http.NewRequest(method, url, bytes.NewReader(body))
	if err != nil {
		c.t.Fatal(err)
	}
	request.Header.Set("X-Service-License-Key", backendKey)
	request.Header.Set("Content-Type", "application/json")
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		c.t.Fatal(err)
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil || response.StatusCode >= 300 {
		c.t.Fatalf("%s %s: status %d, %v: %s", method, url, response.StatusCode, err, text)
	}
	return text
}

// object is like call, for a response with a JSON object.
func (c client) object(method, url string, body []byte) (doc map[string]any) {
	c.t.Helper()
	text := c.call(method, url, body)
	if err := json.Unmarshal(text, &doc); err != nil {
		c.t.Fatalf("%s %s: %v: %s", method, url, err, text)
	}
	return doc
}

const patience = 30 * time.Second

func (c client) waitUntilHealthy() {
	c.t.Helper()
	for deadline := time.Now().Add(patience); ; time.Sleep(50 * time.Millisecond) {
		response, err := http.Get(c.url + "/healthz")
		if err == nil {
			_ = response.Body.Close()
			if response.StatusCode == http.StatusOK {
				return
			}
		}
		if time.Now().After(deadline) {
			c.t.Fatalf("the server is not healthy: %v", err)
		}
	}
}

// importTable imports the table, and checks the result.
func (c client) importTable() {
	c.t.Helper()
	var doc struct{ Fields, Hooks json.RawMessage }
	if err := json.Unmarshal([]byte(schema), &doc); err != nil {
		c.t.Fatal(err)
	}
	body, err := json.Marshal(map[string]any{
		"original_filename": "table.csv", "fields": doc.Fields, "hooks": doc.Hooks, "settings": map[string]any{"importIdentifier": "people"},
	})
	if err != nil {
		c.t.Fatal(err)
	}
	created := c.object("POST", "/api/v1/headless/imports/", body)
	c.call("PUT", created["upload"].(string), []byte(table))
	path := "/api/v1/headless/imports/" + created["id"].(string) + "/"
	for deadline := time.Now().Add(patience); ; time.Sleep(50 * time.Millisecond) {
		state := c.object("GET", path, nil)
		if state["status"] == "SUCCESSFUL" {
			break
		}
		if time.Now().After(deadline) || state["status"] == "FAILED" || state["status"] == "NEEDS_REVIEW" {
			c.t.Fatalf("the import is %v", state)
		}
	}
	result := c.object("GET", path+"url/", nil)
	url, _ := result["presigned_url"].(string)
	checkRows(c.t, c.call("GET", url, nil))
}
