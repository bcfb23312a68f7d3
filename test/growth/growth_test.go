// Package growth measures how the cost of calls grows with the number of stored rows.
//
// It fills a database with copies of rows that the built program wrote, and compares calls before
// and after. INTRAY_GROWTH is the number of imports, 20,000 by default.
package growth

import (
	"database/sql"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/intraydata/intray/test/livetest"
	"github.com/intraydata/intray/test/suite"
)

func TestMain(m *testing.M) {
	status := suite.Run(m, suite.Growth)
	livetest.Cleanup()
	os.Exit(status)
}

const (
	importsPath = "/api/v1/headless/imports/"
	uploadsPath = "/api/v1/uploads/"
	// calls is the number of times that a call is measured.
	calls = 60
	// page is the number of rows in a page.
	page = 100
	// few is the number of imports in a database with few rows. Its lists have at least a page.
	few = 2000
	// maxMappings is the number of learned mappings that the service keeps of one import identifier.
	maxMappings = 10_000
)

// TestGrowth prints a table of calls, with their medians in a database with few rows and in a full one.
func TestGrowth(t *testing.T) {
	imports := 20_000
	if text := os.Getenv("INTRAY_GROWTH"); text != "" {
		n, err := strconv.Atoi(text)
		if err != nil || n < few {
			t.Fatalf("INTRAY_GROWTH=%s is not a number of at least 2,000", text)
		}
		imports = n
	}
	t.Run("sqlite", func(t *testing.T) {
		data := filepath.Join(t.TempDir(), "data")
		measure(t, imports, livetest.Config{Data: data}, "sqlite", "file:"+filepath.Join(data, "intray.db")+"?_pragma=synchronous(0)&_pragma=journal_mode(WAL)")
	})
	t.Run("postgres", func(t *testing.T) {
		database := livetest.Postgres(t)
		measure(t, imports, livetest.Config{Args: []string{"--database-url", database}}, "pgx", database)
	})
}

func measure(t *testing.T, imports int, cfg livetest.Config, driver, source string) {
	f := &filled{t: t}
	receiver := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		if f.hangs.Load() {
			<-r.Context().Done()
		}
	}))
	t.Cleanup(receiver.Close)
	metrics := livetest.FreeAddress(t)
	cfg.Args = append(cfg.Args, "--egress-allow", "127.0.0.0/8", "--metrics-listen", metrics)
	server := livetest.Start(t, cfg)
	f.server, f.metrics = server, "http://"+metrics+"/metrics"
	from := f.prepare(receiver.URL)
	db, err := sql.Open(driver, source)
	if err != nil {
		t.Fatal(err)
	}
	s := &seeder{t, db, driver == "pgx"}
	server.Kill()
	s.addOrgs()
	began := time.Now()
	s.seed(from, 0, few, page)
	server.Restart()
	before := f.measureAll("few rows", page)
	server.Kill()
	s.seed(from, few, imports, maxMappings)
	t.Logf("seeding %d imports took %.0f s", imports, time.Since(began).Seconds())
	server.Restart()
	after := f.measureAll("full", maxMappings)
	f.print(before, after)
	f.measureRetention(s)
	server.Kill()
	f.measureBacklog(s)
	if err := db.Close(); err != nil {
		t.Error(err)
	}
}

// filled is a server whose database is filled.
type filled struct {
	t       *testing.T
	server  *livetest.Server
	webhook string
	// metrics is the URL of the metrics.
	metrics string
	// hangs makes the receiver of the webhook respond to nothing.
	hangs atomic.Bool
}

type m = map[string]any

func document(identifier string) m {
	return m{"fields": []any{m{"key": "name", "label": "Name"}, m{"key": "email", "label": "E-mail", "type": "email"}}, "settings": m{"importIdentifier": identifier}}
}

// file returns a file of 100 rows.
func file() string {
	var b strings.Builder
	b.WriteString("name,email\n")
	for row := range 100 {
		fmt.Fprintf(&b, "Person %d,person%d@example.org\n", row, row)
	}
	return b.String()
}

// run imports a file of 100 rows and returns the id of the import.
func (f *filled) run(identifier string) string {
	id, address := f.server.CreateImport(f.t, document(identifier))
	f.server.Upload(f.t, address, file()).WantStatus(http.StatusOK)
	if got := f.server.AwaitImport(f.t, id); got.String("status") != "SUCCESSFUL" {
		f.t.Fatalf("import %s: %s", id, got.Body)
	}
	return id
}

// prepare creates a page of each kind of row through the API, and returns those that can be copied.
func (f *filled) prepare(receiver string) (from templates) {
	s := f.server
	f.webhook = s.Call(f.t, "POST", "/api/v1/webhooks/", m{"url": receiver}).WantStatus(http.StatusCreated).String("id")
	var ids []string
	for n := range page {
		ids = append(ids, f.run("contacts"))
		schema := document("contacts")
		schema["name"] = fmt.Sprint("few ", n)
		from.schemaID = s.Call(f.t, "POST", "/api/v1/schemas/", schema).WantStatus(http.StatusCreated).String("id")
	}
	from.importID = ids[0]
	from.uploadID = s.Call(f.t, "GET", importsPath+ids[0]+"/", nil).Object()["result_metadata"].(m)["id"].(string)
	s.Call(f.t, "POST", importsPath, document("contacts"), "Idempotency-Key", "once").WantStatus(http.StatusCreated)
	s.Call(f.t, "POST", "/api/widget/session/v2/auth/", m{}).WantStatus(http.StatusCreated)
	f.learn()
	gone := f.run("contacts")
	s.Call(f.t, "DELETE", importsPath+gone+"/", nil).WantStatus(http.StatusNoContent)
	for end := time.Now().Add(time.Minute); ; time.Sleep(100 * time.Millisecond) {
		list := s.Call(f.t, "GET", "/api/v1/webhooks/"+f.webhook+"/deliveries/", nil).WantStatus(http.StatusOK).Object()["results"].([]any)
		for _, one := range list {
			if one.(m)["status"] == "DELIVERED" {
				from.deliveryID = one.(m)["id"].(string)
				return from
			}
		}
		if time.Now().After(end) {
			f.t.Fatalf("no delivery: %.1000v", list)
		}
	}
}

