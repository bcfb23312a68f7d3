package api

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"time"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/internal/service"
)

const (
	// eventTick is how often a stream looks whether a change goes on here, lookEvery
	// how many ticks later whether something was changed anywhere, and beatEvery how
	// many of those later it tells that it is alive.
	eventTick, lookEvery, beatEvery = 250 * time.Millisecond, 4, 15
	// maxStreams is how many pages are told of what happens at once.
	maxStreams = 1000
)

// stateEvent is what a page must know to be up to date.
type stateEvent struct {
	Status string      `json:"status"`
	Run    int         `json:"run"`
	Change int64       `json:"change"`
	Totals *deskTotals `json:"totals"`
}

// progressEvent says how far a change has come.
type progressEvent struct {
	Op    string `json:"op"`
	Kind  string `json:"kind"`
	Done  int64  `json:"done"`
	Total int64  `json:"total"`
}

// getEvents tells a page what happens to its import, as long as it listens: an
// event stream as the HTML standard has it.
func (a *API) getEvents(c *call) (*answer, error) {
	if a.streams.Add(1) > maxStreams {
		a.streams.Add(-1)
		return nil, refuse(http.StatusServiceUnavailable, "too_many_streams", intray.NewMessage("service.too_many_streams", nil))
	}
	now, err := a.cfg.Service.Watch(c.ctx(), c.org, c.reviewed.ID, service.Watched{})
	if err != nil {
		a.streams.Add(-1)
		return nil, err
	}
	header := http.Header{"Content-Type": {"text/event-stream"}, "Cache-Control": {"no-store"}, "X-Accel-Buffering": {"no"}}
	ctx, flush := c.ctx(), http.NewResponseController(c.w).Flush
	return &answer{status: http.StatusOK, header: header, stream: func(w io.Writer) error {
		defer a.streams.Add(-1)
		s := &stream{api: a, org: c.org, id: c.reviewed.ID, last: now, send: func(text string) error {
			if _, err := io.WriteString(w, text); err != nil {
				return err
			}
			return flush()
		}}
		_ = s.run(ctx) // a page that is gone is no fault
		return nil
	}}, nil
}

// stream tells one page.
type stream struct {
	api     *API
	org, id string
	last    service.Watched
	making  service.Progress
	send    func(text string) error
}

func (s *stream) run(ctx context.Context) error {
	if err := s.state(s.last); err != nil {
		return err
	}
	tick := time.NewTicker(eventTick)
	defer tick.Stop()
	for ticks := 1; ; ticks++ {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-s.api.closing:
			return nil
		case <-tick.C:
		}
		if err := s.progress(); err != nil {
			return err
		}
		if ticks%lookEvery != 0 {
			continue
		}
		if err := s.look(ctx); err != nil {
			return err
		}
		if ticks%(lookEvery*beatEvery) == 0 {
			if err := s.send(": \n\n"); err != nil {
				return err
			}
		}
	}
}

// look tells what was changed anywhere.
func (s *stream) look(ctx context.Context) error {
	now, err := s.api.cfg.Service.Watch(ctx, s.org, s.id, s.last)
	if err != nil {
		return err
	}
	before := s.last
	s.last = now
	if now.Status == before.Status && now.Run == before.Run && now.Change == before.Change {
		return nil
	}
	return s.state(now)
}

func (s *stream) state(now service.Watched) error {
	e := stateEvent{Status: string(now.Status), Run: now.Run, Change: now.Change}
	if t := now.Totals; t != nil {
		e.Totals = &deskTotals{t.Rows, t.Errors, t.Warnings, t.Infos}
	}
	return s.event("state", e)
}

// progress tells how far a change has come that is made here.
func (s *stream) progress() error {
	p, under := s.api.cfg.Service.Making(s.id)
	if !under || p == s.making {
		return nil
	}
	s.making = p
	return s.event("progress", progressEvent(p))
}

func (s *stream) event(name string, v any) error {
	text, err := json.Marshal(v)
	if err != nil {
		return err
	}
	return s.send(fmt.Sprintf("event: %s\ndata: %s\n\n", name, text))
}

// EndStreams ends the answers that would go on for ever, once. It is called when the
// servers close.
func (a *API) EndStreams() { a.endOnce.Do(func() { close(a.closing) }) }
