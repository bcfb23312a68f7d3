package hooks_test

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/intraydata/intray/hooks"
	"github.com/intraydata/intray/hooks/sandbox"
)

// secret is a value in the rows of one organization. Hooks of other organizations must
// never see it.
const secret = "the-secret-of-another-organization"

// storeEverywhere is a hook that stores its input wherever it might remain.
const storeEverywhere = `(record) => {
	const secret = record.row.n.value;
	globalThis.left = secret; this && (this.left = secret);
	Object.prototype.left = secret; Array.prototype.left = secret; Function.prototype.left = secret; String.prototype.left = secret;
	Error.prototype.left = secret; Promise.prototype.left = secret; console.left = secret; Math.left = secret; JSON.left = secret; Reflect.left = secret;
	RegExp.left = secret; Symbol.left = secret; Date.left = secret; Object.getPrototypeOf(async () => {}).left = secret;
	Symbol.for(secret); /(.*)-(.*)/.exec(secret); secret.replace(/secret/, ""); new Error(secret).stack;
	for (let i = 0; i < 5; i++) Math.random();
	console.log(secret); (leave.kept = leave.kept || new Map()).set("secret", secret);
	function leave() {}
	if (typeof process !== "undefined") { process.env.LEFT = secret; process.argv.push(secret); process.title = secret; }
	if (typeof SharedArrayBuffer !== "undefined") globalThis.shared = new SharedArrayBuffer(64);
	Promise.resolve().then(() => { globalThis.later = secret; });
	return {row: {out: {value: secret}}};
}`

// findEverything is a hook that returns every string that it can reach.
const findEverything = `(record) => {
	const found = [], seen = new Set(), todo = [globalThis, record, console, Object.getPrototypeOf(async () => {}), Object.getPrototypeOf(function* () {}), (() => { try { null.x; } catch (e) { return e; } })(), new Error("x")];
	const say = (text) => { if (typeof text === "string") found.push(text); };
	while (todo.length > 0 && seen.size < 20000) {
		const at = todo.pop();
		if (at === null || typeof at !== "object" && typeof at !== "function" || seen.has(at)) { say(at); continue; }
		seen.add(at);
		todo.push(Object.getPrototypeOf(at));
		for (const key of Reflect.ownKeys(at)) {
			say(String(key));
			try { todo.push(at[key]); } catch (e) { say(String(e)); }
		}
		if (at instanceof Map) for (const [k, v] of at) todo.push(k, v);
	}
	for (const key of ["$1", "$2", "$_", "lastMatch", "input", "leftContext", "rightContext", "lastParen"]) say(String(RegExp[key]));
	try { null.x; } catch (e) { say(e.stack); }
	if (typeof process !== "undefined") say(JSON.stringify([process.env, process.argv, process.title]));
	for (const path of ["/proc/self/environ", "/proc/self/maps", "/tmp"]) try { say(require("fs").readFileSync(path, "utf8")); } catch {}
	return {row: {out: {value: [found.join(" ").slice(0, 900000), Math.random()].join(" @")}}};
}`

// runOneRow runs a hook over one row in a new session. It returns the value that the hook
// sets and the output that it prints.
func runOneRow(t *testing.T, s *hooks.Runner, hook, cell string) (out string, console []string) {
	t.Helper()
	session := openSession(t, s, rowHooks(hook))
	defer func() { _ = session.Close() }()
	changes, err := session.RunRows(t.Context(), 0, rowsOf(numberedFields, batch(0, []any{cell, "b", nil})))
	if err != nil || len(changes) != 1 {
		t.Fatalf("%v, %v", changes, err)
	}
	return *changes[0].Value, session.Console()
}

// TestOrganizationsAreIsolated checks that a hook cannot find any data that a hook of
// another organization stored. There are only a few workers, and some hooks of the other
// organization end their worker.
func TestOrganizationsAreIsolated(t *testing.T) {
	idleWorkers := []int{1, 3}
	if !isFull() {
		idleWorkers = idleWorkers[:1]
	}
	for _, idle := range idleWorkers {
		forEachRuntimeWith(t, hooks.Config{MaxWorkers: 2}, sandbox.Config{IdleWorkers: idle, MaxWorkers: 4, Memory: 96 << 20}, func(t *testing.T, s *hooks.Runner) {
			clean, _ := runOneRow(t, s, findEverything, "x")
			if !strings.Contains(clean, "prototype") || len(clean) < 2000 {
				t.Fatalf("the hook finds too little: %s", clean)
			}
			for _, more := range []string{"", `if (record.index === 0) { for (const all = []; ; ) all.push(new Array(1e4).fill(record.row.n.value)); }`, `throw new Error(record.row.n.value);`} {
				one := openSession(t, s, rowHooks(strings.Replace(storeEverywhere, "return {row", more+"\nreturn {row", 1)))
				_, err := one.RunRows(t.Context(), 0, rowsOf(numberedFields, batch(0, []any{secret, "b", nil})))
				if more == "" && err != nil {
					t.Error(err)
				}
				// The first session is open during the first round, and closed during the second.
				for range 2 {
					found, console := runOneRow(t, s, findEverything, "x")
					if strings.Contains(found, secret) || slices.Contains(console, secret) {
						t.Errorf("the hook finds %q of another organization", secret)
					}
					if found != clean {
						t.Errorf("the hook finds other texts than in a clean pool:\n%.300s\n%.300s", clean, found)
					}
					_ = one.Close()
				}
			}
		})
	}
}

