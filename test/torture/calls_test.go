package torture

import (
	"fmt"
	"maps"
	"net/http"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/intraydata/intray/test/livetest"
)

// turns is the loop count of a hook that uses about one second of CPU time, four times as
// long as the delay before a kill.
var turns = map[string]string{"quickjs": "3e7", "node": "1e9"}

// callsOf returns slow hooks of each kind. Hooks that process rows append a mark to each name.
func callsOf(runtime string) map[string]any {
	linger := "for (let i = 0, n = 0; i < " + turns[runtime] + "; i++) n = (n * 31 + i) | 0;"
	step := func(name string) any {
		return map[string]any{"stepHooks": []any{map[string]any{"type": name, "callback": "() => { " + linger + " }"}}}
	}
	return map[string]any{
		"UPLOAD_STEP":            step("UPLOAD_STEP"),
		"REVIEW_STEP":            step("REVIEW_STEP"),
		"REVIEW_STEP_POST_HOOKS": step("REVIEW_STEP_POST_HOOKS"),
		"columnHooks": map[string]any{"columnHooks": []any{map[string]any{
			"fieldName": "name",
			"callback":  "(cells) => { " + linger + ` return cells.map(({index, value}) => ({index, value: value + "!"})); }`,
		}}},
		"bulkRowHooks": map[string]any{"bulkRowHooks": []any{
			"(records) => { " + linger + ` return records.map(({index, row}) => ({index, row: {name: {value: row.name.value + "!"}}})); }`,
		}},
		"rowHooks": map[string]any{"rowHooks": []any{
			"({row, index}) => { if (index === 7) { " + linger + ` } return {row: {name: {value: row.name.value + "!"}}}; }`,
		}},
		"beforeFinishCallback": map[string]any{"beforeFinishCallback": "() => { " + linger + " }"},
	}
}

// TestKillInEveryCall kills the worker of an import during a call to each kind of hook. The
// call must be repeated.
func TestKillInEveryCall(t *testing.T) {
	runtimes(t, func(t *testing.T, args []string) {
		t.Parallel() // each test spends most of its time waiting
		const rows = 500
		calls := callsOf(args[1])
		kinds := slices.Sorted(maps.Keys(calls))
		seeded(t).Shuffle(len(kinds), func(i, j int) { kinds[i], kinds[j] = kinds[j], kinds[i] })
		if os.Getenv("INTRAY_TORTURE") != "full" {
			kinds = kinds[:2]
		}
		server := livetest.Start(t, livetest.Config{Args: append(args, "--hook-timeout-per-1000", "1m")})
		for _, kind := range kinds {
			t.Run(kind, func(t *testing.T) {
				got := importWithKills(t, server, calls[kind], rows, 1)
				if got.String("status") != "SUCCESSFUL" {
					t.Fatalf("%s", got.Body)
				}
				checkMarks(t, server.Result(t, got.String("id")), kind, rows)
			})
		}
		t.Run("three times", func(t *testing.T) {
			got := importWithKills(t, server, calls["rowHooks"], rows, 3)
			if got.String("status") != "SUCCESSFUL" {
				t.Fatalf("%s", got.Body)
			}
			checkMarks(t, server.Result(t, got.String("id")), "rowHooks", rows)
		})
		t.Run("each time", func(t *testing.T) {
			for range 3 { // on a busy machine, a call may end before the kill
				got, kills := importKillingWorkers(t, server, calls["rowHooks"], rows)
				if got.String("status") == "SUCCESSFUL" {
					checkMarks(t, server.Result(t, got.String("id")), "rowHooks", rows)
					continue
				}
				problems := fmt.Sprint(got.Object()["import_errors"])
				if got.String("status") != "FAILED" || !strings.Contains(problems, "HOOK_FAILED") || !strings.Contains(problems, "rowHooks") {
					t.Fatalf("after %d kills: %s", kills, got.Body)
				}
				t.Logf("after %d kills: %s", kills, problems)
				return
			}
			t.Error("no import failed although every working worker was killed")
		})
		stop(t, server)
	})
}

// importWithKills imports rows and kills the worker a number of times during its call. It
// returns the import after it has ended.
func importWithKills(t *testing.T, server *livetest.Server, hooks any, rows, kills int) *livetest.Reply {
	t.Helper()
	one, o := startImport(t, server, hooks, rows)
	for o.workers < kills {
		if o.killWorking() {
			continue
		}
		if status := o.status(); status != "PENDING" && status != "RUNNING" {
			t.Fatalf("it is %s after %d kills", status, o.workers)
		}
	}
	return one.end(t, server)
}

// importKillingWorkers kills, until the import ends, every worker that runs a hook. On a busy
// machine, a worker may be killed before the call. Such a kill does not count as a failed call.
func importKillingWorkers(t *testing.T, server *livetest.Server, hooks any, rows int) (got *livetest.Reply, kills int) {
	t.Helper()
	one, o := startImport(t, server, hooks, rows)
	for status := o.status(); status == "PENDING" || status == "RUNNING"; status = o.status() {
		o.killWorking()
	}
	return one.end(t, server), o.workers
}

func startImport(t *testing.T, server *livetest.Server, hooks any, rows int) (sent, *killedImport) {
	t.Helper()
	onlySpares(t, server) // the workers of earlier imports have ended
	one := send(t, server, "it", livetest.BackendKey, map[string]any{"fields": schema["fields"], "hooks": hooks}, table(0, rows))
	return one, &killedImport{t: t, server: server, id: one.id}
}

// killWorking kills a worker that is running a hook. It returns false if there is none.
func (o *killedImport) killWorking() bool {
	o.t.Helper()
	list := o.working()
	if len(list) == 0 {
		return false
	}
	list[0].kill(o.t)
	o.workers++
	mustEnd(o.t, list[:1])
	return true
}

func checkMarks(t *testing.T, result *livetest.Reply, kind string, rows int) {
	t.Helper()
	list := result.WantStatus(http.StatusOK).Array()
	if len(list) != rows {
		t.Fatalf("%d rows, want %d", len(list), rows)
	}
	mark := ""
	if kind == "columnHooks" || kind == "bulkRowHooks" || kind == "rowHooks" {
		mark = "!"
	}
	for i, row := range list {
		if want := fmt.Sprintf("file 0 row %d%s", i, mark); row.(map[string]any)["name"] != want {
			t.Fatalf("row %d is %v, want %s", i, row, want)
		}
	}
}
