package torture

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"

	"github.com/intraydata/intray/test/livetest"
)

// reviewRows is the number of valid rows of an import that is reviewed. One row is invalid.
const reviewRows = 100

// reviewedImport is an import whose rows people change.
type reviewedImport struct {
	number     int
	id, cookie string

	mu sync.Mutex
	// acknowledged contains the names that the result must have, with the number of rows that have each.
	acknowledged map[string]int
}

// reviewImports reviews imports, two at a time.
func (r *replicas) reviewImports(count int) []*reviewedImport {
	list := make([]*reviewedImport, count)
	next := make(chan int)
	var people sync.WaitGroup
	for range 2 {
		people.Go(func() {
			for i := range next {
				list[i].review(r)
			}
		})
	}
	for i := range list {
		list[i] = &reviewedImport{number: i}
		next <- i
	}
	close(next)
	people.Wait()
	return list
}

// table returns the number of the table that is imported. Other imports have lower numbers.
func (v *reviewedImport) table() int { return 1_000_000 + v.number }

// prepare imports a file that needs a review because one row is invalid. If the test has failed,
// the id remains empty.
func (v *reviewedImport) prepare(r *replicas) {
	v.acknowledged = map[string]int{}
	for row := range reviewRows {
		v.acknowledged[fmt.Sprintf("file %d row %d", v.table(), row)] = 1
	}
	body := map[string]any{"fields": schema["fields"], "settings": map[string]any{"invalidDataBehavior": "BLOCK_SUBMIT"}}
	v.id = r.send(v.table(), body, append(table(v.table(), reviewRows), "invalid,nobody\n"...))
}

// review imports a file, changes its rows with two clients at the same time, and submits them.
func (v *reviewedImport) review(r *replicas) {
	if v.prepare(r); v.id == "" || !v.open(r) {
		return
	}
	var clients sync.WaitGroup
	for client := range 2 {
		clients.Go(func() {
			for edit := range 4 {
				v.changeName(r, client*reviewRows/2+edit)
				v.addRow(r, fmt.Sprintf("added by client %d, change %d", client, edit))
			}
		})
	}
	clients.Wait()
	v.submit(r)
}

// open waits until the import can be reviewed, and opens the review. It reports whether that succeeded.
func (v *reviewedImport) open(r *replicas) bool {
	status, link := "", ""
	// After many kills, other imports wait before this one.
	for end := time.Now().Add(10 * time.Minute); status != "NEEDS_REVIEW"; time.Sleep(50 * time.Millisecond) {
		got := v.get(r)
		if got == nil || time.Now().After(end) {
			r.t.Errorf("import %s is %q and cannot be reviewed", v.id, status)
			return false
		}
		status = got.String("status")
		link, _ = got.Object()["review_url"].(string)
	}
	address, err := url.Parse(link)
	if err != nil {
		r.t.Error(err)
		return false
	}
	opened := r.call(func(s *livetest.Server) *http.Request {
		return s.Request(r.t, "POST", "/api/review/v1/"+v.id+"/session/", nil, "X-Service-License-Key", "", "Authorization", "Bearer "+address.Fragment)
	}, http.StatusOK)
	if opened == nil {
		return false
	}
	v.cookie, _, _ = strings.Cut(opened.Header.Get("Set-Cookie"), ";")
	return true
}

// get returns the import, or nil if the test has failed.
func (v *reviewedImport) get(r *replicas) *livetest.Reply {
	return r.call(func(s *livetest.Server) *http.Request {
		return s.Request(r.t, "GET", "/api/v1/headless/imports/"+v.id+"/", nil)
	}, http.StatusOK)
}

// edit makes a change, which is repeated with the same op until it is acknowledged. It reports
// whether that succeeded.
func (v *reviewedImport) edit(r *replicas, op, change string) bool {
	return r.call(func(s *livetest.Server) *http.Request {
		return s.Request(r.t, "POST", "/api/review/v1/"+v.id+"/edits/", fmt.Sprintf(`{"op":%q,%s}`, op, change), "X-Service-License-Key", "", "Cookie", v.cookie)
	}, http.StatusOK) != nil
}

// changeName changes the name in a row to "changed row" and the number of the row.
func (v *reviewedImport) changeName(r *replicas, row int) {
	name := fmt.Sprintf("changed row %d", row)
	if !v.edit(r, name, fmt.Sprintf(`"kind":"fill","where":{"rows":["%d"]},"keys":["name"],"text":%q`, row, name)) {
		return
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	delete(v.acknowledged, fmt.Sprintf("file %d row %d", v.table(), row))
	v.acknowledged[name]++
}

// addRow adds a row. If a repeated request were executed again, there would be two.
func (v *reviewedImport) addRow(r *replicas, name string) {
	if !v.edit(r, name, fmt.Sprintf(`"kind":"add","rows":[[{"key":"name","text":%q},{"key":"email","text":"new@example.org"}]]`, name)) {
		return
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	v.acknowledged[name]++
}

// submit corrects the invalid row, and submits the rows until the import is SUCCESSFUL.
func (v *reviewedImport) submit(r *replicas) {
	if v.edit(r, "correction", fmt.Sprintf(`"kind":"fill","where":{"rows":["%d"]},"keys":["email"],"text":"somebody@example.org"`, reviewRows)) {
		v.acknowledged["invalid"]++
	}
	for end := time.Now().Add(2 * time.Minute); time.Now().Before(end); time.Sleep(50 * time.Millisecond) {
		got := v.get(r)
		if got == nil || got.String("status") == "SUCCESSFUL" {
			return
		}
		r.tryCall(r.one(), func(s *livetest.Server) *http.Request {
			return s.Request(r.t, "POST", "/api/review/v1/"+v.id+"/submit/", nil, "X-Service-License-Key", "", "Cookie", v.cookie)
		}, http.StatusOK)
	}
	r.t.Errorf("import %s was not submitted", v.id)
}

// check checks that the result has all acknowledged changes, each once.
func (v *reviewedImport) check(r *replicas) {
	r.t.Helper()
	server := r.list[v.number%len(r.list)]
	if got := server.AwaitImport(r.t, v.id); got.String("status") != "SUCCESSFUL" {
		r.t.Fatalf("reviewed import %d: %s", v.number, got.Body)
	}
	var result []map[string]string
	if err := json.Unmarshal(server.Result(r.t, v.id).Body, &result); err != nil {
		r.t.Fatal(err)
	}
	names := map[string]int{}
	for _, row := range result {
		names[row["name"]]++
	}
	for name, n := range v.acknowledged {
		if names[name] != n {
			r.t.Errorf("reviewed import %d has %d rows %q, want %d", v.number, names[name], name, n)
		}
	}
	if len(names) != len(v.acknowledged) {
		r.t.Errorf("reviewed import %d has %d names, want %d", v.number, len(names), len(v.acknowledged))
	}
}
