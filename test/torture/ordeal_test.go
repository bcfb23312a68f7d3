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
	_ "modernc.org/sqlite" // the store of a data folder
)

// ordeal is what an import goes through, and counts the kills that met it while
// it ran.
type ordeal struct {
	t      *testing.T
	random *rand.Rand
	server *livetest.Server
	id     string
	// calm is how long the import takes when nobody disturbs it.
	calm time.Duration
	// killed says that the service does not run.
	killed bool

	services, results, workers int
}

// torment kills the service so many times, by turns at any moment and, after a
// worker was killed, while the result is written. Then it kills workers until
// they are as many, and at last it ends the whole group as a system does that
// stops a service. It goes no further where the import has ended.
func (o *ordeal) torment(kills int) {
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
	if o.underWay() {
		o.endGroup()
	}
}

// status of the import.
func (o *ordeal) status() string {
	o.t.Helper()
	return o.server.Call(o.t, "GET", "/api/v1/headless/imports/"+o.id+"/", nil).WantStatus(http.StatusOK).String("status")
}

// underWay says that the import has not ended. It must not have failed.
func (o *ordeal) underWay() bool {
	o.t.Helper()
	status := o.status()
	if status != "PENDING" && status != "RUNNING" && status != "SUCCESSFUL" {
		o.t.Fatalf("the import is %s: %s", status, o.server.Call(o.t, "GET", "/api/v1/headless/imports/"+o.id+"/", nil).Body)
	}
	return status != "SUCCESSFUL"
}

// within gives a moment in a part of the time that the import takes.
func (o *ordeal) within(part float64) time.Duration {
	return time.Duration(o.random.Float64() * part * float64(o.calm))
}

// killService waits for its moment.
func (o *ordeal) killService() {
	o.t.Helper()
	time.Sleep(o.within(0.85))
	if o.underWay() {
		o.services++
	}
	killHard(o.t, o.server)
	o.killed = true
}

// killAtResult kills the service while it writes the result.
func (o *ordeal) killAtResult() {
	o.t.Helper()
	for !o.writesResult() {
		if !o.underWay() {
			return
		}
		time.Sleep(time.Millisecond)
	}
	time.Sleep(o.within(0.01))
	if o.underWay() {
		o.services++
		o.results++
	}
	killHard(o.t, o.server)
	o.killed = true
}

// writesResult says whether the rows of a run are sealed and a file is begun.
func (o *ordeal) writesResult() bool {
	blobs := filepath.Join(o.server.DataDir(), "blobs")
	sealed, _ := filepath.Glob(filepath.Join(blobs, "blobs/imports+", o.id+"+/run-*+/stage+/manifest.json"))
	finished, _ := filepath.Glob(filepath.Join(blobs, "blobs/imports+", o.id+"+/run-*+/result.json"))
	drafts, _ := filepath.Glob(filepath.Join(blobs, "tmp/*/*"))
	for _, draft := range drafts {
		if at, err := os.Stat(draft); err == nil && at.Size() > 0 && len(sealed) > len(finished) {
			return true
		}
	}
	return false
}

// killWorker waits for its moment and kills a worker that works. It says false
// where the import ended before.
func (o *ordeal) killWorker() bool {
	o.t.Helper()
	time.Sleep(max(apart, o.calm/8) + o.within(0.1))
	for o.underWay() {
		if list := o.working(); len(list) > 0 {
			list[o.random.IntN(len(list))].kill(o.t)
			o.workers++
			return true
		}
		time.Sleep(5 * time.Millisecond)
	}
	return false
}

// startTicks is more processor time, in hundredths of a second, than any runtime
// takes to start.
const startTicks = 25

// working are the workers that have run hooks, and are more than spares.
func (o *ordeal) working() (list []process) {
	o.t.Helper()
	for _, one := range hookWorkers(o.t, o.server) {
		if one.used() > startTicks {
			list = append(list, one)
		}
	}
	return list
}

// endGroup asks the service and all its workers at once to end, as a system
// does that stops a service, and starts it again.
func (o *ordeal) endGroup() {
	o.t.Helper()
	time.Sleep(apart)
	workers := hookWorkers(o.t, o.server)
	o.server.Signal(syscall.SIGTERM)
	for _, one := range workers {
		_ = syscall.Kill(one.pid, syscall.SIGTERM)
	}
	// It is 1 where the machine is too busy to close the stores in time.
	if status := o.server.Wait(); status != 0 {
		o.t.Logf("exit status %d: %s", status, o.server.Stderr())
	}
	mustEnd(o.t, workers)
	o.server.Restart()
}

// await waits until the import has ended, and makes sure that it ended well.
func (o *ordeal) await(server *livetest.Server) *livetest.Reply {
	o.t.Helper()
	o.server = server
	patience := max(2*time.Minute, 10*o.calm)
	for end := time.Now().Add(patience); o.underWay(); time.Sleep(20 * time.Millisecond) {
		if time.Now().After(end) {
			o.t.Fatalf("the import does not end: %s", server.Stderr())
		}
	}
	return server.Call(o.t, "GET", "/api/v1/headless/imports/"+o.id+"/", nil).WantStatus(http.StatusOK)
}

// makeDue lets the time pass after which rubbish is removed: half a minute, in
// which a run that does not know that it is lost may still write.
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
