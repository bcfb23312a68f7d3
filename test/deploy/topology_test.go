package deploy

import (
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/compose-spec/compose-go/v2/types"

	intray "github.com/intraydata/intray/sdk/go"
)

// variableGateway is the environment variable with the path of versitygw, unless it is in PATH.
const variableGateway = "INTRAY_TEST_VERSITYGW"

// TestComposeRuns runs the programs of the compose file on this machine, with its environment
// variables, commands and configuration files, and imports files through the proxy. It runs in a
// network of its own, where all services have loopback addresses.
func TestComposeRuns(t *testing.T) {
	if os.Getenv(variableRoot) != "" {
		testTopology(t)
		return
	}
	gateway := os.Getenv(variableGateway)
	if gateway == "" {
		gateway, _ = exec.LookPath("versitygw")
	}
	if gateway == "" {
		t.Skipf("SKIPPED: no S3 server, %s is not set; `make s3` installs one and prints its path", variableGateway)
	}
	needPrograms(t, "caddy", "psql", "pg_isready", "setpriv", "ip", "wget", "openssl")
	needRoot(t)
	command := rootCommand(t, syscall.CLONE_NEWNET, []string{"-test.run=^TestComposeRuns$", "-test.v", "-test.timeout=5m"}, buildProgram(t), gateway)
	out, err := command.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	t.Logf("%s", out)
}

// topology is the running compose project.
type topology struct {
	t        *testing.T
	services types.Services
	client   *intray.Client
	http     *http.Client
	running  map[string]*process
}

// process is a running program of a service.
type process struct {
	command *exec.Cmd
	log     *lockedBuffer
	ended   chan struct{}
}

// restricted starts a program as the user of the image, without privileges.
func restricted(command ...string) []string {
	return append([]string{"setpriv", "--reuid=65532", "--regid=65532", "--clear-groups", "--no-new-privs", "--bounding-set=-all", "--inh-caps=-all"}, command...)
}

func testTopology(t *testing.T) {
	project, folder := mustLoadCompose(t, "localhost")
	top := &topology{t: t, services: project.Services, running: map[string]*process{}}
	output(t, "ip", "link", "set", "lo", "up")
	hosts := "127.0.0.1 localhost postgres s3\n127.0.1.1 intray-1\n127.0.1.2 intray-2\n"
	if err := os.WriteFile("/etc/hosts", []byte(hosts), 0o644); err != nil {
		t.Fatal(err)
	}
	top.startStores(folder)
	top.startIntray("intray-1")
	top.startIntray("intray-2")
	top.startProxy(folder)
	importNames(t, top.client)
	top.checkStores(project)

	// Each process continues without the other one, as during an upgrade.
	for _, name := range []string{"intray-1", "intray-2"} {
		top.stop(name)
		importNames(t, top.client)
		top.startIntray(name)
	}
	top.checkLogs()
}

// startStores starts PostgreSQL and the S3 server, and creates the database and the bucket with the
// commands of the compose file.
func (top *topology) startStores(folder string) {
	t := top.t
	t.Helper()
	// The folder of the tests is accessible to root only.
	t.Setenv("INTRAY_POSTGRES_DIR", "/var/lib/postgres-test")
	t.Setenv("INTRAY_POSTGRES_PORT", "5432")
	output(t, "sh", repository(t, ".ci/postgres"), "start")
	t.Setenv("PGHOST", "127.0.0.1")
	environment := top.services["postgres"].Environment
	create := exec.Command("sh", filepath.Join(folder, "create-database.sh"))
	create.Env = append(os.Environ(), variables(environment)...)
	if out, err := create.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	// The image requires passwords, too.
	rules := "host all postgres 127.0.0.1/32 trust\nhost all all 127.0.0.1/32 scram-sha-256\n"
	if err := os.WriteFile("/var/lib/postgres-test/cluster/pg_hba.conf", []byte(rules), 0o644); err != nil {
		t.Fatal(err)
	}
	output(t, "psql", "-U", "postgres", "-c", "SELECT pg_reload_conf()")
	top.awaitHealthy("postgres")

	bucket := top.services["s3-bucket"].Entrypoint
	output(t, bucket[0], bucket[1:]...)
	s3 := top.services["s3"].Environment
	top.start("s3", variables(s3), restricted("versitygw", *s3["VGW_BACKEND"], *s3["VGW_BACKEND_ARG"])...)
	top.awaitHealthy("s3")
}

