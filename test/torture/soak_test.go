package torture

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"io/fs"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/intraydata/intray/test/livetest"
)

const (
	// soakVariable is the environment variable with the duration of TestSoak, such as 30m.
	soakVariable = "INTRAY_SOAK"
	// soakSample is the duration by default. It is too short to compare its parts.
	soakSample = 4 * time.Second
	// minSoak is the minimum duration after which the parts are compared. Deleted files remain for
	// up to a minute.
	minSoak = 4 * time.Minute
	// soakRows is the number of rows of each import that is not reviewed.
	soakRows = 200
	// soakSettle is the maximum time until an idle server has no more goroutines and open files than
	// before the load.
	soakSettle = 30 * time.Second
)

// soakMeasures are the measures of TestSoak. The median of each in the last third of the time must be
// at most ratio times the median in the middle third, plus a margin.
var soakMeasures = []soakMeasure{
	{"resident memory, MiB", 1.15, 16},
	{"live heap, MiB", 1.15, 8},
	{"goroutines", 1.1, 20},
	{"open files", 1.1, 20},
	{"stored files", 1.2, 50},
}

type soakMeasure struct {
	name          string
	ratio, margin float64
}

// TestSoak runs a steady load of all kinds of calls with each store, and checks that the memory of the
// server, its goroutines, its open files and its stored files do not grow. The load deletes everything
// that it creates. All stores are tested at the same time.
//
// INTRAY_SOAK sets the duration of the load. By default, it is 4 seconds: the test then checks all
// results and what an idle server keeps, but does not compare the parts of the time.
func TestSoak(t *testing.T) {
	var all sync.WaitGroup
	defer all.Wait()
	run := func(name string, test func(t *testing.T)) {
		all.Go(func() { t.Run(name, test) }) // t.Parallel would limit the number of tests
	}
	run("sqlite", func(t *testing.T) { soak(t, nil, "") })
	run("postgres", func(t *testing.T) { soak(t, []string{"--database-url", livetest.Postgres(t)}, "") })
	run("postgres-s3", func(t *testing.T) {
		database := livetest.Postgres(t)
		address, folder := bucketServer(t).Bucket(t)
		soak(t, []string{"--database-url", database, "--blob-url", address}, folder)
	})
}

// soak runs the load with a server. bucket is the folder of its bucket, or "".
func soak(t *testing.T, args []string, bucket string) {
	metrics := unusedAddress(t)
	args = append(args, "--egress-allow", "127.0.0.0/8", "--metrics-listen", metrics)
	s := &soakTest{T: t, replicas: startReplicas(t, 1, "", livetest.Config{Args: args}), metrics: "http://" + metrics, end: make(chan struct{})}
	s.server = s.list[0]
	s.folders = []string{s.server.DataDir()}
	if bucket != "" {
		s.folders = append(s.folders, bucket)
	}
	length := s.length()
	receiver := newReceiverOfEvents(s.replicas)
	s.importOnce(0) // pools and caches fill
	idle := s.measure()

	var load sync.WaitGroup
	for _, work := range []func(number int){s.importOnce, s.importResumably, s.abandonUpload, s.reviewOnce} {
		load.Go(func() { s.repeat(work) })
	}
	load.Go(func() { s.deleteSessions(s.end) })
	s.sample(length)
	close(s.end)
	load.Wait()
	s.report(length)
	s.checkIdle(idle)
	receiver.mu.Lock()
	defer receiver.mu.Unlock()
	t.Logf("%d imports; %d webhook messages were received; %d calls asked to try again", s.next, len(receiver.received), s.unavailable.Load())
}

// soakTest is the load of one server.
type soakTest struct {
	*testing.T
	*replicas
	server  *livetest.Server
	metrics string
	// folders contain the files that the server stores.
	folders []string
	// end is closed at the end of the load.
	end chan struct{}
	// samples contains the values of soakMeasures, in the same order.
	samples [][]float64

	mu   sync.Mutex
	next int
}

// length returns the duration of the load.
func (s *soakTest) length() time.Duration {
	text := os.Getenv(soakVariable)
	if text == "" {
		return soakSample
	}
	length, err := time.ParseDuration(text)
	if err != nil {
		s.Fatal(err)
	}
	return length
}

// repeat calls work at a moderate rate until the end of the load, each time with another number.
func (s *soakTest) repeat(work func(number int)) {
	ticker := time.NewTicker(200 * time.Millisecond)
	defer ticker.Stop()
	for !s.Failed() {
		s.mu.Lock()
		s.next++
		number := s.next
		s.mu.Unlock()
		work(number)
		select {
		case <-s.end:
			return
		case <-ticker.C:
		}
	}
}

// importOnce imports a file, checks the result, and deletes the import.
func (s *soakTest) importOnce(number int) {
	id := s.send(number, map[string]any{"fields": schema["fields"]}, table(number, soakRows))
	if id != "" {
		s.finish(id, number)
	}
}

// importResumably imports a file in two parts, the second one after the client has asked for the
// offset.
func (s *soakTest) importResumably(number int) {
	file := table(number, soakRows)
	half := int64(len(file) / 2)
	u := newResumingClient(s.T, s.server, int64(len(file)))
	u.patch(0, half, bytes.NewReader(file[:half])).WantStatus(http.StatusNoContent)
	asked, err := u.do(s.Context(), "HEAD", -1, 0, nil)
	if err != nil {
		s.Error(err)
		return
	}
	if got := asked.WantStatus(http.StatusOK).Header.Get("Upload-Offset"); got != strconv.FormatInt(half, 10) {
		s.Errorf("the offset is %s, want %d", got, half)
		return
	}
	u.patch(half, int64(len(file))-half, bytes.NewReader(file[half:])).WantStatus(http.StatusNoContent)
	s.finish(u.id, number)
}

