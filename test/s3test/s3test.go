// Package s3test runs an S3 server for tests.
package s3test

import (
	"crypto/rand"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"
)

// Variable is the environment variable with the path of versitygw, unless it is in PATH.
const Variable = "INTRAY_TEST_VERSITYGW"

// The credentials of the server.
const accessKey, secretKey = "intray", "intray-secret"

// Server is an S3 server with an empty folder.
type Server struct {
	// URL is the address of the server.
	URL    string
	folder string
	port   int
	run    *exec.Cmd
	ended  chan struct{}
}

// Start starts a server that ends with the test. It skips the test if versitygw is not installed.
func Start(t testing.TB) *Server {
	t.Helper()
	program := os.Getenv(Variable)
	if program == "" {
		found, err := exec.LookPath("versitygw")
		if err != nil {
			t.Skipf("SKIPPED: no S3 server, %s is not set; `make s3` installs one and prints its path", Variable)
		}
		program = found
	}
	s := &Server{folder: t.TempDir(), port: freePort(t)}
	s.URL = fmt.Sprintf("http://127.0.0.1:%d", s.port)
	if err := s.start(program); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Kill)
	return s
}

func freePort(t testing.TB) int {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = l.Close() }()
	return l.Addr().(*net.TCPAddr).Port
}

func (s *Server) start(program string) error {
	s.run = exec.Command(program, "--access", accessKey, "--secret", secretKey, "--port", fmt.Sprintf("127.0.0.1:%d", s.port), "--quiet", "posix", s.folder)
	var log lockedBuilder
	s.run.Stdout, s.run.Stderr = &log, &log
	if err := s.run.Start(); err != nil {
		return fmt.Errorf("start versitygw: %w", err)
	}
	ended := make(chan struct{})
	s.ended = ended
	go func() {
		_ = s.run.Wait()
		close(ended)
	}()
	for began := time.Now(); ; time.Sleep(20 * time.Millisecond) {
		conn, err := net.DialTimeout("tcp", fmt.Sprintf("127.0.0.1:%d", s.port), time.Second)
		if err == nil {
			return conn.Close()
		}
		select {
		case <-ended:
			return fmt.Errorf("versitygw ended: %s", log.String())
		default:
		}
		if time.Since(began) > 20*time.Second {
			return fmt.Errorf("versitygw did not start: %w\n%s", err, log.String())
		}
	}
}

// Bucket creates a bucket. It returns its address, such as s3://test-abc, and the folder with its
// objects.
func (s *Server) Bucket(t testing.TB) (address, folder string) {
	t.Helper()
	name := "test-" + strings.ToLower(rand.Text())
	folder = filepath.Join(s.folder, name)
	if err := os.Mkdir(folder, 0o755); err != nil {
		t.Fatal(err)
	}
	return "s3://" + name, folder
}

// Env returns the environment variables of a client, each as NAME=VALUE.
func (s *Server) Env() []string {
	return []string{
		"AWS_ENDPOINT_URL_S3=" + s.URL, "AWS_ACCESS_KEY_ID=" + accessKey, "AWS_SECRET_ACCESS_KEY=" + secretKey, "AWS_REGION=us-east-1",
		"AWS_CONFIG_FILE=" + os.DevNull, "AWS_SHARED_CREDENTIALS_FILE=" + os.DevNull, "AWS_EC2_METADATA_DISABLED=true",
	}
}

// SetEnv sets the environment variables of a client until the test ends.
func (s *Server) SetEnv(t *testing.T) {
	t.Helper()
	for _, variable := range s.Env() {
		name, value, _ := strings.Cut(variable, "=")
		t.Setenv(name, value)
	}
}

// Kill ends the server without warning. Its objects remain.
func (s *Server) Kill() {
	if err := s.run.Process.Kill(); err != nil && !errors.Is(err, os.ErrProcessDone) {
		panic(err)
	}
	<-s.ended
}

// Restart starts the server again after Kill, at the same address.
func (s *Server) Restart(t testing.TB) {
	t.Helper()
	if err := s.start(s.run.Path); err != nil {
		t.Fatal(err)
	}
}

type lockedBuilder struct {
	mu   sync.Mutex
	text strings.Builder
}

func (b *lockedBuilder) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.text.Write(p)
}

func (b *lockedBuilder) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.text.String()
}