// TestWorkersAreNotReused checks that the workers of a session end with it, and that no
// other session uses them.
func TestWorkersAreNotReused(t *testing.T) {
	forEachRuntimeWith(t, hooks.Config{MaxWorkers: 2}, sandbox.Config{IdleWorkers: 2, MaxWorkers: 6}, func(t *testing.T, s *hooks.Runner) {
		used := map[string]bool{}
		for range 6 {
			session := openSession(t, s, rowHooks(`() => {}`))
			var all sync.WaitGroup
			for range 2 {
				all.Go(func() {
					if _, err := session.RunRows(t.Context(), 0, rowsOf(numberedFields, numberedRows(0, 60))); err != nil {
						t.Error(err)
					}
				})
			}
			all.Wait()
			pids := session.PIDs()
			if len(pids) == 0 {
				t.Fatal("the session has no worker")
			}
			for _, pid := range pids {
				process := processIdentity(pid)
				if process == "" || used[process] {
					t.Errorf("the worker %d (%s) has ended or was used before", pid, process)
				}
				used[process] = true
			}
			_ = session.Close()
			for _, pid := range pids {
				if process := processIdentity(pid); used[process] {
					t.Errorf("the worker %s is running after its session", process)
				}
			}
		}
	})
}

// processIdentity returns the ID and the start time of a process, because IDs are reused.
// It returns "" if the process does not exist.
func processIdentity(pid int) string {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return ""
	}
	text := string(stat)
	return fmt.Sprint(pid, " ", strings.Fields(text[strings.LastIndexByte(text, ')')+1:])[19])
}

// TestConcurrentSessions checks that concurrent sessions of several organizations see only
// their own rows.
func TestConcurrentSessions(t *testing.T) {
	forEachRuntimeWith(t, hooks.Config{MaxWorkers: 2}, sandbox.Config{MaxWorkers: 4}, func(t *testing.T, s *hooks.Runner) {
		var all sync.WaitGroup
		for i := range 3 {
			all.Go(func() {
				own := fmt.Sprint("organization", i)
				session := openSession(t, s, rowHooks(`(r) => { const before = globalThis.last; globalThis.last = r.row.n.value; return {row: {out: {value: r.row.n.value + (before || "")}}}; }`))
				defer func() { _ = session.Close() }()
				for range 20 {
					changes, err := session.RunRows(t.Context(), 0, rowsOf(numberedFields, batch(0, []any{own, "", nil}, []any{own, "", nil})))
					if err != nil || len(changes) != 2 {
						t.Error(changes, err)
						return
					}
					for _, c := range changes {
						if strings.ReplaceAll(*c.Value, own, "") != "" {
							t.Errorf("%s got %s", own, *c.Value)
						}
					}
				}
			})
		}
		all.Wait()
	})
}

// TestWorkerResources checks that a worker inherits no environment variables, has no files open
// other than pipes and devices, and creates no temporary files.
func TestWorkerResources(t *testing.T) {
	forEachRuntimeWith(t, hooks.Config{}, sandbox.Config{}, func(t *testing.T, s *hooks.Runner) {
		before, _ := os.ReadDir(os.TempDir())
		_, _ = runOneRow(t, s, storeEverywhere, secret)
		session := openSession(t, s, rowHooks(storeEverywhere))
		if _, err := session.RunRows(t.Context(), 0, rowsOf(numberedFields, batch(0, []any{secret, "b", nil}))); err != nil {
			t.Fatal(err)
		}
		for _, id := range session.PIDs() {
			pid := fmt.Sprint(id)
			environ, err := os.ReadFile("/proc/" + pid + "/environ")
			if text := string(environ); err == nil && (strings.Contains(text, secret) || strings.Contains(text, "PATH=")) {
				t.Errorf("the environment is %q", text)
			}
			files, err := os.ReadDir("/proc/" + pid + "/fd")
			for _, file := range files {
				link, _ := os.Readlink("/proc/" + pid + "/fd/" + file.Name())
				if !strings.HasPrefix(link, "pipe:") && !strings.HasPrefix(link, "anon_inode:") && !strings.HasPrefix(link, "/dev/") {
					t.Errorf("the file %s is %q", file.Name(), link)
				}
			}
			_ = err // the process may hide its files
		}
		after, _ := os.ReadDir(os.TempDir())
		for _, file := range after {
			known := slices.ContainsFunc(before, func(one os.DirEntry) bool { return one.Name() == file.Name() })
			if !known && strings.Contains(file.Name(), "hook") {
				t.Errorf("the worker left the file %s", file.Name())
			}
		}
	})
}