// abandonUpload sends the first part of a file, and deletes the import.
func (s *soakTest) abandonUpload(number int) {
	u := newResumingClient(s.T, s.server, 1<<20)
	size := int64(1 + number%1000)
	u.patch(0, size, io.LimitReader(u.reader(0), size)).WantStatus(http.StatusNoContent)
	s.remove(u.id)
}

// reviewOnce imports a file, changes its rows with two clients, submits them, checks the result, and
// deletes the import.
func (s *soakTest) reviewOnce(number int) {
	v := &reviewedImport{number: number}
	v.review(s.replicas)
	if s.Failed() {
		return
	}
	v.check(s.replicas)
	s.remove(v.id)
}

// finish checks the result of an import and deletes it.
func (s *soakTest) finish(id string, number int) {
	if got := s.server.AwaitImport(s.T, id); got.String("status") != "SUCCESSFUL" {
		s.Errorf("import %d: %s", number, got.Body)
		return
	}
	checkResult(s.T, s.server, id, number, soakRows)
	s.remove(id)
}

func (s *soakTest) remove(id string) {
	s.call(func(server *livetest.Server) *http.Request {
		return server.Request(s.T, "DELETE", "/api/v1/headless/imports/"+id+"/", nil)
	}, http.StatusNoContent)
}

// sample measures the server for the given time, at least 30 times.
func (s *soakTest) sample(length time.Duration) {
	ticker := time.NewTicker(min(5*time.Second, length/30))
	defer ticker.Stop()
	for began := time.Now(); time.Since(began) < length && !s.Failed(); <-ticker.C {
		s.samples = append(s.samples, s.measure())
	}
}

// measure returns the values of soakMeasures.
func (s *soakTest) measure() []float64 {
	s.Helper()
	s.server.Call(s.T, "GET", s.metrics+"/debug/pprof/heap?gc=1", nil).WantStatus(http.StatusOK) // collects garbage
	values := map[string]float64{}
	lines := bufio.NewScanner(bytes.NewReader(s.server.Call(s.T, "GET", s.metrics+"/metrics", nil).WantStatus(http.StatusOK).Body))
	for lines.Scan() {
		name, text, _ := strings.Cut(lines.Text(), " ")
		if value, err := strconv.ParseFloat(text, 64); err == nil {
			values[name] = value
		}
	}
	return []float64{
		float64(s.server.Memory()) / (1 << 20), values["go_memstats_heap_alloc_bytes"] / (1 << 20),
		values["go_goroutines"], float64(openFiles(s.T, s.server.PID())), float64(s.storedFiles()),
	}
}

// openFiles returns the number of files that a process has open. On systems other than Linux, it
// returns 0.
func openFiles(t *testing.T, pid int) int {
	t.Helper()
	list, err := os.ReadDir(fmt.Sprintf("/proc/%d/fd", pid))
	if err != nil && !os.IsNotExist(err) {
		t.Fatal(err)
	}
	return len(list)
}

// storedFiles returns the number of files in the folders, including temporary ones.
func (s *soakTest) storedFiles() (files int) {
	for _, folder := range s.folders {
		_ = filepath.WalkDir(folder, func(_ string, entry fs.DirEntry, err error) error {
			if err == nil && !entry.IsDir() { // the server may delete files and folders at any time
				files++
			}
			return nil
		})
	}
	return files
}

// report prints the medians of all measures in each third of the time. If the load was long enough, it
// compares them.
func (s *soakTest) report(length time.Duration) {
	s.Helper()
	var table strings.Builder
	fmt.Fprintf(&table, "%d samples in %s; medians of each third of the time:\n%-22s %8s %8s %8s %8s", len(s.samples), length, "", "first", "middle", "last", "highest")
	for i, m := range soakMeasures {
		var list []float64
		for _, sample := range s.samples {
			list = append(list, sample[i])
		}
		third := len(list) / 3
		first, middle, last := median(list[:third]), median(list[third:2*third]), median(list[2*third:])
		fmt.Fprintf(&table, "\n%-22s %8.1f %8.1f %8.1f %8.1f", m.name, first, middle, last, slices.Max(list))
		if limit := m.ratio*middle + m.margin; length >= minSoak && last > limit {
			s.Errorf("%s: the median grows from %.1f in the middle third to %.1f in the last one, want at most %.1f", m.name, middle, last, limit)
		}
	}
	s.Log(table.String())
}

func median(list []float64) float64 {
	sorted := slices.Sorted(slices.Values(list))
	return sorted[len(sorted)/2]
}

// checkIdle checks that the server soon has not many more goroutines and open files than before the
// load. Up to 16 unused drafts of reviews stay open for five minutes.
func (s *soakTest) checkIdle(before []float64) {
	s.Helper()
	const goroutines, files = 2, 3
	const moreGoroutines, moreFiles = 20, 40
	livetest.CloseIdleConnections()
	var now []float64
	for end := time.Now().Add(soakSettle); time.Now().Before(end); time.Sleep(100 * time.Millisecond) {
		if now = s.measure(); now[goroutines] <= before[goroutines]+moreGoroutines && now[files] <= before[files]+moreFiles {
			return
		}
	}
	s.Errorf("before the load, there were %.0f goroutines and %.0f open files; after it, %.0f and %.0f", before[goroutines], before[files], now[goroutines], now[files])
}

// unusedAddress returns a loopback address on which nothing listens.
func unusedAddress(t *testing.T) string {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = listener.Close() }()
	return listener.Addr().String()
}
