package api

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"net/http"
	"regexp"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/internal/service"
)

var idempotencyKey = regexp.MustCompile(`^[\x21-\x7e]{1,255}$`)

// once carries a POST with an Idempotency-Key out one time: its answer is kept
// and given again to each repetition. Answers that a repetition may better (429
// and faults of ours) are not kept.
func (a *API) once(c *call, work func() (*answer, error)) (*answer, error) {
	key := c.r.Header.Get("Idempotency-Key")
	if key == "" || c.r.Method != http.MethodPost || c.op.door != backend {
		return a.counted(c, work)
	}
	if !idempotencyKey.MatchString(key) {
		return nil, invalidField("Idempotency-Key", intray.NewMessage("idempotency_key.invalid", nil))
	}
	if c.body.digest == "" {
		return a.counted(c, work)
	}
	kept, turn, err := a.cfg.Service.BeginReplay(c.ctx(), c.org, key, fingerprint(c))
	if err != nil {
		return nil, err
	}
	if kept != nil {
		return &answer{status: kept.Status, raw: kept.Body, header: http.Header{"Idempotent-Replay": {"true"}}}, nil
	}
	c.fixedID = turn.ID
	answered := false
	defer func() {
		if !answered { // a panic: the key must not stay taken
			a.release(c, turn)
		}
	}()
	done, err := a.counted(c, work)
	answered = true
	return a.keep(c, turn, done, err)
}

// release forgets a request whose answer is not kept.
func (a *API) release(c *call, turn *service.Turn) {
	ctx := context.WithoutCancel(c.ctx())
	if err := turn.Release(ctx); err != nil {
		a.cfg.Log.Warn("an idempotency key was not given free", "request_id", requestID(ctx), "error", err)
	}
}

func fingerprint(c *call) string {
	sum := sha256.Sum256([]byte(c.r.Method + "\n" + c.r.URL.Path + "\n" + c.body.digest))
	return hex.EncodeToString(sum[:])
}

// keep stores the answer before it is given.
func (a *API) keep(c *call, turn *service.Turn, done *answer, err error) (*answer, error) {
	ctx := context.WithoutCancel(c.ctx())
	var kept service.Answer
	if err != nil {
		e := refusalOf(err)
		if e.status >= http.StatusInternalServerError || e.status == http.StatusTooManyRequests {
			a.release(c, turn)
			return nil, err
		}
		kept = service.Answer{Status: e.status, Body: e.encode(requestID(ctx))}
	} else {
		body, fault := bodyOf(done)
		if fault != nil {
			a.release(c, turn)
			return nil, fault
		}
		done.raw = body
		kept = service.Answer{Status: done.status, Body: body}
	}
	if fault := turn.Finish(ctx, kept); fault != nil {
		return nil, fault
	}
	return done, err
}

func bodyOf(done *answer) ([]byte, error) {
	if done.body == nil {
		return []byte{}, nil
	}
	return encodeJSON(done.body)
}

// counted keeps the limit of creations. One that came to nothing does not
// count.
func (a *API) counted(c *call, work func() (*answer, error)) (*answer, error) {
	if c.op.limit != perCreate {
		return work()
	}
	window, err := a.creates.take(c.licence.ID)
	if err != nil {
		return nil, err
	}
	done, err := work()
	if err != nil {
		a.creates.giveBack(c.licence.ID, window)
	}
	return done, err
}