// startIntray starts a process of Intray, with the variables of the image and of the service. Only
// its addresses differ: all services have the same network here.
func (top *topology) startIntray(name string) {
	t := top.t
	t.Helper()
	data := "/var/lib/" + name
	if err := os.MkdirAll(data, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Chown(data, 65532, 65532); err != nil {
		t.Fatal(err)
	}
	address := map[string]string{"intray-1": "127.0.1.1", "intray-2": "127.0.1.2"}[name]
	environment := append(variables(top.services[name].Environment),
		"INTRAY_DATA="+data, "INTRAY_LISTEN="+address+":8080", "INTRAY_METRICS_LISTEN="+address+":9090", "INTRAY_TRUSTED_PROXY=127.0.0.0/24")
	top.start(name, environment, restricted("intray", "serve")...)
	top.await(name, func() error { return get(&http.Client{Timeout: time.Second}, "http://"+address+":8080/readyz") })
	if err := get(&http.Client{Timeout: time.Second}, "http://"+address+":9090/metrics"); err != nil {
		t.Errorf("%s: the metrics are not available: %v", name, err)
	}
}

func (top *topology) startProxy(folder string) {
	t := top.t
	t.Helper()
	environment := append(variables(top.services["proxy"].Environment), "XDG_DATA_HOME=/var/lib/proxy", "XDG_CONFIG_HOME=/var/lib/proxy")
	top.start("proxy", environment, "caddy", "run", "--config", filepath.Join(folder, "Caddyfile"), "--adapter", "caddyfile")
	top.awaitHealthy("proxy")
	authority, trusted := read(t, "/var/lib/proxy/caddy/pki/authorities/local/root.crt"), x509.NewCertPool()
	trusted.AppendCertsFromPEM([]byte(authority))
	// Without connections that stay open, each request can go to another process.
	top.http = &http.Client{Transport: &http.Transport{TLSClientConfig: &tls.Config{RootCAs: trusted}, DisableKeepAlives: true}}
	top.await("the proxy", func() error { return get(top.http, "https://localhost/readyz") })
	client, err := intray.New("https://localhost", *top.services["intray-1"].Environment["INTRAY_BACKEND_KEY"], intray.Config{HTTPClient: top.http})
	if err != nil {
		t.Fatal(err)
	}
	top.client = client
}

// checkStores checks that all data is in the database and in the bucket, and that the role of Intray
// is subject to row-level security.
func (top *topology) checkStores(project *types.Project) {
	t := top.t
	t.Helper()
	address := *project.Services["intray-1"].Environment["INTRAY_DATABASE_URL"]
	if got := strings.TrimSpace(output(t, "psql", address, "-At", "-c", "SELECT rolsuper OR rolbypassrls FROM pg_roles WHERE rolname = current_user")); got != "f" {
		t.Errorf("the role of Intray is exempt from row-level security: %s", got)
	}
	if out, err := exec.Command("psql", strings.Replace(address, "intray:", "intray:x", 1), "-c", "SELECT 1").CombinedOutput(); err == nil {
		t.Errorf("PostgreSQL accepts a wrong password: %s", out)
	}
	if files := countFiles(t, "/data/intray"); files < 2 {
		t.Errorf("the bucket contains only %d files", files)
	}
	for _, name := range []string{"intray.db", "master.key"} {
		if _, err := os.Stat(filepath.Join("/var/lib/intray-1", name)); err == nil {
			t.Errorf("the data folder contains %s", name)
		}
	}
}

// checkLogs checks that the processes of Intray log no warnings.
func (top *topology) checkLogs() {
	top.t.Helper()
	for _, name := range []string{"intray-1", "intray-2"} {
		log := top.running[name].log.String()
		if !strings.Contains(log, `"level":"INFO"`) || strings.Contains(log, `"level":"WARN"`) || strings.Contains(log, `"level":"ERROR"`) {
			top.t.Errorf("%s logs:\n%s", name, log)
		}
	}
}

// start starts a program that ends with the test.
func (top *topology) start(name string, environment []string, command ...string) {
	top.t.Helper()
	p := &process{command: exec.Command(command[0], command[1:]...), log: &lockedBuffer{}, ended: make(chan struct{})}
	p.command.Env = append([]string{"PATH=" + os.Getenv("PATH"), "HOME=/nonexistent"}, environment...)
	p.command.Stdout, p.command.Stderr = p.log, p.log
	if err := p.command.Start(); err != nil {
		top.t.Fatal(err)
	}
	go func() {
		_ = p.command.Wait()
		close(p.ended)
	}()
	top.running[name] = p
}

// stop ends a process of Intray, as Docker does.
func (top *topology) stop(name string) {
	top.t.Helper()
	p := top.running[name]
	_ = p.command.Process.Signal(syscall.SIGTERM)
	select {
	case <-p.ended:
	case <-time.After(time.Duration(*top.services[name].StopGracePeriod)):
		top.t.Fatalf("%s did not stop in time", name)
	}
	if status := p.command.ProcessState.ExitCode(); status != 0 {
		top.t.Errorf("%s ended with status %d: %s", name, status, p.log)
	}
}

// awaitHealthy waits until the health check of a service succeeds.
func (top *topology) awaitHealthy(name string) {
	top.t.Helper()
	check := top.services[name].HealthCheck.Test[1:]
	top.await(name, func() error {
		out, err := exec.Command(check[0], check[1:]...).CombinedOutput()
		if err != nil {
			return fmt.Errorf("%w: %s", err, out)
		}
		return nil
	})
}

func (top *topology) await(name string, done func() error) {
	top.t.Helper()
	var err error
	for end := time.Now().Add(30 * time.Second); time.Now().Before(end); time.Sleep(50 * time.Millisecond) {
		if err = done(); err == nil {
			return
		}
		if p := top.running[name]; p != nil {
			select {
			case <-p.ended:
				top.t.Fatalf("%s ended: %s", name, p.log)
			default:
			}
		}
	}
	log := ""
	if p := top.running[name]; p != nil {
		log = p.log.String()
	}
	top.t.Fatalf("waited 30 s for %s: %v\n%s", name, err, log)
}

// get returns an error unless the response has the status 200.
func get(client *http.Client, address string) error {
	request, err := http.NewRequestWithContext(context.Background(), http.MethodGet, address, nil)
	if err != nil {
		return err
	}
	answer, err := client.Do(request)
	if err != nil {
		return err
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	if answer.StatusCode != http.StatusOK {
		return errors.Join(err, fmt.Errorf("%s returned %s: %.200s", address, answer.Status, text))
	}
	return err
}

// variables returns the environment of a service, each as NAME=VALUE.
func variables(environment types.MappingWithEquals) (list []string) {
	for name, value := range environment {
		list = append(list, name+"="+*value)
	}
	slices.Sort(list)
	return list
}

func countFiles(t *testing.T, folder string) (n int) {
	t.Helper()
	err := filepath.WalkDir(folder, func(_ string, entry os.DirEntry, err error) error {
		if err == nil && entry.Type().IsRegular() {
			n++
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// lockedBuffer is a buffer that is safe for concurrent use.
type lockedBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (l *lockedBuffer) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

func (l *lockedBuffer) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}
