package bench

import (
	"encoding/base64"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/intraydata/intray/test/livetest"
)

// smallFile returns a file of 100 rows.
func smallFile() []byte {
	var b strings.Builder
	b.WriteString("name,email\n")
	for row := range 100 {
		fmt.Fprintf(&b, "Person %d,person%d@example.org\n", row, row)
	}
	return []byte(b.String())
}

// smallLoad imports small files with several clients. Each client creates an import, uploads its
// file, and polls until the import has ended.
type smallLoad struct {
	t       *testing.T
	servers []*livetest.Server
	took    []time.Duration
}

// run imports files for the given time, and returns the number of imports that ended per second and the
// CPU time of the servers for each.
func (l *smallLoad) run(clients int, length time.Duration) (perSecond float64, cpu time.Duration) {
	var mu sync.Mutex
	var group sync.WaitGroup
	var ended atomic.Int64
	l.took = nil
	before := l.cpuTime()
	began := time.Now()
	for client := range clients {
		group.Go(func() {
			for n := 0; time.Since(began) < length; n++ {
				start := time.Now()
				if !l.one(l.servers[(client+n)%len(l.servers)]) {
					return
				}
				mu.Lock()
				l.took = append(l.took, time.Since(start))
				mu.Unlock()
				ended.Add(1)
			}
		})
	}
	group.Wait()
	took := time.Since(began)
	slices.Sort(l.took)
	return float64(ended.Load()) / took.Seconds(), (l.cpuTime() - before) / time.Duration(max(ended.Load(), 1))
}

func (l *smallLoad) one(server *livetest.Server) bool {
	made := server.Call(l.t, "POST", "/api/v1/headless/imports/", map[string]any{"fields": []any{
		map[string]any{"key": "name", "label": "Name"}, map[string]any{"key": "email", "label": "E-mail", "type": "email"},
	}})
	if made.Status != http.StatusCreated {
		l.t.Errorf("create: %d %.300s", made.Status, made.Body)
		return false
	}
	if got := server.Upload(l.t, made.String("upload"), smallFile()); got.Status != http.StatusOK {
		l.t.Errorf("upload: %d %.300s", got.Status, got.Body)
		return false
	}
	for range 3000 {
		got := server.Call(l.t, "GET", "/api/v1/headless/imports/"+made.String("id")+"/", nil)
		if strings.Contains(got.Text(), `"status":"SUCCESSFUL"`) {
			return true
		}
		time.Sleep(10 * time.Millisecond)
	}
	l.t.Error("an import did not end")
	return false
}

// cpuTime returns the CPU time that the servers have used.
func (l *smallLoad) cpuTime() (sum time.Duration) {
	for _, s := range l.servers {
		sum += s.CPUTime()
	}
	return sum
}

// flushesPerSecond returns how often a small file can be appended to and flushed.
func flushesPerSecond(t *testing.T) float64 {
	file, err := os.Create(filepath.Join(t.TempDir(), "flushed"))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	began, n := time.Now(), 0
	for ; time.Since(began) < time.Second; n++ {
		if _, err := file.WriteString("4 kB would take as long"); err != nil {
			t.Fatal(err)
		}
		if err := syscall.Fdatasync(int(file.Fd())); err != nil {
			t.Fatal(err)
		}
	}
	return float64(n) / time.Since(began).Seconds()
}

// TestSmallImports imports files of 100 rows with 1, 8 and 32 clients. If the environment variable
// INTRAY_BENCH_BEFORE contains the path of another build, it alternates between both and prints ratios.
func TestSmallImports(t *testing.T) {
	builds := map[string]string{"now": livetest.BuildBinary(t)}
	if other := os.Getenv("INTRAY_BENCH_BEFORE"); other != "" {
		builds["before"] = other
	}
	length, rounds := time.Second, 1
	if share(10) == 10 {
		length, rounds = 10*time.Second, 5
	}
	for _, store := range []string{"sqlite", "postgres"} {
		t.Run(store, func(t *testing.T) {
			t.Logf("an append and a flush: %.0f/s", flushesPerSecond(t))
			loads := map[string]*smallLoad{}
			for name, binary := range builds {
				loads[name] = &smallLoad{t: t}
				cfg, replicas := livetest.Config{Binary: binary, Args: strings.Fields(os.Getenv("INTRAY_BENCH_FLAGS"))}, 1
				if store == "postgres" {
					cfg.Args, replicas = append(cfg.Args, "--database-url", livetest.Postgres(t)), 2
					cfg.Env = []string{"INTRAY_MASTER_KEY=" + base64.StdEncoding.EncodeToString(make([]byte, 32))}
				}
				folder := t.TempDir()
				for n := range replicas {
					cfg.Data = filepath.Join(folder, fmt.Sprint("replica", n))
					shareBlobs(t, cfg.Data, filepath.Join(folder, "blobs"))
					loads[name].servers = append(loads[name].servers, livetest.Start(t, cfg))
				}
				loads[name].run(2, time.Second)
			}
			for _, clients := range []int{1, 8, 32} {
				compareSmall(t, loads, clients, length, rounds)
			}
		})
	}
}

// shareBlobs makes a data folder use a folder with blobs that other processes use as well.
func shareBlobs(t *testing.T, data, blobs string) {
	t.Helper()
	for _, folder := range []string{data, blobs} {
		if err := os.MkdirAll(folder, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink(blobs, filepath.Join(data, "blobs")); err != nil {
		t.Fatal(err)
	}
}

func compareSmall(t *testing.T, loads map[string]*smallLoad, clients int, length time.Duration, rounds int) {
	rates, ratios := map[string][]float64{}, []float64{}
	var line strings.Builder
	for range rounds {
		for _, name := range []string{"before", "now"} {
			if l := loads[name]; l != nil {
				rate, cpu := l.run(clients, length)
				rates[name] = append(rates[name], rate)
				fmt.Fprintf(&line, "%s %.1f/s (p50 %d ms, p99 %d ms, %.1f ms of CPU time); ", name, rate,
					l.took[len(l.took)/2].Milliseconds(), l.took[len(l.took)*99/100].Milliseconds(), float64(cpu.Microseconds())/1000)
			}
		}
		if n := len(rates["before"]); n > 0 {
			ratios = append(ratios, rates["now"][n-1]/rates["before"][n-1])
		}
	}
	slices.Sort(ratios)
	if len(ratios) > 0 {
		fmt.Fprintf(&line, "ratio %.2f (%.2f to %.2f)", ratios[len(ratios)/2], ratios[0], ratios[len(ratios)-1])
	}
	t.Logf("%d clients: %s", clients, line.String())
}