// learn imports a file with a question, and answers it, so that a mapping is learned.
func (f *filled) learn() {
	s := f.server
	id, address := s.CreateImport(f.t, document("learned"))
	s.Upload(f.t, address, "Zq,Xy\nAda,ada@example.org\n").WantStatus(http.StatusOK)
	s.AwaitImport(f.t, id)
	s.Call(f.t, "POST", importsPath+id+"/questions/", m{"answers": m{"column:name": "0", "column:email": "1"}}).WantStatus(http.StatusOK)
	if got := s.AwaitImport(f.t, id); got.String("status") != "SUCCESSFUL" {
		f.t.Fatalf("the import with an answer: %s", got.Body)
	}
}

// timing is the durations of one call.
type timing struct {
	name string
	took []time.Duration
}

// measureAll measures all calls. An import identifier has the given number of learned mappings.
func (f *filled) measureAll(state string, mappings int) (all []timing) {
	add := func(name string, n int, call func(n int)) {
		one := timing{name: name}
		for i := range n {
			began := time.Now()
			call(i)
			one.took = append(one.took, time.Since(began))
		}
		slices.Sort(one.took)
		all = append(all, one)
	}
	get := func(path string) func(int) {
		return func(int) { f.server.Call(f.t, "GET", path, nil).WantStatus(http.StatusOK) }
	}
	f.run("contacts") // warms up the process
	var made []string
	add("create an import", calls, func(int) {
		id, _ := f.server.CreateImport(f.t, document("contacts"))
		made = append(made, id)
	})
	add("run an import of 100 rows", 30, func(int) { f.run("contacts") })
	learned := fmt.Sprintf("%d mappings", mappings)
	add("run one with learned mappings", 30, func(int) { f.run(learned) })
	add("retrieve an import", calls, get(importsPath+made[0]+"/"))
	add("delete an import", calls-1, func(n int) {
		f.server.Call(f.t, "DELETE", importsPath+made[n+1]+"/", nil).WantStatus(http.StatusNoContent)
	})
	add("list imports", calls, get(importsPath))
	add("imports in the middle of the list", calls, get(f.middle(importsPath+"?offset=", true)))
	add("list uploads", calls, get(uploadsPath+"?end=100"))
	add("uploads in the middle of the list", calls, get(f.middle(uploadsPath+"?start=", false)))
	day := time.Now().Add(-24 * time.Hour).UTC().Format(time.DateOnly)
	add("uploads since yesterday", calls, get(uploadsPath+"?end=100&start_date="+day))
	add("list schemas", calls, get("/api/v1/schemas/?limit=100"))
	add("list deliveries", calls, get("/api/v1/webhooks/"+f.webhook+"/deliveries/"))
	add("list learned mappings", calls, get("/api/v1/headless/memory/?import_identifier="+url.QueryEscape(learned)))
	add("list receipts", calls, get("/api/v1/receipts/"))
	add("create a session", calls, func(int) {
		f.server.Call(f.t, "POST", "/api/widget/session/v2/auth/", m{}).WantStatus(http.StatusCreated)
	})
	add("collect the metrics", calls, get(f.metrics))
	f.t.Logf("%s: peak memory %d MiB", state, f.server.PeakMemory()>>20)
	return all
}

// middle returns the URL of a page with a cursor in the middle of a list.
func (f *filled) middle(path string, hasNext bool) string {
	position := 500_000
	for ; position > 0; position /= 2 {
		address := path + strconv.Itoa(position) + "&limit=100"
		if !hasNext {
			address = path + strconv.Itoa(position) + "&end=" + strconv.Itoa(position+page)
		}
		reply := f.server.Call(f.t, "GET", address, nil).WantStatus(http.StatusOK)
		next, _ := reply.Object()["next"].(string)
		if !hasNext {
			next = strings.Trim(strings.Split(reply.Header.Get("Link"), ";")[0], "<>")
		}
		if u, err := url.Parse(next); err == nil && next != "" {
			return u.RequestURI()
		}
	}
	if hasNext {
		return path + "0&limit=100"
	}
	return path + "0&end=100"
}

func (f *filled) print(before, after []timing) {
	milliseconds := func(took []time.Duration, share float64) float64 {
		return float64(took[int(share*float64(len(took)-1))]) / float64(time.Millisecond)
	}
	var b strings.Builder
	fmt.Fprintf(&b, "\n| call | few rows, ms | full, ms | full, p95 | ratio |\n|---|---|---|---|---|\n")
	for i, one := range before {
		few, full := milliseconds(one.took, 0.5), milliseconds(after[i].took, 0.5)
		fmt.Fprintf(&b, "| %s | %.1f | %.1f | %.1f | %.1f |\n", one.name, few, full, milliseconds(after[i].took, 0.95), full/few)
	}
	f.t.Log(b.String())
}
