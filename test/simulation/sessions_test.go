package simulation

import (
	"bytes"
	"context"
	"errors"
	"fmt"

	"github.com/intraydata/intray/server/imports"
	"github.com/intraydata/intray/server/model"
)

// sessionState is what a client knows about a session.
type sessionState struct {
	id, org          string
	created, deleted knowledge
	// state is the state that was saved last, and unsure reports whether a later one may be saved.
	state  []byte
	unsure bool
}

// useSession creates a session, saves its state and its file, and may delete it.
func (c *client) useSession(org string) {
	s := c.w.oracle.newSession(c, org)
	c.pause()
	var session model.Session
	err := c.until("create session", func(ctx context.Context, p *process) error {
		s.created = max(s.created, tried)
		h, err := p.CreateSession(ctx, org, imports.NewSession{ID: s.id, ImportIdentifier: "contacts"})
		if err == nil { // a call without a response may fail later
			session = h.Session
		}
		return err
	})
	if err != nil {
		return
	}
	s.created = acknowledged
	for range c.random.IntN(8) {
		c.pause()
		switch c.random.IntN(3) {
		case 0:
			c.saveState(s, session)
		case 1:
			_ = c.call("save session file", func(ctx context.Context, p *process) error {
				content := []byte(fmt.Sprint("file ", c.calls))
				_, err := p.SaveSessionFile(ctx, session, imports.IncomingFile{Body: bytes.NewReader(content), Length: int64(len(content)), Filename: "f.csv"}, "text/csv")
				return err
			})
		case 2:
			c.readState(s, session)
		}
	}
	if c.chance(60) {
		err := c.until("delete session", func(ctx context.Context, p *process) error {
			s.deleted = tried
			return p.DeleteSession(ctx, org, s.id)
		})
		if err == nil {
			s.deleted = acknowledged
		}
	}
}

func (c *client) saveState(s *sessionState, session model.Session) {
	state := []byte(fmt.Sprintf(`{"n":%d}`, c.calls))
	err := c.call("save state", func(ctx context.Context, p *process) error {
		_, err := p.SaveState(ctx, session, state, nil)
		return err
	})
	switch {
	case err == nil:
		s.state, s.unsure = state, false
	case errors.Is(err, errUnknown):
		s.unsure = true
	}
}

func (c *client) readState(s *sessionState, session model.Session) {
	err := c.call("read state", func(ctx context.Context, p *process) error {
		_, state, err := p.SessionState(ctx, session)
		if err == nil && !s.unsure && !bytes.Equal(state, s.state) {
			c.w.violate("session %s has the state %s, want %s", s.id, state, s.state)
		}
		return err
	})
	if model.IsKind(err, model.NotFound) && s.state != nil {
		c.w.violate("the state of session %s is missing", s.id)
	}
}
