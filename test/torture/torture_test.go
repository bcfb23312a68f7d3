// Package torture repeatedly kills the running service and checks that nothing is lost and that
// nothing happens twice. Apart from HTTP requests, it uses only signals, the process table, the data
// folder and, to see which process runs an import, the database.
//
// By default, each test does only a tenth of its work. If INTRAY_TORTURE=full, the tests do
// all of it. Set INTRAY_TORTURE_SEED to repeat a run with the same random numbers.
package torture

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http"
	"os"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/intraydata/intray/test/livetest"
	"github.com/intraydata/intray/test/s3test"
	"github.com/intraydata/intray/test/suite"
)

func TestMain(m *testing.M) {
	status := suite.Run(m, suite.Torture)
	livetest.Cleanup()
	os.Exit(status)
}

// share returns its argument if INTRAY_TORTURE=full, and otherwise a tenth of it, but at least
// 1.
func share(whole int) int {
	if os.Getenv("INTRAY_TORTURE") == "full" {
		return whole
	}
	return max(1, whole/10)
}

func seeded(t *testing.T) *rand.Rand {
	seed := uint64(20261121)
	if text := os.Getenv("INTRAY_TORTURE_SEED"); text != "" {
		given, err := strconv.ParseUint(text, 10, 64)
		if err != nil {
			t.Fatal(err)
		}
		seed = given
	}
	t.Logf("INTRAY_TORTURE_SEED=%d", seed)
	return rand.New(rand.NewPCG(seed, seed))
}

// databases runs a test once for each available database, with the flags that select it.
func databases(t *testing.T, test func(t *testing.T, args []string)) {
	t.Run("sqlite", func(t *testing.T) { test(t, nil) })
	t.Run("postgres", func(t *testing.T) { test(t, []string{"--database-url", livetest.Postgres(t)}) })
}

// stores is like databases, and also runs the test with PostgreSQL and files in S3.
func stores(t *testing.T, test func(t *testing.T, args []string)) {
	databases(t, test)
	t.Run("postgres-s3", func(t *testing.T) {
		database := livetest.Postgres(t)
		address, _ := bucketServer(t).Bucket(t)
		test(t, []string{"--database-url", database, "--blob-url", address})
	})
}

var buckets struct {
	sync.Mutex
	server *s3test.Server
}

// bucketServer returns an S3 server that all tests share, and sets the environment variables of its
// clients.
func bucketServer(t *testing.T) *s3test.Server {
	t.Helper()
	buckets.Lock()
	defer buckets.Unlock()
	if buckets.server != nil {
		return buckets.server
	}
	buckets.server = s3test.Start(livetest.PackageScope(t))
	for _, variable := range buckets.server.Env() {
		name, value, _ := strings.Cut(variable, "=")
		if err := os.Setenv(name, value); err != nil {
			t.Fatal(err)
		}
	}
	return buckets.server
}

// table returns a file whose rows contain the number of the file.
func table(number, rows int) []byte {
	var b bytes.Buffer
	b.WriteString("name,email\n")
	for row := range rows {
		fmt.Fprintf(&b, "file %d row %d,user%d@example.org\n", number, row, row)
	}
	return b.Bytes()
}

var schema = map[string]any{
	"fields": []any{
		map[string]any{"key": "name", "label": "Name"},
		map[string]any{"key": "email", "label": "E-mail", "type": "email"},
	},
}

// checkResult checks that the result contains each row of the file once.
func checkResult(t *testing.T, server *livetest.Server, id string, number, rows int) {
	t.Helper()
	checkRows(t, server.Result(t, id).Body, number, rows)
}

// checkRows checks that a result in JSON contains each row of the file once.
func checkRows(t *testing.T, text []byte, number, rows int) {
	t.Helper()
	var result []map[string]string
	if err := json.Unmarshal(text, &result); err != nil {
		t.Fatal(err)
	}
	if len(result) != rows {
		t.Fatalf("import %d has %d rows, want %d", number, len(result), rows)
	}
	for row, got := range result {
		if want := fmt.Sprintf("file %d row %d", number, row); got["name"] != want {
			t.Fatalf("import %d row %d is %q", number, row, got["name"])
		}
	}
}

func checkUploads(t *testing.T, server *livetest.Server, want int) {
	t.Helper()
	list := server.Call(t, "GET", "/api/v1/uploads/", nil).WantStatus(http.StatusOK).Object()
	if got := len(list["data"].([]any)); got != want {
		t.Fatalf("%d uploads are listed, want %d: each import has one result", got, want)
	}
}

// TestCrashPoints crashes the server at each named point, the first and the third time that it is
// reached, and checks that a client that repeats its requests creates each import exactly once.
func TestCrashPoints(t *testing.T) {
	binary := livetest.BuildBinary(t, "crashpoints")
	run := databases
	if os.Getenv("INTRAY_TORTURE") == "full" {
		run = stores
	}
	points := []string{
		"rows.stored", "import.created", "upload.stored", "upload.accepted",
		"run.claimed", "run.staged", "run.result", "run.finished",
	}
	for _, point := range points {
		for _, nth := range []string{"1", "3"} {
			t.Run(point+":"+nth, func(t *testing.T) {
				run(t, func(t *testing.T, args []string) { crashAt(t, binary, args, point+":"+nth) })
			})
		}
	}
}

