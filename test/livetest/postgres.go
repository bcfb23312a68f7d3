package livetest

import (
	"context"
	"fmt"
	"net"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/intraydata/intray/test/pgtest"
)

// PostgresServer is a PostgreSQL server of one test, which the test can interrupt. It writes to the
// disk as in production. Its methods must not be called concurrently.
type PostgresServer struct {
	// URL is the URL of a database without tables.
	URL string

	t       testing.TB
	admin   string
	folder  string
	program string
	owner   *syscall.Credential
	address string
	command *exec.Cmd
	exited  chan struct{}
	frozen  bool
}

// StartPostgres starts a server on a loopback port, which ends with the test. It skips the test if
// PostgreSQL is not installed. It fails the test if the server detected a deadlock.
func StartPostgres(t testing.TB) *PostgresServer {
	t.Helper()
	programs := postgresPrograms(t)
	p := &PostgresServer{t: t, program: filepath.Join(programs, "postgres"), address: FreeAddress(t)}
	p.URL = "postgres://postgres@" + p.address + "/postgres?sslmode=disable"
	p.prepareFolder()
	create := exec.Command(filepath.Join(programs, "initdb"), "-D", p.cluster(), "-U", "postgres", "-A", "trust", "-E", "UTF8", "--locale=C.UTF-8", "--no-sync")
	create.Dir, create.SysProcAttr = p.folder, &syscall.SysProcAttr{Credential: p.owner}
	if out, err := create.CombinedOutput(); err != nil {
		t.Fatalf("initdb: %v\n%s", err, out)
	}
	t.Cleanup(p.end)
	p.Start()
	p.admin = p.URL
	var err error
	if _, p.URL, err = pgtest.Create(context.Background(), p.admin); err != nil {
		t.Fatal(err)
	}
	return p
}

// postgresPrograms returns the folder with the programs of PostgreSQL. Distributions install links
// to initdb, whose target is in this folder.
func postgresPrograms(t testing.TB) (folder string) {
	t.Helper()
	candidates, err := filepath.Glob("/usr/lib/postgresql/*/bin/initdb")
	if err != nil {
		t.Fatal(err)
	}
	if found, err := exec.LookPath("initdb"); err == nil {
		candidates = append([]string{found}, candidates...)
	}
	for _, one := range candidates {
		if target, err := filepath.EvalSymlinks(one); err == nil {
			folder = filepath.Dir(target)
		}
	}
	if folder == "" {
		t.Skip("SKIPPED: no initdb in PATH or /usr/lib/postgresql/*/bin; apt-get install postgresql")
	}
	return folder
}

// prepareFolder creates the folder of the server. PostgreSQL refuses to run as root, so if root
// runs the test, the server runs as the user postgres or nobody.
func (p *PostgresServer) prepareFolder() {
	p.t.Helper()
	// Only root could enter a folder in that of the test.
	folder, err := os.MkdirTemp("", "intray-postgres-*")
	if err != nil {
		p.t.Fatal(err)
	}
	p.t.Cleanup(func() { _ = os.RemoveAll(folder) })
	p.folder = folder
	if os.Getuid() != 0 {
		return
	}
	account, err := user.Lookup("postgres")
	if err != nil {
		account, err = user.Lookup("nobody")
	}
	if err != nil {
		p.t.Fatal(err)
	}
	number := func(text string) uint32 {
		n, err := strconv.ParseUint(text, 10, 32)
		if err != nil {
			p.t.Fatal(err)
		}
		return uint32(n)
	}
	p.owner = &syscall.Credential{Uid: number(account.Uid), Gid: number(account.Gid)}
	for up := filepath.Dir(p.folder); up != "/"; up = filepath.Dir(up) {
		if info, err := os.Stat(up); err != nil || info.Mode()&1 == 0 {
			p.t.Fatalf("the user %s cannot enter %s; set TMPDIR to another folder", account.Username, up)
		}
	}
	if err := os.Chown(p.folder, int(p.owner.Uid), int(p.owner.Gid)); err != nil {
		p.t.Fatal(err)
	}
}

func (p *PostgresServer) cluster() string { return filepath.Join(p.folder, "cluster") }

func (p *PostgresServer) logFile() string { return filepath.Join(p.folder, "server.log") }

