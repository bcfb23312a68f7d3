package bench

import (
	"fmt"
	"net/http"
	"os"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/intraydata/intray/bench/benchdata"
	"github.com/intraydata/intray/test/livetest"
)

// maxMemory is the maximum peak memory of the server for files of any size, in bytes.
const maxMemory = 256_000_000

func customersSchema() map[string]any {
	fields := make([]any, len(benchdata.Header))
	for i, name := range benchdata.Header {
		kind := "string"
		if name == "email" {
			kind = "email"
		}
		fields[i] = map[string]any{"key": name, "label": name, "type": kind}
	}
	return map[string]any{"fields": fields, "original_filename": "large.csv"}
}

// TestLargeImport imports one large file and prints the speed and the server's peak memory.
func TestLargeImport(t *testing.T) {
	rows := share(2_000_000)
	name, size := made(t, "csv", rows)
	server := livetest.Start(t, livetest.Config{})
	id, address := server.CreateImport(t, customersSchema())
	file, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	began := time.Now()
	request := server.Request(t, "PUT", address, file, "X-Service-License-Key", "")
	request.ContentLength = size
	server.Do(t, request).WantStatus(http.StatusOK)
	received := time.Now()
	got := server.AwaitImport(t, id)
	ended := time.Now()
	if got.String("status") != "SUCCESSFUL" {
		t.Fatalf("%.2000s", got.Body)
	}
	found := got.Object()["result_metadata"].(map[string]any)
	if found["numDataRows"] != float64(rows) || found["numRowsWithError"].(float64) == 0 {
		t.Fatalf("%v data rows, want %d; %v with an error", found["numDataRows"], rows, found["numRowsWithError"])
	}
	peak := server.PeakMemory()
	t.Logf("%d rows, %.0f MB: upload %.2f s, import %.2f s, %.0f rows/s, %.0f MB/s; peak memory of the service %.0f MB",
		rows, float64(size)/1e6, received.Sub(began).Seconds(), ended.Sub(received).Seconds(),
		float64(rows)/ended.Sub(received).Seconds(), float64(size)/1e6/ended.Sub(received).Seconds(), float64(peak)/1e6)
	if peak > maxMemory {
		t.Errorf("the peak memory of the service is %d bytes, and the limit %d", peak, maxMemory)
	}
}

// TestCreate creates imports, 8 at a time, and prints how long that takes.
func TestCreate(t *testing.T) {
	const clients, requests = 8, 200
	server := livetest.Start(t, livetest.Config{})
	saved := map[string]any{"name": "Large", "fields": customersSchema()["fields"], "settings": map[string]any{}}
	id := server.Call(t, "POST", "/api/v1/schemas/", saved).WantStatus(http.StatusCreated).String("id")
	work := make(chan int, requests)
	for i := range requests {
		work <- i
	}
	close(work)
	took := make([]time.Duration, requests)
	failures := make([]error, clients)
	var group sync.WaitGroup
	for client := range clients {
		group.Go(func() {
			for i := range work {
				request := server.Request(t, "POST", "/api/v1/headless/imports/", map[string]any{"schema_id": id})
				began := time.Now()
				got, err := server.TryDo(t, request)
				took[i] = time.Since(began)
				if err == nil && got.Status != http.StatusCreated {
					err = fmt.Errorf("status %d: %s", got.Status, got.Body)
				}
				if err != nil {
					failures[client] = err
				}
			}
		})
	}
	group.Wait()
	for _, err := range failures {
		if err != nil {
			t.Fatal(err)
		}
	}
	slices.Sort(took)
	t.Logf("%d imports created, %d at a time: p50 %s, p99 %s, max %s", requests, clients,
		took[requests/2].Round(10*time.Microsecond), took[requests*99/100].Round(10*time.Microsecond), took[requests-1].Round(10*time.Microsecond))
}
