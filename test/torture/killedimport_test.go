package torture

import (
	"database/sql"
	"math/rand/v2"
	"net/http"
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/intraydata/intray/test/livetest"
	_ "modernc.org/sqlite" // driver for reading the database in a data folder
)

// killedImport is an import, with the number of kills during its run.
type killedImport struct {
	t      *testing.T
	random *rand.Rand
	server *livetest.Server
	id     string
	// undisturbed is the duration of the import without kills.
	undisturbed time.Duration
	// killed reports whether the server is currently not running.
	killed bool

	services, results, workers int
}

// killRepeatedly kills the server a number of times, alternating between a random time and,
// after killing a worker, the time when the result is being written. Then it kills workers until
// it has killed that number of workers, too. Finally, it terminates the whole process group as a
// service manager does. It stops when the import ends.
func (o *killedImport) killRepeatedly(kills int) {
	for kill := range kills {
		if kill%2 == 0 {
			o.killService()
		} else if o.killWorker() {
			o.killAtResult()
		}
		if !o.killed {
			return
		}
		o.server.Restart()
		o.killed = false
	}
	for o.workers < kills && o.killWorker() {
	}
	if o.running() {
		o.endGroup()
	}
}

// status returns the status of the import.
func (o *killedImport) status() string {
	o.t.Helper()
	return o.server.Call(o.t, "GET", "/api/v1/headless/imports/"+o.id+"/", nil).WantStatus(http.StatusOK).String("status")
}

// running reports whether the import is still running. It fails the test if the import failed.
func (o *killedImport) running() bool {
	o.t.Helper()
	status := o.status()
	if status != "PENDING" && status != "RUNNING" && status != "SUCCESSFUL" {
		o.t.Fatalf("the import is %s: %s", status, o.server.Call(o.t, "GET", "/api/v1/headless/imports/"+o.id+"/", nil).Body)
	}
	return status != "SUCCESSFUL"
}

// within returns a random duration of at most the given part of the undisturbed duration of
// the import.
func (o *killedImport) within(part float64) time.Duration {
	return time.Duration(o.random.Float64() * part * float64(o.undisturbed))
}

// killService kills the service at a random time.
func (o *killedImport) killService() {
	o.t.Helper()
	time.Sleep(o.within(0.85))
	if o.running() {
		o.services++
	}
	killHard(o.t, o.server)
	o.killed = true
}

// killAtResult kills the server while it is writing the result.
func (o *killedImport) killAtResult() {
	o.t.Helper()
	for !o.writesResult() {
		if !o.running() {
			return
		}
		time.Sleep(time.Millisecond)
	}
	time.Sleep(o.within(0.01))
	if o.running() {
		o.services++
		o.results++
	}
	killHard(o.t, o.server)
	o.killed = true
}

// writesResult reports whether the rows of a run are sealed and a result file is open.
func (o *killedImport) writesResult() bool {
	blobs := filepath.Join(o.server.DataDir(), "blobs")
	sealed, _ := filepath.Glob(filepath.Join(blobs, "blobs/imports+", o.id+"+/run-*+/stage+/manifest.json"))
	small, _ := filepath.Glob(filepath.Join(blobs, "blobs/imports+", o.id+"+/run-*+/stage.parquet"))
	sealed = append(sealed, small...)
	finished, _ := filepath.Glob(filepath.Join(blobs, "blobs/imports+", o.id+"+/run-*+/result.json"))
	drafts, _ := filepath.Glob(filepath.Join(blobs, "tmp/*/*"))
	for _, draft := range drafts {
		if at, err := os.Stat(draft); err == nil && at.Size() > 0 && len(sealed) > len(finished) {
			return true
		}
	}
	return false
}

// killWorker waits and then kills a worker that is running a hook. It returns false if the
// import ends first.
func (o *killedImport) killWorker() bool {
	o.t.Helper()
	time.Sleep(max(apart, o.undisturbed/8) + o.within(0.1))
	for o.running() {
		if list := o.working(); len(list) > 0 {
			list[o.random.IntN(len(list))].kill(o.t)
			o.workers++
			return true
		}
		time.Sleep(5 * time.Millisecond)
	}
	return false
}

// startTicks is more CPU time than any runtime needs to start, in hundredths of a second.
const startTicks = 25

// working returns the workers that have run hooks. It excludes spare workers.
func (o *killedImport) working() (list []process) {
	o.t.Helper()
	for _, one := range hookWorkers(o.t, o.server) {
		if one.used() > startTicks {
			list = append(list, one)
		}
	}
	return list
}

// endGroup terminates the server and its workers together, as a service manager does. Then
// it starts the server again.
func (o *killedImport) endGroup() {
	o.t.Helper()
	time.Sleep(apart)
	workers := hookWorkers(o.t, o.server)
	o.server.Signal(syscall.SIGTERM)
	for _, one := range workers {
		_ = syscall.Kill(one.pid, syscall.SIGTERM)
	}
	// The status is 1 if the server, on a busy machine, does not close the stores in time.
	if status := o.server.Wait(); status != 0 {
		o.t.Logf("exit status %d: %s", status, o.server.Stderr())
	}
	mustEnd(o.t, workers)
	o.server.Restart()
}

// await waits until the import has ended successfully.
func (o *killedImport) await(server *livetest.Server) *livetest.Reply {
	o.t.Helper()
	o.server = server
	patience := max(2*time.Minute, 10*o.undisturbed)
	for end := time.Now().Add(patience); o.running(); time.Sleep(20 * time.Millisecond) {
		if time.Now().After(end) {
			o.t.Fatalf("the import did not end: %s", server.Stderr())
		}
	}
	return server.Call(o.t, "GET", "/api/v1/headless/imports/"+o.id+"/", nil).WantStatus(http.StatusOK)
}

// makeDue makes all garbage due for deletion. Normally, garbage is kept for 30 s, because a
// run that has lost its claim may still be writing.
func makeDue(t *testing.T, data string) {
	t.Helper()
	db, err := sql.Open("sqlite", filepath.Join(data, "intray.db"))
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if _, err := db.Exec("UPDATE trash SET due = 0"); err != nil {
		t.Fatal(err)
	}
}
