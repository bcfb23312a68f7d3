package growth

import (
	"fmt"
	"net/http"
	"slices"
	"time"
)

const (
	// garbageInterval is the time after which the service first looks for overdue data.
	garbageInterval = 5 * time.Minute
	// observed is how long background work is measured.
	observed = time.Minute
)

// measureRetention makes the files of almost all imports overdue, and measures how many the service
// deletes per second, and how much longer imports take in the meantime.
func (f *filled) measureRetention(s *seeder) {
	f.server.Call(f.t, "PUT", "/api/v1/retention/", m{"originals_days": 1}).WantStatus(http.StatusOK)
	before := f.runFor(20 * time.Second)
	first := f.receipts()
	began := time.Now()
	for f.receipts() < first+100 {
		if time.Since(began) > garbageInterval+time.Minute {
			f.t.Fatal("the service deletes nothing")
		}
		time.Sleep(time.Second)
	}
	began, first = time.Now(), f.receipts()
	during := f.runFor(observed)
	rate := float64(f.receipts()-first) / time.Since(began).Seconds()
	f.t.Logf("retention: %.0f files per second, so 600,000 in %.0f minutes; an import of 100 rows takes %.1f ms, %.2f times as long as before; %d of the files are still on the disk",
		rate, 600_000/rate/60, inMilliseconds(during), inMilliseconds(during)/inMilliseconds(before), s.count("trash"))
	f.server.Call(f.t, "PUT", "/api/v1/retention/", m{}).WantStatus(http.StatusOK)
}

// receipts returns the number of receipts.
func (f *filled) receipts() int {
	return int(f.server.Call(f.t, "GET", "/api/v1/receipts/?limit=1", nil).WantStatus(http.StatusOK).Object()["count"].(float64))
}

// runFor imports files one after the other for some time, and returns the median duration.
func (f *filled) runFor(length time.Duration) time.Duration {
	var took []time.Duration
	for end := time.Now().Add(length); time.Now().Before(end); {
		began := time.Now()
		f.run("contacts")
		took = append(took, time.Since(began))
	}
	slices.Sort(took)
	return took[len(took)/2]
}

func inMilliseconds(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }

// measureBacklog makes all deliveries due for a receiver that never responds, and measures the CPU time
// that the service needs.
func (f *filled) measureBacklog(s *seeder) {
	s.exec(fmt.Sprintf("UPDATE deliveries SET status = 'WAITING', due = 1, node = '' WHERE webhook_id = '%s'", f.webhook))
	f.hangs.Store(true)
	f.server.Restart()
	time.Sleep(10 * time.Second)
	before, began := f.server.CPUTime(), time.Now()
	time.Sleep(observed)
	f.t.Logf("a backlog of deliveries takes %.1f %% of a CPU core", 100*(f.server.CPUTime()-before).Seconds()/time.Since(began).Seconds())
}
