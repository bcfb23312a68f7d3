package torture

import (
	"math/rand/v2"
	"net/http"
	"os"
	"slices"
	"testing"
	"time"

	"github.com/intraydata/intray/test/livetest"
)

// TestKills kills the server at random times while imports run. Each import must end as SUCCESSFUL
// exactly once, with all its rows.
func TestKills(t *testing.T) {
	t.Run("sqlite", killAndResume)
	t.Run("postgres", func(t *testing.T) {
		killDuringBacklog(t, []string{"--database-url", livetest.Postgres(t)})
	})
	t.Run("postgres-s3", func(t *testing.T) {
		database := livetest.Postgres(t)
		address, _ := bucketServer(t).Bucket(t)
		killDuringBacklog(t, []string{"--database-url", database, "--blob-url", address})
	})
}

// killDuringBacklog kills the server while many imports wait. After the last start, at least one
// import must end within 10 s, unless all have ended.
func killDuringBacklog(t *testing.T, args []string) {
	const imports, rows = 50, 20000
	random := seeded(t)
	server := livetest.Start(t, livetest.Config{Args: args})
	ids := make([]string, imports)
	for i := range ids {
		var address string
		ids[i], address = server.CreateImport(t, schema)
		server.Upload(t, address, table(i, rows)).WantStatus(http.StatusOK)
	}
	kills := share(100)
	for range kills {
		time.Sleep(time.Duration(random.IntN(400)) * time.Millisecond)
		server.Kill()
		server.Restart()
	}
	awaitProgress(t, server, ids, time.Now())
	checkImports(t, server, ids, rows)
	t.Logf("%d kills, %d imports", kills, imports)
}

// checkImports waits until the imports have ended, and checks their results.
func checkImports(t *testing.T, server *livetest.Server, ids []string, rows int) {
	t.Helper()
	for i, id := range ids {
		got := server.AwaitImport(t, id)
		if got.String("status") != "SUCCESSFUL" {
			t.Fatalf("import %d: %s", i, got.Body)
		}
		checkResult(t, server, id, i, rows)
	}
	checkUploads(t, server, len(ids))
}

// awaitProgress checks that at least one import ends within 10 s of a start, unless all have
// ended.
func awaitProgress(t *testing.T, server *livetest.Server, ids []string, since time.Time) {
	t.Helper()
	before := ended(t, server)
	for time.Since(since) < 10*time.Second {
		if now := ended(t, server); now == len(ids) || now > before {
			return
		}
		time.Sleep(50 * time.Millisecond)
	}
	t.Fatalf("no progress within 10 s of a start: %s", server.Stderr())
}

// ended returns the number of imports that are SUCCESSFUL.
func ended(t *testing.T, server *livetest.Server) (n int) {
	t.Helper()
	list := server.Call(t, "GET", "/api/v1/headless/imports/?limit=1000", nil).WantStatus(http.StatusOK).Object()
	for _, item := range list["results"].([]any) {
		if item.(map[string]any)["status"] == "SUCCESSFUL" {
			n++
		}
	}
	return n
}

const (
	// resumeLimit is the maximum time from a start of the server until an import runs again that
	// was running at the kill. It is checked only if INTRAY_TORTURE=full, on a quiet machine.
	resumeLimit = 5 * time.Second
	// maxLosses is the maximum number of times that the test kills a run of one import. After 10
	// lost runs, an import fails.
	maxLosses = 7
)

// resumption kills a server that has few unfinished imports.
type resumption struct {
	t      *testing.T
	server *livetest.Server
	random *rand.Rand
	rows   int
	// ids are all imports, and open those that have not ended.
	ids, open []string
	// lost contains how often each import was running at a kill.
	lost map[string]int
	// took is how long each import took to run again.
	took []time.Duration
}

// killAndResume kills a server with SQLite and files on disk. Each import that was running must run
// again soon after the restart. Imports arrive over all the kills, so that no others wait before
// those that were running.
func killAndResume(t *testing.T) {
	imports, kills := 300, 1000
	if os.Getenv("INTRAY_TORTURE") != "full" {
		imports, kills = 6, 12
	}
	r := &resumption{t: t, server: livetest.Start(t, livetest.Config{}), random: seeded(t), rows: 40_000, lost: map[string]int{}}
	for kill := range kills {
		for len(r.ids) <= kill*imports/kills {
			r.send()
		}
		for len(r.running()) == 0 && len(r.open) > 0 {
			time.Sleep(time.Millisecond)
		}
		time.Sleep(time.Duration(r.random.IntN(200)) * time.Millisecond)
		r.kill()
	}
	checkImports(t, r.server, r.ids, r.rows)
	if len(r.took) == 0 {
		t.Fatal("no import was running at a kill")
	}
	slices.Sort(r.took)
	longest := r.took[len(r.took)-1]
	t.Logf("%d kills, %d imports; %d runs were lost and ran again after: p50 %s, max %s", kills, imports, len(r.took), r.took[len(r.took)/2].Round(time.Millisecond), longest.Round(time.Millisecond))
	if os.Getenv("INTRAY_TORTURE") == "full" && longest > resumeLimit {
		t.Errorf("an import ran again %s after the restart, want at most %s", longest, resumeLimit)
	}
}

func (r *resumption) send() {
	r.t.Helper()
	id, address := r.server.CreateImport(r.t, schema)
	r.server.Upload(r.t, address, table(len(r.ids), r.rows)).WantStatus(http.StatusOK)
	r.ids, r.open = append(r.ids, id), append(r.open, id)
}

// kill kills the server, restarts it, and waits until the imports that were running run again or
// have ended.
func (r *resumption) kill() {
	r.t.Helper()
	lost := r.running()
	for slices.ContainsFunc(lost, func(id string) bool { return r.lost[id] >= maxLosses }) {
		time.Sleep(5 * time.Millisecond)
		lost = r.running()
	}
	r.server.Kill()
	began := time.Now()
	r.server.Restart()
	for _, id := range lost {
		r.lost[id]++
	}
	for ; len(lost) > 0; time.Sleep(5 * time.Millisecond) {
		running := r.running()
		lost = slices.DeleteFunc(lost, func(id string) bool {
			resumed := slices.Contains(running, id) || !slices.Contains(r.open, id)
			if resumed {
				r.took = append(r.took, time.Since(began))
			}
			return resumed
		})
		if time.Since(began) > time.Minute {
			r.t.Fatalf("%v do not run again after a restart: %s", lost, r.server.Stderr())
		}
	}
}

// running returns the imports that are running. It removes imports that have ended from open.
func (r *resumption) running() (list []string) {
	r.t.Helper()
	r.open = slices.DeleteFunc(r.open, func(id string) bool {
		switch status := r.server.Call(r.t, "GET", "/api/v1/headless/imports/"+id+"/", nil).WantStatus(http.StatusOK).String("status"); status {
		case "RUNNING":
			list = append(list, id)
		case "SUCCESSFUL":
			return true
		case "FAILED", "NEEDS_REVIEW":
			r.t.Fatalf("import %s is %s", id, status)
		}
		return false
	})
	return list
}
