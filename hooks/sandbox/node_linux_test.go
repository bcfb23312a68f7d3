package sandbox

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// evalScript evaluates each request in Node itself, like code that has escaped from the
// runtime, and answers with the result.
const evalScript = `
const fs = require('fs'), vm = require('vm');
const read = (size) => {
  const room = Buffer.alloc(size);
  for (let at = 0; at < size;) {
    const n = fs.readSync(0, room, at, size - at, null);
    if (n === 0) process.exit(0);
    at += n;
  }
  return room;
};
const send = (kind, text) => {
  const body = Buffer.from(text), head = Buffer.alloc(5);
  head[0] = kind.charCodeAt(0);
  head.writeUInt32LE(body.length, 1);
  for (let all = Buffer.concat([head, body]); all.length > 0;) all = all.subarray(fs.writeSync(1, all));
};
const frame = () => { const head = read(5); return read(head.readUInt32LE(1)).toString(); };
for (const name of ['SIGTERM', 'SIGINT', 'SIGHUP']) process.on(name, () => {});
const setup = frame();
send('R', '');
globalThis.require = require;
for (;;) {
  const code = frame();
  let answer;
  try { answer = String(vm.runInThisContext(code)); } catch (error) { answer = 'error: ' + error.code + ' ' + error.message; }
  send('A', code === 'setup' ? setup : answer);
}`

// openNodePool returns a pool of Node workers that is closed after the test.
func openNodePool(t *testing.T, cfg Config) *Pool {
	t.Helper()
	if testing.Short() {
		t.Skip("SKIPPED by -short: Node is NOT tested")
	}
	if _, err := exec.LookPath("node"); err != nil {
		t.Skip("Node is not installed")
	}
	cfg.Runtime, cfg.Script, cfg.Setup = Node, evalScript, []byte("'the setup'")
	return openPool(t, cfg)
}

func TestNode(t *testing.T) {
	c := openNodePool(t, Config{IdleWorkers: 2})
	w := getWorker(t, c)
	if err := syscall.Kill(w.proc.os.Pid, syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	long := strings.Repeat("é", 3<<20)
	for request, want := range map[string]string{
		"1+1": "2", "setup": "'the setup'", "'" + long + "'": long,
		"Object.keys(process.env).join()": "TZ,OPENSSL_CONF",
		"process.version.slice(0, 1)":     "v",
	} {
		if got := mustCall(t, w, request); got != want {
			t.Errorf("%.40s: got %.200q", request, got)
		}
	}
}

func TestNodeIsContained(t *testing.T) {
	c := openNodePool(t, Config{IdleWorkers: 2, Memory: 160 << 20})
	neighbor := getWorker(t, c)
	for _, test := range []struct {
		name, code, want string
	}{
		{"sleep", "Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0)", "deadline"},
		{"buffers", "const all = []; for (;;) all.push(Buffer.alloc(8 << 20, 1))", "memory"},
		{"heap", "const all = []; for (;;) all.push(new Array(1000).fill({}))", "memory"},
		{"read", "require('fs').readFileSync('/etc/hostname', 'utf8')", "error"},
		{"read by a binding", "process.binding('fs').open('/etc/hostname', 0, 0)", "error"},
		{"environment", "require('fs').readFileSync('/proc/self/environ', 'utf8')", "error"},
		{"write", "require('fs').writeFileSync('/tmp/intray-sandbox-escape', 'x')", "error"},
		{"spawn", "require('child_process').spawnSync('/bin/sh').error.code", "error"},
		{"kill", "process.kill(process.ppid, 0)", "SIGSYS"},
		{"exit", "process.exit(5)", "status 5"},
		{"abort", "process.abort()", "SIGABRT"},
		{"forged frame", "require('fs').writeSync(1, 'nonsense, nothing else')", "protocol"},
		{"stderr", "for (;;) require('fs').writeSync(2, 'x'.repeat(4096))", "output"},
	} {
		t.Run(test.name, func(t *testing.T) {
			w := getWorker(t, c)
			budget := generousBudget
			if test.want == "deadline" {
				budget = shortBudget
			}
			got := outcome(t, w, test.code, budget)
			if !strings.Contains(got, test.want) {
				t.Errorf("got %.200s, want %s", got, test.want)
			}
			if got := mustCall(t, neighbor, "1+1"); got != "2" {
				t.Errorf("the other worker answered %q", got)
			}
		})
	}
}

// startNodeWithoutFlags starts Node with the restrictions of the sandbox, but without the
// flags that restrict Node itself.
func startNodeWithoutFlags(t *testing.T, c *Pool) *Worker {
	t.Helper()
	order := c.launcher.restrictions()
	order.Node.Args = []string{"node", "--no-deprecation", "-e", evalScript}
	slot := <-c.slots
	proc, err := c.startProcess(slot)
	if err != nil {
		t.Fatal(err)
	}
	w := newWorker(&c.cfg, proc, &c.monitor)
	go func() {
		w.reap()
		c.slots <- slot
	}()
	t.Cleanup(w.Close)
	if err := w.initialize(order); err != nil {
		t.Fatal(err)
	}
	w.assign(Limits{})
	return w
}

func TestNodeWithoutFlags(t *testing.T) {
	c := openNodePool(t, Config{})
	const sigsys, denied = "SIGSYS", "EACCES"
	w := startNodeWithoutFlags(t, c)
	for code, want := range map[string]string{
		"require('fs').readFileSync('/etc/hostname', 'utf8')":                      denied,
		"require('fs').readFileSync('/proc/self/environ', 'utf8')":                 denied,
		"require('fs').readdirSync('/')":                                           denied,
		"require('fs').writeFileSync('/tmp/intray-sandbox-escape', 'x')":           denied,
		"require('fs').readFileSync('/lib/x86_64-linux-gnu/libc.so.6').length > 0": "",
		"new Function('return 1')()":                                               "1",
	} {
		if got := mustCall(t, w, code); !strings.Contains(got, want) {
			t.Errorf("%s: %s", code, got)
		}
	}
	for code, want := range map[string]string{
		"require('child_process').spawnSync('/bin/sh').error.code":                           sigsys,
		"new (process.binding('tcp_wrap').TCP)(0).bind('127.0.0.1', 0)":                      sigsys,
		"new (process.binding('udp_wrap').UDP)().bind('127.0.0.1', 0, 0)":                    sigsys,
		"new (require('worker_threads').Worker)('for (;;) {}', { eval: true }); for (;;) {}": "deadline",
		"process.setuid(0)": sigsys,
	} {
		budget := generousBudget
		if want == "deadline" {
			budget = shortBudget
		}
		if got := outcome(t, startNodeWithoutFlags(t, c), code, budget); !strings.Contains(got, want) {
			t.Errorf("%s: %s", code, got)
		}
	}
}

// TestBadNode checks the errors for executables that are not Node.
func TestBadNode(t *testing.T) {
	for want, script := range map[string]string{
		"Node 20 or later":      "echo v18.20.1",
		"returned \"hello\\n\"": "echo hello",
		"exit status 3":         "exit 3",
		"read the program":      "echo v22.1.0",
	} {
		path := filepath.Join(t.TempDir(), "node")
		if err := os.WriteFile(path, []byte("#!/bin/sh\n"+script+"\n"), 0o755); err != nil {
			t.Fatal(err)
		}
		if c, err := New(Config{Runtime: Node, NodePath: path}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v, %v", script, c, err)
		}
	}
}
