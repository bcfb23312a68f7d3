package torture

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/intraydata/intray/test/livetest"
	"github.com/intraydata/intray/test/s3test"
)

// replicas are processes that share only a database and a bucket.
type replicas struct {
	t    *testing.T
	list []*livetest.Server
	// locks hold a replica while it is killed and started again, so that only one goroutine does so.
	locks []sync.Mutex
}

// TestReplicas imports files with three processes while they are killed, connections to PostgreSQL are cut, and 30 % of
// the requests to S3 fail. Each import must end once with the right result, and each accepted file must be stored
// unchanged.
func TestReplicas(t *testing.T) {
	const rows = 400
	imports, kills, cuts := share(300), share(100), share(10)
	random := seeded(t)
	database := livetest.Postgres(t)
	bucket := s3test.Start(t)
	address, _ := bucket.Bucket(t)
	faults := s3test.NewProxy(t, bucket, s3test.Failing(0.3))
	env := append(bucket.Env(), "AWS_ENDPOINT_URL_S3="+faults.URL, "INTRAY_MASTER_KEY="+base64.StdEncoding.EncodeToString(make([]byte, 32)))
	r := &replicas{t: t, locks: make([]sync.Mutex, 3)}
	for range r.locks {
		r.list = append(r.list, livetest.Start(t, livetest.Config{Args: []string{"--database-url", database, "--blob-url", address}, Env: env}))
	}

	ids := make([]string, imports)
	sending := make(chan int)
	var group sync.WaitGroup
	for range 6 {
		group.Go(func() {
			for i := range sending {
				ids[i] = r.send(i, rows)
			}
		})
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		for i := range imports {
			sending <- i
		}
		close(sending)
		group.Wait()
	}()
	for kill := range kills {
		time.Sleep(time.Duration(random.IntN(300)) * time.Millisecond)
		at := random.IntN(len(r.list))
		r.locks[at].Lock()
		r.list[at].Kill()
		if err := r.list[at].TryRestart(); err != nil {
			t.Error(err)
		}
		r.locks[at].Unlock()
		if cuts > 0 && kill%max(1, kills/cuts) == 0 {
			cutConnections(t, database)
		}
	}
	<-done
	if t.Failed() {
		return
	}
	for i, id := range ids {
		server := r.list[i%len(r.list)]
		got := server.AwaitImport(t, id)
		if got.String("status") != "SUCCESSFUL" {
			t.Fatalf("import %d: %s", i, got.Body)
		}
		sum := sha256.Sum256(table(i, rows))
		if want := hex.EncodeToString(sum[:]); !strings.Contains(string(got.Body), want) {
			t.Fatalf("import %d has another file than %s: %s", i, want, got.Body)
		}
		checkResult(t, r.list[(i+1)%len(r.list)], id, i, rows)
	}
	checkUploads(t, r.list[0], imports)
	t.Logf("%d imports, %d kills; %d of %d requests to S3 failed", imports, kills, faults.Failed.Load(), faults.Requests.Load())
}

// send imports a file through any of the replicas, repeating requests until they are answered. It returns the id of
// the import.
func (r *replicas) send(number, rows int) string {
	try := func(request func(*livetest.Server) *http.Request, accepted ...int) *livetest.Reply {
		for attempt := range 600 {
			server := r.list[(number+attempt)%len(r.list)]
			got, err := server.TryDo(r.t, request(server))
			for _, status := range accepted {
				if err == nil && got.Status == status {
					return got
				}
			}
			if err == nil && got.Status < 500 && got.Status != http.StatusConflict && got.Status != http.StatusTooManyRequests {
				r.t.Errorf("status %d: %s", got.Status, got.Body)
				return got
			}
			time.Sleep(50 * time.Millisecond)
		}
		r.t.Error("a request was never answered")
		return nil
	}
	made := try(func(s *livetest.Server) *http.Request {
		return s.Request(r.t, "POST", "/api/v1/headless/imports/", map[string]any{"fields": schema["fields"]}, "Idempotency-Key", fmt.Sprintf("import-%d", number))
	}, http.StatusCreated)
	if made == nil || made.Status != http.StatusCreated {
		return ""
	}
	_, path, _ := strings.Cut(made.String("upload"), "/upload/")
	try(func(s *livetest.Server) *http.Request {
		return s.Request(r.t, "PUT", "/upload/"+path, table(number, rows), "X-Service-License-Key", "")
	}, http.StatusOK, http.StatusConflict) // 409 means that the file was accepted but the response was lost
	return made.String("id")
}

// cutConnections ends all connections to a database, as a restart of PostgreSQL does.
func cutConnections(t *testing.T, database string) {
	t.Helper()
	name := database[strings.LastIndex(database, "/")+1:]
	name, _, _ = strings.Cut(name, "?")
	if err := livetest.Administer("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = $1", name); err != nil {
		t.Error(err)
	}
}
