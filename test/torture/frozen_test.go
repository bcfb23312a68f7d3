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

	"github.com/jackc/pgx/v5"

	"github.com/intraydata/intray/test/livetest"
)

// frozenFor is how long a process is frozen. After 7 s without a heartbeat, others take over its
// imports.
const frozenFor = 15 * time.Second

// TestFrozenReplica freezes a process that runs imports, receives a file and has rows under review.
// Another process takes over all of them. When the first one continues, it must not overwrite
// anything: its runs are discarded, the rest of its file is refused, and it shows the changes that
// were made meanwhile.
func TestFrozenReplica(t *testing.T) {
	t.Parallel() // it spends most of its time waiting
	database := livetest.Postgres(t)
	blobs, _ := bucketServer(t).Bucket(t)
	f := &frozenTest{T: t, replicas: startReplicas(t, 2, database, livetest.Config{Args: []string{"--database-url", database, "--blob-url", blobs}})}
	f.conn = f.connect()
	f.review.prepare(f.replicas)
	if !f.review.open(f.replicas) {
		t.FailNow()
	}
	for round := range share(10) {
		f.freeze(round)
	}
	checkTakeover(t, f.took)
	f.checkTables(f.ids, 0, takeoverRows)
	f.review.submit(f.replicas)
	f.review.check(f.replicas)
	f.checkListedOnce(append(f.ids, f.review.id))
	f.checkAlone()
}

// frozenTest is a test that freezes one of two replicas.
type frozenTest struct {
	*testing.T
	*replicas
	conn   *pgx.Conn
	review reviewedImport
	// ids are the imports of tables, whose numbers are their positions.
	ids []string
	// took is how long the other replica took to run the imports.
	took []time.Duration
}

// freeze freezes a replica while it works, and lets it continue.
func (f *frozenTest) freeze(round int) {
	f.Helper()
	at := round % 2
	frozen, other := f.list[at], f.list[1-at]
	readRows(f.T, frozen, &f.review)
	half := sendHalf(f.T, frozen, len(f.ids))
	f.ids = append(f.ids, half.id)
	wait := f.occupy(at)
	half.sendMore(f.T)
	frozen.Signal(syscall.SIGSTOP)
	since := time.Now()
	change := fmt.Sprintf("changed row %d", round)
	f.review.changeName(&replicas{t: f.T, list: []*livetest.Server{other}}, round)
	other.Upload(f.T, strings.Replace(half.address, frozen.URL, other.URL, 1), table(half.number, takeoverRows)).WantStatus(http.StatusOK)
	f.took = append(f.took, f.awaitTakeover(f.conn, f.runsOf(at, f.running(f.conn)), since)...)
	time.Sleep(time.Until(since.Add(frozenFor)))
	frozen.Signal(syscall.SIGCONT)
	if got := half.finish(); got != nil && got.Status != http.StatusConflict {
		f.Errorf("the rest of a file that another replica has received has status %d: %s", got.Status, got.Body)
	}
	if !strings.Contains(readRows(f.T, frozen, &f.review), change) {
		f.Errorf("the replica that was frozen does not show %q", change)
	}
	wait()
}

// occupy imports tables through a replica until it runs one of them. Meanwhile, the other replica is
// frozen, so that it cannot run them instead. The last tables may not have been sent yet when occupy
// returns: the returned function waits for them.
func (f *frozenTest) occupy(at int) (wait func()) {
	f.Helper()
	f.list[1-at].Signal(syscall.SIGSTOP)
	defer f.list[1-at].Signal(syscall.SIGCONT)
	own := &replicas{t: f.T, list: f.list[at : at+1]}
	sent := make(chan []string, 1)
	send := func() {
		first := len(f.ids)
		go func() { sent <- own.sendTables(first, 3, takeoverRows) }()
	}
	send()
	for len(f.runsOf(at, f.running(f.conn))) == 0 {
		select {
		case ids := <-sent:
			f.ids = append(f.ids, ids...)
			send()
		case <-time.After(2 * time.Millisecond):
		}
	}
	return func() { f.ids = append(f.ids, <-sent...) }
}

// checkAlone checks that each replica runs imports while the others are down.
func (f *frozenTest) checkAlone() {
	f.Helper()
	for at, server := range f.list {
		f.list[1-at].Kill()
		id, address := server.CreateImport(f.T, schema)
		server.Upload(f.T, address, table(0, 10)).WantStatus(http.StatusOK)
		if got := server.AwaitImport(f.T, id); got.String("status") != "SUCCESSFUL" {
			f.Errorf("after the end of the other replica: %s", got.Body)
		}
		f.start(1 - at)
	}
}

// readRows returns the first rows under review, as a replica shows them.
func readRows(t *testing.T, server *livetest.Server, review *reviewedImport) string {
	t.Helper()
	return server.Call(t, "GET", "/api/review/v1/"+review.id+"/rows/?from=0&count=50", nil, "X-Service-License-Key", "", "Cookie", review.cookie).WantStatus(http.StatusOK).Text()
}

// halfSent is an upload of which half has been sent.
type halfSent struct {
	number      int
	id, address string
	rest        []byte
	body        *io.PipeWriter
	reply       chan *livetest.Reply
}

// sendHalf creates an import and sends the first half of a file that differs from the table with
// the given number.
func sendHalf(t *testing.T, server *livetest.Server, number int) *halfSent {
	t.Helper()
	id, address := server.CreateImport(t, schema)
	file := bytes.ReplaceAll(table(number, takeoverRows), []byte("row"), []byte("ROW"))
	from, to := io.Pipe()
	request := server.Request(t, "PUT", address, from, "X-Service-License-Key", "", "Content-Type", "text/csv")
	request.ContentLength = int64(len(file))
	half := &halfSent{number: number, id: id, address: address, rest: file[len(file)/2:], body: to, reply: make(chan *livetest.Reply, 1)}
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

// sendMore sends some of the rest, so that the server waits for the remainder from now on.
func (h *halfSent) sendMore(t *testing.T) {
	t.Helper()
	const n = 100
	if _, err := h.body.Write(h.rest[:n]); err != nil {
		t.Fatal(err)
	}
	h.rest = h.rest[n:]
}

// finish sends the rest of the file. It returns the response, or nil if the connection was closed.
func (h *halfSent) finish() *livetest.Reply {
	_, _ = h.body.Write(h.rest) // the server may have responded already
	_ = h.body.Close()
	return <-h.reply
}