// Start starts the server after Stop, and waits until it has recovered.
func (p *PostgresServer) Start() {
	p.t.Helper()
	log, err := os.OpenFile(p.logFile(), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		p.t.Fatal(err)
	}
	defer func() { _ = log.Close() }()
	host, port, err := net.SplitHostPort(p.address)
	if err != nil {
		p.t.Fatal(err)
	}
	p.command = exec.Command(p.program, "-D", p.cluster(), "-p", port, "-c", "listen_addresses="+host, "-c", "unix_socket_directories=")
	p.command.Dir, p.command.SysProcAttr = p.folder, &syscall.SysProcAttr{Credential: p.owner}
	p.command.Stdout, p.command.Stderr = log, log
	if err := p.command.Start(); err != nil {
		p.t.Fatal(err)
	}
	p.exited = make(chan struct{})
	go func(c *exec.Cmd, done chan struct{}) { _ = c.Wait(); close(done) }(p.command, p.exited)
	for end := time.Now().Add(patience); ; time.Sleep(20 * time.Millisecond) {
		err := p.connectOnce()
		if err == nil {
			return
		}
		select {
		case <-p.exited:
			p.t.Fatalf("PostgreSQL ended:\n%s", p.log())
		default:
		}
		if time.Now().After(end) {
			p.t.Fatalf("PostgreSQL did not start: %v\n%s", err, p.log())
		}
	}
}

func (p *PostgresServer) connectOnce() error {
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	conn, err := pgx.Connect(ctx, p.URL)
	if err != nil {
		return err
	}
	return conn.Close(ctx)
}

// Stop ends the server immediately, without a checkpoint. Transactions in progress are lost, and
// the next start recovers from the write-ahead log.
func (p *PostgresServer) Stop() {
	p.t.Helper()
	_ = p.command.Process.Signal(syscall.SIGQUIT)
	select {
	case <-p.exited:
	case <-time.After(patience):
		p.t.Fatalf("PostgreSQL did not end:\n%s", p.log())
	}
}

// Restart stops the server immediately and starts it again.
func (p *PostgresServer) Restart() {
	p.t.Helper()
	p.Stop()
	p.Start()
}

// Freeze stops all processes of the server until Unfreeze. Connections remain open, but nothing
// responds. It works only on Linux.
func (p *PostgresServer) Freeze() {
	p.t.Helper()
	p.frozen = true
	p.signalAll(syscall.SIGSTOP)
}

// Unfreeze continues the processes of the server.
func (p *PostgresServer) Unfreeze() {
	p.t.Helper()
	p.signalAll(syscall.SIGCONT)
	p.frozen = false
}

// signalAll sends a signal to the server, which then starts no more processes if it stops, and to
// its children.
func (p *PostgresServer) signalAll(sig syscall.Signal) {
	p.t.Helper()
	server := p.command.Process.Pid
	for _, pid := range append([]int{server}, childrenOf(p.t, server)...) {
		if err := syscall.Kill(pid, sig); err != nil && err != syscall.ESRCH {
			p.t.Fatalf("send %s to PostgreSQL: %v", sig, err)
		}
	}
}

// childrenOf returns the process IDs of the children of a process.
func childrenOf(t testing.TB, parent int) (list []int) {
	t.Helper()
	entries, err := os.ReadDir("/proc")
	if err != nil {
		t.Fatal(err)
	}
	for _, entry := range entries {
		pid, err := strconv.Atoi(entry.Name())
		if err != nil {
			continue
		}
		text, _ := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
		fields := strings.Fields(string(text[strings.LastIndexByte(string(text), ')')+1:]))
		if len(fields) > 1 && fields[1] == strconv.Itoa(parent) {
			list = append(list, pid)
		}
	}
	return list
}

// CPUTime returns the CPU time that all processes of the server have used.
func (p *PostgresServer) CPUTime() time.Duration {
	p.t.Helper()
	server := p.command.Process.Pid
	sum, err := cpuTime(server, true)
	if err != nil {
		p.t.Fatal(err)
	}
	for _, child := range childrenOf(p.t, server) {
		if used, err := cpuTime(child, false); err == nil { // otherwise, it has just ended
			sum += used
		}
	}
	return sum
}

// Statements returns the number of statements that the server has logged. The setting log_statement
// determines which ones it logs.
func (p *PostgresServer) Statements() int {
	log := p.log()
	return strings.Count(log, "LOG:  statement: ") + strings.Count(log, "LOG:  execute ")
}

// Admin runs a statement as a superuser.
func (p *PostgresServer) Admin(statement string) {
	p.t.Helper()
	if err := pgtest.Exec(context.Background(), p.admin, statement); err != nil {
		p.t.Fatal(err)
	}
}

func (p *PostgresServer) log() string {
	text, err := os.ReadFile(p.logFile())
	if err != nil {
		return err.Error()
	}
	return string(text)
}

// end stops the server when the test ends.
func (p *PostgresServer) end() {
	if p.frozen {
		p.Unfreeze()
	}
	p.Stop()
	log := p.log()
	if strings.Contains(log, "deadlock detected") {
		p.t.Errorf("PostgreSQL detected deadlocks, each after a second:\n%s", log)
		return
	}
	if p.t.Failed() {
		p.t.Logf("end of the log of PostgreSQL:\n%s", log[max(0, len(log)-5000):])
	}
}