// crashAt runs four imports with a server that crashes at a point. One of the imports has
// its rows in the request.
func crashAt(t *testing.T, binary string, args []string, point string) {
	const rows = 500
	data, crashes := t.TempDir(), 0
	server := livetest.Start(t, livetest.Config{Binary: binary, Data: data, Args: args, Env: []string{"INTRAY_CRASH_AT=" + point}})
	revive := func() {
		select {
		case <-server.Exited():
			crashes++
			server = livetest.Start(t, livetest.Config{Data: data, Args: args})
		default:
		}
	}
	var ids []string
	for i := range 4 {
		ids = append(ids, importWithRetries(t, &server, revive, i, rows))
	}
	began := time.Now()
	for _, id := range ids {
		for status := ""; status != "SUCCESSFUL"; time.Sleep(20 * time.Millisecond) {
			revive()
			request := server.Request(t, "GET", "/api/v1/headless/imports/"+id+"/", nil)
			if got, err := server.TryDo(t, request); err == nil {
				status = got.WantStatus(http.StatusOK).String("status")
			}
			if time.Since(began) > 20*time.Second {
				t.Fatalf("an import is stuck in %s", status)
			}
		}
	}
	if crashes == 0 && strings.HasSuffix(point, ":1") {
		revive()
		if crashes == 0 {
			t.Fatalf("the service never reached %s", point)
		}
	}
	server = restartWithoutCrashes(t, server, data, args)
	for i, id := range ids {
		checkResult(t, server, id, i, rows)
	}
	checkUploads(t, server, len(ids))
	total := server.Call(t, "GET", "/api/v1/headless/imports/", nil).Object()["count"]
	if total != float64(len(ids)) {
		t.Fatalf("there are %v imports, want %d: a repeated creation created another", total, len(ids))
	}
}

// restartWithoutCrashes restarts the server without crash points.
func restartWithoutCrashes(t *testing.T, server *livetest.Server, data string, args []string) *livetest.Server {
	server.Kill()
	return livetest.Start(t, livetest.Config{Data: data, Args: args})
}

// importWithRetries creates an import and uploads its file. It repeats each request until there
// is a response. The creation always has the same idempotency key.
func importWithRetries(t *testing.T, server **livetest.Server, revive func(), number, rows int) string {
	t.Helper()
	body := map[string]any{"fields": schema["fields"]}
	if number == 1 {
		body["initial_data"] = inlineRows(number, rows)
	}
	try := func(request func() *http.Request, accepted ...int) *livetest.Reply {
		for range 200 {
			revive()
			got, err := (*server).TryDo(t, request())
			if err == nil {
				for _, status := range accepted {
					if got.Status == status {
						return got
					}
				}
				if got.Status != http.StatusConflict {
					t.Fatalf("status %d: %s", got.Status, got.Body)
				}
			}
			time.Sleep(20 * time.Millisecond)
		}
		t.Fatal("the request was never answered")
		return nil
	}
	made := try(func() *http.Request {
		return (*server).Request(t, "POST", "/api/v1/headless/imports/", body, "Idempotency-Key", fmt.Sprintf("import-%d", number))
	}, http.StatusCreated)
	if number == 1 {
		return made.String("id")
	}
	_, path, _ := strings.Cut(made.String("upload"), "/upload/")
	try(func() *http.Request {
		return (*server).Request(t, "PUT", "/upload/"+path, table(number, rows), "X-Service-License-Key", "")
	}, http.StatusOK, http.StatusConflict) // 409 means that the file was accepted but the response was lost
	return made.String("id")
}

func inlineRows(number, rows int) []map[string]string {
	list := make([]map[string]string, rows)
	for row := range list {
		list[row] = map[string]string{"name": fmt.Sprintf("file %d row %d", number, row), "email": fmt.Sprintf("user%d@example.org", row)}
	}
	return list
}

// TestUploadsSurvive kills the server while files are being uploaded. A file whose upload
// returned 200 must be stored completely. Any other file must be accepted again.
func TestUploadsSurvive(t *testing.T) {
	random := seeded(t)
	server := livetest.Start(t, livetest.Config{})
	for round := range share(50) {
		const imports, rows = 8, 2000
		ids, addresses := make([]string, imports), make([]string, imports)
		for i := range ids {
			ids[i], addresses[i] = server.CreateImport(t, schema)
		}
		answered := make([]bool, imports)
		var group sync.WaitGroup
		for i := range ids {
			group.Go(func() {
				got, err := server.TryDo(t, server.Request(t, "PUT", addresses[i], table(i, rows), "X-Service-License-Key", ""))
				answered[i] = err == nil && got.Status == http.StatusOK
			})
		}
		time.Sleep(time.Duration(random.IntN(60)) * time.Millisecond)
		server.Kill()
		group.Wait()
		server.Restart()
		for i, id := range ids {
			got := server.Call(t, "GET", "/api/v1/headless/imports/"+id+"/", nil).WantStatus(http.StatusOK)
			if got.String("status") == "AWAITING_UPLOAD" {
				if answered[i] {
					t.Fatalf("round %d: upload %d was answered with 200 and is lost", round, i)
				}
				server.Upload(t, got.String("upload"), table(i, rows)).WantStatus(http.StatusOK)
			}
			if got := server.AwaitImport(t, id); got.String("status") != "SUCCESSFUL" {
				t.Fatalf("import %d: %s", i, got.Body)
			}
			checkResult(t, server, id, i, rows)
		}
	}
}
