package torture

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/intraydata/intray/test/livetest"
)

// frozenFor is how long a process is frozen. After 7 s without a heartbeat, others take over its imports.
const frozenFor = 15 * time.Second

// TestFrozenReplica freezes a process that runs imports, receives a file and has rows under review. Another process takes
// over all of them. When the first one continues, it must not overwrite anything: its runs are discarded, the rest of its
// file is refused, and it shows the changes that were made meanwhile.
func TestFrozenReplica(t *testing.T) {
	t.Parallel() // it spends most of its time waiting
	database := livetest.Postgres(t)
	blobs, _ := bucketServer(t).Bucket(t)
	r := startReplicas(t, 2, database, livetest.Config{Args: []string{"--database-url", database, "--blob-url", blobs}})
	conn := r.connect()
	review := &reviewedImport{number: 0, acknowledged: map[string]int{}}
	for row := range reviewRows {
		review.acknowledged[fmt.Sprintf("file %d row %d", 1_000_000, row)] = 1
	}
	review.id = r.send(1_000_000, map[string]any{"fields": schema["fields"], "settings": map[string]any{"invalidDataBehavior": "BLOCK_SUBMIT"}}, append(table(1_000_000, reviewRows), "invalid,nobody\n"...))
	if !review.open(r) {
		t.FailNow()
	}
	const perRound = 6
	var took []time.Duration
	var ids []string
	rounds := share(10)
	for round := range rounds {
		at := round % 2
		frozen, other := r.list[at], r.list[1-at]
		readRows(t, frozen, review)
		half := sendHalf(t, frozen, len(ids))
		sent := r.sendTables(len(ids)+1, perRound, takeoverRows)
		for len(r.runsOf(at, r.running(conn))) == 0 {
			sent = append(sent, r.sendTables(len(ids)+1+len(sent), 1, takeoverRows)...)
		}
		frozen.Signal(syscall.SIGSTOP)
		since := time.Now()
		only := &replicas{t: t, list: []*livetest.Server{other}}
		review.changeName(only, 1_000_000, round)
		other.Upload(t, strings.Replace(half.address, frozen.URL, other.URL, 1), table(len(ids), takeoverRows)).WantStatus(http.StatusOK)
		took = append(took, r.awaitTakeover(conn, r.runsOf(at, r.running(conn)), since)...)
		time.Sleep(time.Until(since.Add(frozenFor)))
		frozen.Signal(syscall.SIGCONT)
		if got := half.finish(); got != nil && got.Status != http.StatusConflict {
			t.Errorf("the rest of a file that another replica has received has status %d: %s", got.Status, got.Body)
		}
		if name := fmt.Sprintf("changed row %d", round); !strings.Contains(readRows(t, frozen, review), name) {
			t.Errorf("the replica that was frozen does not show %q", name)
		}
		ids = append(append(ids, half.id), sent...)
	}
	checkTakeover(t, took)
	r.checkTables(ids, 0, takeoverRows)
	if review.edit(r, "repair", fmt.Sprintf(`"kind":"fill","where":{"rows":["%d"]},"keys":["email"],"text":"somebody@example.org"`, reviewRows)) {
		review.acknowledged["invalid"]++
	}
	review.submit(r)
	review.check(r)
	r.checkListedOnce(append(ids, review.id))
	for _, server := range r.list { // each replica can run imports alone
		for _, other := range r.list {
			if other != server {
				other.Kill()
			}
		}
		id, address := server.CreateImport(t, schema)
		server.Upload(t, address, table(0, 10)).WantStatus(http.StatusOK)
		if got := server.AwaitImport(t, id); got.String("status") != "SUCCESSFUL" {
			t.Errorf("after the end of the other replica: %s", got.Body)
		}
		for i := range r.list {
			if r.list[i] != server {
				r.start(i)
			}
		}
	}
}

// readRows returns the first rows under review, as a replica shows them.
func readRows(t *testing.T, server *livetest.Server, review *reviewedImport) string {
	t.Helper()
	return server.Call(t, "GET", "/api/review/v1/"+review.id+"/rows/?from=0&count=50", nil, "X-Service-License-Key", "", "Cookie", review.cookie).WantStatus(http.StatusOK).Text()
}

// halfSent is an upload of which half has been sent.
type halfSent struct {
	id, address string
	rest        []byte
	body        *io.PipeWriter
	reply       chan *livetest.Reply
}

// sendHalf creates an import and sends the first half of a file that differs from the table with the given number.
func sendHalf(t *testing.T, server *livetest.Server, number int) *halfSent {
	t.Helper()
	id, address := server.CreateImport(t, schema)
	file := bytes.ReplaceAll(table(number, takeoverRows), []byte("row"), []byte("ROW"))
	from, to := io.Pipe()
	request := server.Request(t, "PUT", address, from, "X-Service-License-Key", "", "Content-Type", "text/csv")
	request.ContentLength = int64(len(file))
	half := &halfSent{id: id, address: address, rest: file[len(file)/2:], body: to, reply: make(chan *livetest.Reply, 1)}
	go func() {
		got, err := server.TryDo(t, request)
		_ = from.Close()
		if err != nil {
			got = nil
		}
		half.reply <- got
	}()
	if _, err := to.Write(file[:len(file)/2]); err != nil {
		t.Fatal(err)
	}
	return half
}

// finish sends the rest of the file. It returns the response, or nil if the connection was closed.
func (h *halfSent) finish() *livetest.Reply {
	_, _ = h.body.Write(h.rest) // the server may have responded already
	_ = h.body.Close()
	return <-h.reply
}
