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

// secret is in the rows of one organization. Hooks of another must never see it.
const secret = "the-secret-of-another-organization"

// leave is a hook that stores its input wherever something could remain.
const leave = `(record) => {
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

// look is a hook that returns everything that it can find.
const look = `(record) => {
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

// seenBy runs a hook over one row in its own session.
func seenBy(t *testing.T, s *hooks.Runner, hook, cell string) (out string, console []string) {
	t.Helper()
	session := open(t, s, rowHooks(hook))
	defer func() { _ = session.Close() }()
	changes, err := session.RunRows(t.Context(), 0, rowsOf(countFields, batch(0, []any{cell, "b", nil})))
	if err != nil || len(changes) != 1 {
		t.Fatalf("%v, %v", changes, err)
	}
	return *changes[0].Value, session.Console()
}

// TestNothingIsSeenOfOthers lets one organization leave its data wherever a hook can, and
// another one look everywhere, also if there are few workers and if the first one was
// killed.
func TestNothingIsSeenOfOthers(t *testing.T) {
	spares := []int{1, 3}
	if testing.Short() {
		spares = spares[:1]
	}
	for _, spares := range spares {
		everywhereWith(t, hooks.Config{MaxWorkers: 2}, sandbox.Config{IdleWorkers: spares, MaxWorkers: 4}, func(t *testing.T, s *hooks.Runner) {
			clean, _ := seenBy(t, s, look, "x")
			if !strings.Contains(clean, "prototype") || len(clean) < 2000 {
				t.Fatalf("it looks at too little: %s", clean)
			}
			for _, more := range []string{"", `if (record.index === 0) { for (const all = []; ; ) all.push(new Array(1e4).fill(record.row.n.value)); }`, `throw new Error(record.row.n.value);`} {
				one := open(t, s, rowHooks(strings.Replace(leave, "return {row", more+"\nreturn {row", 1)))
				_, err := one.RunRows(t.Context(), 0, rowsOf(countFields, batch(0, []any{secret, "b", nil})))
				if more == "" && err != nil {
					t.Error(err)
				}
				// The other organization comes while the first is still there, and after
				// it.
				for range 2 {
					found, console := seenBy(t, s, look, "x")
					if strings.Contains(found, secret) || slices.Contains(console, secret) {
						t.Errorf("a hook sees %q of another organization", secret)
					}
					if found != clean {
						t.Errorf("what a hook finds depends on who was there before:\n%.300s\n%.300s", clean, found)
					}
					_ = one.Close()
				}
			}
		})
	}
}

// TestNoWorkerIsLentTwice checks that the workers of a session end with it, and that no
// other session gets one of them. A process id may be reused with a later start time.
func TestNoWorkerIsLentTwice(t *testing.T) {
	everywhereWith(t, hooks.Config{MaxWorkers: 2}, sandbox.Config{IdleWorkers: 2, MaxWorkers: 6}, func(t *testing.T, s *hooks.Runner) {
		lent := map[string]bool{}
		for range 6 {
			session := open(t, s, rowHooks(`() => {}`))
			var all sync.WaitGroup
			for range 2 {
				all.Go(func() {
					if _, err := session.RunRows(t.Context(), 0, rowsOf(countFields, count(0, 60))); err != nil {
						t.Error(err)
					}
				})
			}
			all.Wait()
			had := session.PIDs()
			if len(had) == 0 {
				t.Fatal("the session has no worker")
			}
			for _, pid := range had {
				who := birth(pid)
				if who == "" || lent[who] {
					t.Errorf("the worker %d %s was lent before", pid, who)
				}
				lent[who] = true
			}
			_ = session.Close()
			for _, pid := range had {
				if who := birth(pid); lent[who] {
					t.Errorf("the worker %s is there after its session", who)
				}
			}
		}
	})
}

// birth identifies a process by its id and start time. It returns "" if there is none.
func birth(pid int) string {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return ""
	}
	text := string(stat)
	return fmt.Sprint(pid, " ", strings.Fields(text[strings.LastIndexByte(text, ')')+1:])[19])
}

// TestTwoAtOnce checks that sessions of several organizations only see their own rows
// while they run at the same time.
func TestTwoAtOnce(t *testing.T) {
	everywhereWith(t, hooks.Config{MaxWorkers: 2}, sandbox.Config{MaxWorkers: 4}, func(t *testing.T, s *hooks.Runner) {
		var all sync.WaitGroup
		for i := range 3 {
			all.Go(func() {
				own := fmt.Sprint("organization", i)
				session := open(t, s, rowHooks(`(r) => { const before = globalThis.last; globalThis.last = r.row.n.value; return {row: {out: {value: r.row.n.value + (before || "")}}}; }`))
				defer func() { _ = session.Close() }()
				for range 20 {
					changes, err := session.RunRows(t.Context(), 0, rowsOf(countFields, batch(0, []any{own, "", nil}, []any{own, "", nil})))
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

// TestWorkersHaveNothing checks that a worker has three pipes, an empty environment and
// no files.
func TestWorkersHaveNothing(t *testing.T) {
	everywhereWith(t, hooks.Config{}, sandbox.Config{}, func(t *testing.T, s *hooks.Runner) {
		before, _ := os.ReadDir(os.TempDir())
		_, _ = seenBy(t, s, leave, secret)
		session := open(t, s, rowHooks(leave))
		if _, err := session.RunRows(t.Context(), 0, rowsOf(countFields, batch(0, []any{secret, "b", nil}))); err != nil {
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
				t.Errorf("it left %s", file.Name())
			}
		}
	})
}
