package api

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"net/http"
	"regexp"

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
		return nil, invalidField("Idempotency-Key", "must have 1 to 255 printable ASCII characters, without spaces")
	}
	if c.body.digest == "" {
		return a.counted(c, work)
	}
	print := fingerprint(c)
	kept, err := a.cfg.Service.BeginReplay(c.ctx(), c.org, key, print)
	if err != nil {
		return nil, err
	}
	if kept != nil {
		return &answer{status: kept.Status, raw: kept.Body, header: http.Header{"Idempotent-Replay": {"true"}}}, nil
	}
	c.fixedID = a.cfg.Service.ReplayID(c.org, key)
	answered := false
	defer func() {
		if !answered { // a panic: the key must not stay taken
			a.release(c, key)
		}
	}()
	done, err := a.counted(c, work)
	answered = true
	return a.keep(c, key, print, done, err)
}

// release forgets a request whose answer is not kept.
func (a *API) release(c *call, key string) {
	ctx := context.WithoutCancel(c.ctx())
	if err := a.cfg.Service.DropReplay(ctx, c.org, key); err != nil {
		a.cfg.Log.Error("an idempotency key stays taken", "request_id", requestID(ctx), "error", err)
	}
}

func fingerprint(c *call) string {
	sum := sha256.Sum256([]byte(c.r.Method + "\n" + c.r.URL.Path + "\n" + c.body.digest))
	return hex.EncodeToString(sum[:])
}

// keep stores the answer before it is given.
func (a *API) keep(c *call, key, print string, done *answer, err error) (*answer, error) {
	ctx := context.WithoutCancel(c.ctx())
	var kept service.Answer
	if err != nil {
		e := refusalOf(err)
		if e.status >= http.StatusInternalServerError || e.status == http.StatusTooManyRequests {
			a.release(c, key)
			return nil, err
		}
		kept = service.Answer{Status: e.status, Body: e.encode(requestID(ctx))}
	} else {
		body, fault := bodyOf(done)
		if fault != nil {
			a.release(c, key)
			return nil, fault
		}
		done.raw = body
		kept = service.Answer{Status: done.status, Body: body}
	}
	if fault := a.cfg.Service.FinishReplay(ctx, c.org, key, print, kept); fault != nil {
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
	if err := a.creates.take(c.licence.ID); err != nil {
		return nil, err
	}
	done, err := work()
	if err != nil {
		a.creates.giveBack(c.licence.ID)
	}
	return done, err
}
