package torture

import (
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/intraydata/intray/test/livetest"
)

// badRow is the index of the data row in which hostile hooks do harm. hostileHooks contains the
// bodies of these hooks.
const badRow = 77

var hostileHooks = map[string]string{
	"endless loop":   `for (;;);`,
	"memory":         `const all = []; for (;;) all.push(new Array(1000).fill(all.length));`,
	"exit":           `(globalThis.process || globalThis.std).exit(1);`,
	"deep recursion": `const deep = (n) => 1 + deep(n + 1); deep(0);`,
	"native loop":    `Array.prototype.indexOf.call({length: 2 ** 53 - 1}, 1);`,
}

// hostile returns a schema whose hook runs the given code in the row badRow.
func hostile(harm string) map[string]any {
	return map[string]any{
		"fields": schema["fields"],
		"hooks":  map[string]any{"rowHooks": []any{fmt.Sprintf("({index}) => { if (index === %d) { %s } }", badRow, harm)}},
	}
}

// sent is an import whose file has been uploaded.
type sent struct {
	name, id, key, created string
}

// TestHostileHooks runs imports with good hooks on their own, and then together with hostile
// hooks of a different organization. The hostile hooks must not affect the good ones.
func TestHostileHooks(t *testing.T) {
	runtimes(t, func(t *testing.T, args []string) {
		const good = 5
		rows := share(100_000)
		server := livetest.Start(t, livetest.Config{Args: append(args, "--hook-timeout-per-1000", "2s")})
		hostileKey := newOrg(t, server, "hostile")
		idle := server.PeakMemory()
		alone, aloneMemory := runAll(t, server, rows, good, "")
		stop(t, server)
		server.Restart()
		together, togetherMemory := runAll(t, server, rows, good, hostileKey)
		stop(t, server)
		t.Logf("%d imports of %d rows take %s alone, and %s with %d hostile ones: factor %.2f",
			good, rows, alone.Round(time.Millisecond), together.Round(time.Millisecond), len(hostileHooks), together.Seconds()/alone.Seconds())
		t.Logf("the service holds %d MB idle, at most %d MB with the good imports alone, and %d MB with all", idle>>20, aloneMemory>>20, togetherMemory>>20)
		if togetherMemory > max(idle, aloneMemory)+100<<20 {
			t.Errorf("hostile hooks cost %d MB", (togetherMemory-aloneMemory)>>20)
		}
	})
}

// newOrg creates an organization and returns its API key. The flags select the database.
func newOrg(t *testing.T, server *livetest.Server, name string, flags ...string) string {
	t.Helper()
	for _, args := range [][]string{{"orgs", "create", name}, {"keys", "create", "--org", name, "--kind", "backend"}} {
		out, stderr, status := livetest.Run(t, t.TempDir(), nil, append(append(args, "--data", server.DataDir()), flags...)...)
		if status != 0 {
			t.Fatalf("%v: %s", args, stderr)
		}
		name = strings.TrimSpace(out)
	}
	return name
}

// runAll runs good imports and, if hostileKey is not "", hostile ones. It returns the time until
// the good imports have ended, and the peak memory of the server until all imports have ended.
func runAll(t *testing.T, server *livetest.Server, rows, good int, hostileKey string) (time.Duration, int64) {
	t.Helper()
	var bad, fine []sent
	if hostileKey != "" {
		for _, name := range slices.Sorted(maps.Keys(hostileHooks)) {
			bad = append(bad, send(t, server, name, hostileKey, hostile(hostileHooks[name]), table(0, 2*badRow)))
		}
	}
	began := time.Now()
	for i := range good {
		fine = append(fine, send(t, server, fmt.Sprint("good ", i), livetest.BackendKey, hooked, table(0, rows)))
	}
	for _, one := range fine {
		if got := one.end(t, server); got.String("status") != "SUCCESSFUL" {
			t.Fatalf("%s: %s", one.name, got.Body)
		}
	}
	took := time.Since(began)
	for _, one := range bad {
		checkHookFailure(t, one, one.end(t, server))
	}
	onlySpares(t, server)
	memory := server.PeakMemory()
	for _, one := range fine {
		checkHooked(t, server.Result(t, one.id).Body, one.created, rows)
	}
	return took, memory
}

func send(t *testing.T, server *livetest.Server, name, key string, schema any, file []byte) sent {
	t.Helper()
	made := server.Call(t, "POST", "/api/v1/headless/imports/", schema, "X-Service-License-Key", key).WantStatus(http.StatusCreated)
	server.Upload(t, made.String("upload"), file).WantStatus(http.StatusOK)
	return sent{name, made.String("id"), key, made.String("created_date")}
}

// end waits until an import has ended.
func (s sent) end(t *testing.T, server *livetest.Server) *livetest.Reply {
	t.Helper()
	for end := time.Now().Add(5 * time.Minute); time.Now().Before(end); time.Sleep(20 * time.Millisecond) {
		got := server.Call(t, "GET", "/api/v1/headless/imports/"+s.id+"/", nil, "X-Service-License-Key", s.key).WantStatus(http.StatusOK)
		if status := got.String("status"); status != "PENDING" && status != "RUNNING" {
			return got
		}
	}
	t.Fatalf("%s did not end", s.name)
	return nil
}

// checkHookFailure checks that an import failed with a message that names the hook and the row.
func checkHookFailure(t *testing.T, one sent, got *livetest.Reply) {
	t.Helper()
	problems, _ := got.Object()["import_errors"].([]any)
	t.Logf("%s: %v", one.name, problems)
	if got.String("status") != "FAILED" || len(problems) != 1 {
		t.Errorf("%s: %s", one.name, got.Body)
		return
	}
	notice := fmt.Sprint(problems[0])
	row := fmt.Sprintf("data row %d", badRow+1)
	if !strings.Contains(notice, "HOOK_FAILED") || !strings.Contains(notice, "rowHooks[0]") || !strings.Contains(notice, row) {
		t.Errorf("%s: the hook or its row is not named: %s", one.name, notice)
	}
}

// onlySpares checks that the only running worker is the spare for the next import.
func onlySpares(t *testing.T, server *livetest.Server) {
	t.Helper()
	var left []process
	for end := time.Now().Add(5 * time.Second); time.Now().Before(end); time.Sleep(20 * time.Millisecond) {
		if left = hookWorkers(t, server); len(left) <= 1 {
			return
		}
	}
	t.Fatalf("hook workers are running after their imports: %v", left)
}
