package torture

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"math/rand/v2"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/intraydata/intray/test/livetest"
	"github.com/intraydata/intray/test/s3test"
)

// replicas are processes that share only a database and a bucket.
type replicas struct {
	t    *testing.T
	list []*livetest.Server
	// database is the URL of the database, without proxies.
	database string
	// locks hold a replica while it is killed and started again, so that only one goroutine does so.
	locks []sync.Mutex
	// unavailable counts the calls that failed with a status that asks to try again, and broken
	// those without a response.
	unavailable, broken atomic.Int64
}

// startReplicas starts a number of replicas with the same flags and environment. The flags select
// the database and the bucket.
func startReplicas(t *testing.T, count int, database string, cfg livetest.Config) *replicas {
	t.Helper()
	cfg.Env = append(cfg.Env[:len(cfg.Env):len(cfg.Env)], "INTRAY_MASTER_KEY="+base64.StdEncoding.EncodeToString(make([]byte, 32)))
	r := &replicas{t: t, database: database, locks: make([]sync.Mutex, count)}
	for range count {
		r.list = append(r.list, livetest.Start(t, cfg))
	}
	t.Cleanup(func() {
		for i, server := range r.list {
			if t.Failed() {
				log := server.Stderr()
				t.Logf("end of the log of replica %d:\n%s", i, log[max(0, len(log)-3000):])
			}
		}
	})
	return r
}

// one returns a random replica, which may be down.
func (r *replicas) one() *livetest.Server { return r.list[rand.IntN(len(r.list))] }

// call sends a request to random replicas until the status is an accepted one. Until then,
// connections may break, and replicas may respond with 409, 423, 429 or 503. Any other status fails
// the test, and call returns nil.
func (r *replicas) call(request func(*livetest.Server) *http.Request, accepted ...int) *livetest.Reply {
	r.t.Helper()
	for end := time.Now().Add(2 * time.Minute); time.Now().Before(end); time.Sleep(50 * time.Millisecond) {
		if got, ok := r.tryCall(r.one(), request, accepted...); ok {
			return got
		}
	}
	sent := request(r.list[0])
	r.t.Errorf("%s %s was never answered", sent.Method, sent.URL.Path)
	return nil
}

// tryCall sends a request to a replica. It returns false if the client must try again. If the
// status is an unexpected one, the test fails, and tryCall returns nil and true.
func (r *replicas) tryCall(server *livetest.Server, request func(*livetest.Server) *http.Request, accepted ...int) (*livetest.Reply, bool) {
	r.t.Helper()
	sent := request(server)
	got, err := server.TryDo(r.t, sent)
	if err != nil {
		r.broken.Add(1)
		return nil, false
	}
	for _, status := range accepted {
		if got.Status == status {
			return got, true
		}
	}
	switch got.Status {
	case http.StatusConflict, http.StatusLocked, http.StatusTooManyRequests, http.StatusServiceUnavailable:
		r.unavailable.Add(1)
		return nil, false
	}
	r.t.Errorf("%s %s: status %d: %s", sent.Method, sent.URL.Path, got.Status, got.Body)
	return nil, true
}

// send imports a file and returns the id of the import, or "" if the test has failed.
func (r *replicas) send(number int, body map[string]any, file []byte) (id string) {
	r.t.Helper()
	made := r.call(func(s *livetest.Server) *http.Request {
		return s.Request(r.t, "POST", "/api/v1/headless/imports/", body, "Idempotency-Key", fmt.Sprintf("import-%d", number))
	}, http.StatusCreated)
	if made == nil {
		return ""
	}
	_, path, _ := strings.Cut(made.String("upload"), "/upload/")
	r.call(func(s *livetest.Server) *http.Request {
		return s.Request(r.t, "PUT", "/upload/"+path, file, "X-Service-License-Key", "")
	}, http.StatusOK, http.StatusConflict) // 409 means that the file was accepted but the response was lost
	return made.String("id")
}

// sendTables imports tables with the given first number, several at a time. It returns the ids of
// the imports.
func (r *replicas) sendTables(first, count, rows int) []string {
	ids := make([]string, count)
	next := make(chan int)
	var clients sync.WaitGroup
	for range min(6, count) {
		clients.Go(func() {
			for i := range next {
				ids[i] = r.send(first+i, map[string]any{"fields": schema["fields"]}, table(first+i, rows))
			}
		})
	}
	for i := range ids {
		next <- i
	}
	close(next)
	clients.Wait()
	return ids
}

// kill kills a replica and starts it again.
func (r *replicas) kill(at int) {
	r.t.Helper()
	r.locks[at].Lock()
	defer r.locks[at].Unlock()
	r.list[at].Kill()
	r.start(at)
}

// start starts a replica that was killed. It tries again if the process ends because a store is
// down. The caller must hold the lock of the replica.
func (r *replicas) start(at int) {
	r.t.Helper()
	var err error
	for end := time.Now().Add(time.Minute); time.Now().Before(end); time.Sleep(100 * time.Millisecond) {
		if err = r.list[at].TryRestart(); err == nil {
			return
		}
		r.list[at].Kill()
	}
	r.t.Errorf("replica %d did not start again: %v", at, err)
}

// checkTables checks that each import ended as SUCCESSFUL, with the file that was sent and with its
// rows.
func (r *replicas) checkTables(ids []string, first, rows int) {
	r.t.Helper()
	for i, id := range ids {
		got := r.list[i%len(r.list)].AwaitImport(r.t, id)
		if got.String("status") != "SUCCESSFUL" {
			r.t.Fatalf("import %d: %s", first+i, got.Body)
		}
		sum := sha256.Sum256(table(first+i, rows))
		if want := hex.EncodeToString(sum[:]); !strings.Contains(string(got.Body), want) {
			r.t.Fatalf("import %d has another file than %s: %s", first+i, want, got.Body)
		}
		checkResult(r.t, r.list[(i+1)%len(r.list)], id, first+i, rows)
	}
}

