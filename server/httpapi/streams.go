package httpapi

import (
	"net/http"
	"sync"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/server/model"
)

// maxStreams is the maximum number of open event streams in this process.
const maxStreams = 1000

// streamCounter counts the open event streams of this process. Clients can keep them open for
// hours, so no organization and no review link can occupy all of them. The zero value is ready to
// use.
type streamCounter struct {
	mu  sync.Mutex
	all int64
	// byOrg and byImport contain no zeros.
	byOrg, byImport map[string]int64
}

// count returns the number of open streams.
func (s *streamCounter) count() int64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.all
}

// open counts a stream, unless there are too many, or the function check returns an error. The
// caller must call closed when the stream ends.
func (s *streamCounter) open(org, importID string, check func(org string, add model.Addition, used int64) error) (closed func(), err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.all >= maxStreams {
		return nil, newError(http.StatusServiceUnavailable, "too_many_streams", intray.NewMessage("service.too_many_streams", nil))
	}
	if err := check(org, model.Addition{Quota: model.ReviewStreamQuota, N: 1}, s.byImport[importID]); err != nil {
		return nil, err
	}
	if err := check(org, model.Addition{Quota: model.StreamQuota, N: 1}, s.byOrg[org]); err != nil {
		return nil, err
	}
	if s.byOrg == nil {
		s.byOrg, s.byImport = map[string]int64{}, map[string]int64{}
	}
	s.add(org, importID, 1)
	return func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.add(org, importID, -1)
	}, nil
}

// add changes the numbers of streams. The caller must hold the lock.
func (s *streamCounter) add(org, importID string, n int64) {
	s.all += n
	for _, count := range []struct {
		of  map[string]int64
		key string
	}{{s.byOrg, org}, {s.byImport, importID}} {
		if count.of[count.key] += n; count.of[count.key] == 0 {
			delete(count.of, count.key)
		}
	}
}
