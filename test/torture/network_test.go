package torture

import (
	"fmt"
	"math/rand/v2"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/intraydata/intray/test/livetest"
	"github.com/intraydata/intray/test/s3test"
)

// TestNetworkFaults imports files and reviews rows with two replicas while the network between them
// and PostgreSQL, and between them and S3, is slow, cut or silent. The processes must survive, and
// calls may fail only with a status that asks to try again. Each import must end once with the
// right result.
func TestNetworkFaults(t *testing.T) {
	t.Parallel() // it spends most of its time waiting
	const rows = 2000
	imports, reviews, faults := share(200), share(20), share(150)
	random := seeded(t)
	network := livetest.StartToxiproxy(t)
	database := livetest.Postgres(t)
	bucket := s3test.Start(t)
	blobs, _ := bucket.Bucket(t)
	address, err := url.Parse(database)
	if err != nil {
		t.Fatal(err)
	}
	names := []string{"postgres", "s3"}
	links := []*livetest.NetworkProxy{network.Proxy(names[0], address.Host), network.Proxy(names[1], strings.TrimPrefix(bucket.URL, "http://"))}
	address.Host = links[0].Address
	r := startReplicas(t, 2, database, livetest.Config{
		Args: []string{"--database-url", address.String(), "--blob-url", blobs},
		Env:  append(bucket.Env(), "AWS_ENDPOINT_URL_S3=http://"+links[1].Address),
	})

	var ids []string
	var reviewed []*reviewedImport
	var work, sessions sync.WaitGroup
	work.Go(func() { ids = r.sendTables(0, imports, rows) })
	work.Go(func() { reviewed = r.reviewImports(reviews) })
	end := make(chan struct{})
	sessions.Go(func() { r.deleteSessions(end) })
	kinds := map[string]int{}
	for fault := range faults {
		toxic := randomToxic(random)
		length := time.Duration(100+random.IntN(900)) * time.Millisecond
		if fault == 10 {
			toxic, length = livetest.Toxic{Type: "timeout", Stream: "upstream", Attributes: map[string]int{"timeout": 0}}, 12*time.Second
		}
		link := random.IntN(len(links))
		kinds[fmt.Sprint(names[link], " ", toxic.Type)]++
		causeFault(links[link], toxic, length)
		time.Sleep(time.Duration(random.IntN(200)) * time.Millisecond)
	}
	work.Wait()
	close(end)
	sessions.Wait()
	t.Logf("%d faults: %v; %d calls got no response, and %d one to try again", faults, kinds, r.broken.Load(), r.unavailable.Load())
	if t.Failed() {
		return
	}
	r.checkTables(ids, 0, rows)
	for _, one := range reviewed {
		one.check(r)
		ids = append(ids, one.id)
	}
	r.checkListedOnce(ids)
	for i, server := range r.list {
		select {
		case <-server.Exited():
			t.Errorf("replica %d has ended: %s", i, server.Stderr())
		default:
		}
	}
	if n := r.broken.Load(); n > 0 {
		t.Errorf("%d calls got no response, although the replicas can be reached", n)
	}
}

// down is the type of a toxic, unknown to toxiproxy, that closes all connections and refuses new ones.
const down = "down"

// randomToxic returns a random fault.
func randomToxic(random *rand.Rand) livetest.Toxic {
	kinds := []livetest.Toxic{
		{Type: "latency", Attributes: map[string]int{"latency": random.IntN(300), "jitter": random.IntN(200)}},
		{Type: "bandwidth", Attributes: map[string]int{"rate": 5 + random.IntN(100)}}, // in KB/s
		{Type: "slicer", Attributes: map[string]int{"average_size": 64, "size_variation": 32, "delay": random.IntN(2000)}},
		{Type: "reset_peer", Attributes: map[string]int{"timeout": random.IntN(200)}},
		{Type: "timeout", Attributes: map[string]int{"timeout": random.IntN(2) * random.IntN(500)}}, // 0 never closes the connection
		{Type: down},
	}
	toxic := kinds[random.IntN(len(kinds))]
	toxic.Stream = []string{"upstream", "downstream"}[random.IntN(2)]
	return toxic
}

// causeFault causes a fault for a period.
func causeFault(link *livetest.NetworkProxy, toxic livetest.Toxic, length time.Duration) {
	if toxic.Type == down {
		link.SetEnabled(false)
		time.Sleep(length)
		link.SetEnabled(true)
		return
	}
	remove := link.AddToxic(toxic)
	time.Sleep(length)
	remove()
}