// checkListedOnce checks that the list of uploads has one entry for each import, and no others.
func (r *replicas) checkListedOnce(ids []string) {
	r.t.Helper()
	listed := map[string]int{}
	for _, item := range r.list[0].Call(r.t, "GET", "/api/v1/uploads/", nil).WantStatus(http.StatusOK).Object()["data"].([]any) {
		listed[item.(map[string]any)["id"].(string)]++
	}
	for _, id := range ids {
		got := r.list[0].Call(r.t, "GET", "/api/v1/headless/imports/"+id+"/", nil).WantStatus(http.StatusOK).Object()
		upload := got["result_metadata"].(map[string]any)["id"].(string)
		if listed[upload] != 1 {
			r.t.Errorf("the upload of import %s is listed %d times", id, listed[upload])
		}
	}
	if len(listed) != len(ids) {
		r.t.Errorf("%d uploads are listed, want %d", len(listed), len(ids))
	}
}

// TestReplicas imports files, reviews rows, opens sessions, and transfers files over SFTP with
// three processes. Meanwhile, the processes are killed, PostgreSQL and the SFTP server are
// restarted, PostgreSQL is frozen, 30 % of the requests to S3 fail, and 10 % are slow. Each import
// must end once with the right result. What was acknowledged must have happened, and only once.
func TestReplicas(t *testing.T) {
	t.Parallel() // it spends most of its time waiting
	const rows = 400
	imports, reviews, files := share(300), share(30), share(40)
	random := seeded(t)
	postgres := livetest.StartPostgres(t)
	bucket := s3test.Start(t)
	address, _ := bucket.Bucket(t)
	faults := s3test.NewProxy(t, bucket, s3test.Faults{})
	r := startReplicas(t, 3, postgres.URL, livetest.Config{
		Args: []string{"--database-url", postgres.URL, "--blob-url", address, "--egress-allow", "127.0.0.0/8"},
		Env:  append(bucket.Env(), "AWS_ENDPOINT_URL_S3="+faults.URL),
	})
	receiver := newReceiverOfEvents(r)
	transfers := newTransfers(r)
	during := s3test.Failing(0.3)
	during.Slow = 0.1
	faults.SetFaults(during)

	began := time.Now()
	var ids []string
	var reviewed []*reviewedImport
	var work, sessions sync.WaitGroup
	work.Go(func() { ids = r.sendTables(0, imports, rows) })
	work.Go(func() { reviewed = r.reviewImports(reviews) })
	work.Go(func() { transfers.addFiles(files) })
	sessionsEnd := make(chan struct{})
	sessions.Go(func() { r.deleteSessions(sessionsEnd) })
	r.causeOutages(random, postgres, transfers)
	work.Wait()
	close(sessionsEnd)
	sessions.Wait()
	faults.SetFaults(s3test.Faults{})
	t.Logf("after %.1f s: %d of %d requests to S3 failed and %d were slow; %d calls got no response, and %d one to try again", time.Since(began).Seconds(),
		faults.Failed.Load(), faults.Requests.Load(), faults.Slow.Load(), r.broken.Load(), r.unavailable.Load())
	if t.Failed() {
		return
	}
	taken := r.measureTakeover(imports, share(10))
	r.checkTables(ids, 0, rows)
	r.checkTables(taken, imports, takeoverRows)
	for _, one := range reviewed {
		one.check(r)
		ids = append(ids, one.id)
	}
	ids = append(append(ids, taken...), transfers.check()...)
	r.checkListedOnce(ids)
	receiver.check(ids)
	t.Logf("all results were checked after %.1f s", time.Since(began).Seconds())
}

// causeOutages kills replicas, and meanwhile restarts PostgreSQL and the SFTP server, and freezes
// PostgreSQL.
func (r *replicas) causeOutages(random *rand.Rand, postgres *livetest.PostgresServer, transfers *transfers) {
	r.t.Helper()
	kills, restarts := share(100), share(10)
	failures := 0
	var outages sync.WaitGroup
	for kill := range kills {
		time.Sleep(time.Duration(random.IntN(300)) * time.Millisecond)
		if restarts > 0 && kill%max(1, kills/restarts) == 0 {
			outages.Wait()
			down := time.Duration(random.IntN(1500)) * time.Millisecond
			if failures++; failures == 3 {
				down = 12 * time.Second // longer than the time without a heartbeat after which a process stops its imports
			}
			outages.Go(func() {
				postgres.Stop()
				time.Sleep(down)
				postgres.Start()
				time.Sleep(down / 2)
				postgres.Freeze()
				time.Sleep(down / 2)
				postgres.Unfreeze()
			})
			outages.Go(func() { transfers.restart(down / 4) })
		}
		r.kill(random.IntN(len(r.list)))
	}
	outages.Wait()
	r.t.Logf("%d kills, %d restarts of PostgreSQL and of the SFTP server", kills, failures)
}

// folderID returns the name of a replica in the database, which is the first part of its node.
func folderID(t *testing.T, server *livetest.Server) string {
	t.Helper()
	name, err := os.ReadFile(filepath.Join(server.DataDir(), "folder.id"))
	if err != nil {
		t.Fatal(err)
	}
	return string(name)
}
