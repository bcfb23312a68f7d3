package torture

import (
	"context"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
)

const (
	// takeoverRows is the number of rows of the imports that are taken over. Each
	// runs for a few tenths of a second.
	takeoverRows = 300_000
	// takeoverLimit is the maximum time until an import of a dead process runs in another one. It
	// is checked only if INTRAY_TORTURE=full, on a quiet machine. Otherwise, the limit is
	// takeoverBusyLimit.
	takeoverLimit, takeoverBusyLimit = 10 * time.Second, 40 * time.Second
)

// run is a run of an import.
type run struct {
	id, node string
	number   int64
}

// connect connects to the database of the replicas.
func (r *replicas) connect() *pgx.Conn {
	r.t.Helper()
	conn, err := pgx.Connect(r.t.Context(), r.database)
	if err != nil {
		r.t.Fatal(err)
	}
	r.t.Cleanup(func() { _ = conn.Close(context.Background()) })
	return conn
}

// running returns the runs in progress. The API does not show which process runs an import.
func (r *replicas) running(conn *pgx.Conn) (list []run) {
	r.t.Helper()
	rows, err := conn.Query(r.t.Context(), `SELECT id, node, run FROM imports WHERE status = 'RUNNING'`)
	if err == nil {
		list, err = pgx.CollectRows(rows, func(row pgx.CollectableRow) (one run, err error) {
			return one, row.Scan(&one.id, &one.node, &one.number)
		})
	}
	if err != nil {
		r.t.Fatal(err)
	}
	return list
}

// awaitRunning waits until a replica runs an import. It returns the replica with the most runs.
func (r *replicas) awaitRunning(conn *pgx.Conn) (at int) {
	r.t.Helper()
	for end := time.Now().Add(time.Minute); time.Now().Before(end); time.Sleep(2 * time.Millisecond) {
		most := 0
		list := r.running(conn)
		for i := range r.list {
			if n := len(r.runsOf(i, list)); n > most {
				at, most = i, n
			}
		}
		if most > 0 {
			return at
		}
	}
	r.t.Fatal("no import runs")
	return 0
}

// runsOf returns the runs of a replica.
func (r *replicas) runsOf(at int, list []run) []run {
	r.t.Helper()
	own := folderID(r.t, r.list[at]) + "/"
	return slices.DeleteFunc(slices.Clone(list), func(one run) bool { return !strings.HasPrefix(one.node, own) })
}

// awaitTakeover waits until each of the lost runs has been replaced by a run in another process, or
// its import has ended. It returns how long each took since a time.
func (r *replicas) awaitTakeover(conn *pgx.Conn, lost []run, since time.Time) (took []time.Duration) {
	r.t.Helper()
	for ; len(lost) > 0; time.Sleep(5 * time.Millisecond) {
		lost = slices.DeleteFunc(lost, func(one run) bool {
			var status, node string
			err := conn.QueryRow(r.t.Context(), `SELECT status, node FROM imports WHERE id = $1`, one.id).Scan(&status, &node)
			if err != nil {
				r.t.Fatal(err)
			}
			taken := status == "RUNNING" && node != one.node || status == "SUCCESSFUL"
			if taken {
				took = append(took, time.Since(since))
			}
			return taken
		})
		if time.Since(since) > takeoverBusyLimit {
			r.t.Fatalf("no process has taken over %v within %s", lost, takeoverBusyLimit)
		}
	}
	return took
}

// measureTakeover kills a replica that runs imports, once per round, and measures until its imports
// run in another one. The replica starts again only after that. measureTakeover returns the ids of
// the imports, whose tables have numbers from first on.
func (r *replicas) measureTakeover(first, rounds int) (ids []string) {
	r.t.Helper()
	const perRound = 6
	conn := r.connect()
	var took []time.Duration
	for round := range rounds {
		sent := make(chan []string)
		go func() { sent <- r.sendTables(first+round*perRound, perRound, takeoverRows) }()
		r.awaitRunning(conn)
		time.Sleep(time.Duration(rand.IntN(300)) * time.Millisecond)
		at := r.awaitRunning(conn)
		r.list[at].Kill()
		killed := time.Now()
		took = append(took, r.awaitTakeover(conn, r.runsOf(at, r.running(conn)), killed)...)
		r.start(at)
		ids = append(ids, <-sent...)
	}
	checkTakeover(r.t, took)
	return ids
}

// checkTakeover logs and checks how long takeovers took.
func checkTakeover(t *testing.T, took []time.Duration) {
	t.Helper()
	if len(took) == 0 {
		t.Error("no import was taken over")
		return
	}
	slices.Sort(took)
	longest := took[len(took)-1]
	t.Logf("%d imports of dead processes ran in another one after: p50 %s, max %s", len(took), took[len(took)/2].Round(time.Millisecond), longest.Round(time.Millisecond))
	if os.Getenv("INTRAY_TORTURE") == "full" && longest > takeoverLimit {
		t.Errorf("a takeover took %s, want at most %s", longest, takeoverLimit)
	}
}
