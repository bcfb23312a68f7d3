package httpapi

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"net/http"
	"regexp"
	"sync"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/server/auth"
	"github.com/intraydata/intray/server/model"
)

var idempotencyKey = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[\x21-\x7e]{1,255}$`) })

// idempotent runs a POST request with an Idempotency-Key once. It stores the
// response and sends it again whenever the request is repeated. It does not store a
// 429 response, a refusal because of a quota or an internal error, because a repetition may succeed.
func (a *API) idempotent(c *call, work func() (*response, error)) (*response, error) {
	key := c.r.Header.Get("Idempotency-Key")
	if key == "" || c.r.Method != http.MethodPost || c.op.auth != authBackendKey {
		return a.limitCreates(c, work)
	}
	if !idempotencyKey().MatchString(key) {
		return nil, invalidField("Idempotency-Key", intray.NewMessage("idempotency_key.invalid", nil))
	}
	if c.body.digest == "" {
		return a.limitCreates(c, work)
	}
	kept, turn, err := a.cfg.Service.BeginReplay(c.context(), c.org, key, requestFingerprint(c))
	if err != nil {
		return nil, err
	}
	if kept != nil {
		return &response{status: kept.Status, raw: kept.Body, header: http.Header{"Idempotent-Replay": {"true"}}}, nil
	}
	c.fixedID = turn.ID
	c.r = c.r.WithContext(model.WithRequestCheck(c.context(), turn.Check))
	answered := false
	defer func() {
		if !answered { // a panic must not leave the key locked
			a.releaseReplayKey(c, turn)
		}
	}()
	done, err := a.limitCreates(c, work)
	answered = true
	return a.saveReplay(c, turn, done, err)
}

// releaseReplayKey unlocks the idempotency key of a request whose response is not stored.
func (a *API) releaseReplayKey(c *call, turn *auth.ReplayLock) {
	ctx := context.WithoutCancel(c.context())
	if err := turn.Release(ctx); err != nil {
		a.cfg.Log.Warn("idempotency key not released", "request_id", RequestID(ctx), "error", err)
	}
}

func requestFingerprint(c *call) string {
	// A key with different scopes must not receive a stored response with URLs that it may not see.
	sum := sha256.Sum256([]byte(c.r.Method + "\n" + c.r.URL.Path + "\n" + c.body.digest + string(c.licence.Scopes)))
	return hex.EncodeToString(sum[:])
}

// saveReplay stores the response of a request before it is sent.
func (a *API) saveReplay(c *call, turn *auth.ReplayLock, done *response, err error) (*response, error) {
	ctx := context.WithoutCancel(c.context())
	var kept auth.ReplayedResponse
	if err != nil {
		e := toAPIError(err)
		if e.status >= http.StatusInternalServerError || e.status == http.StatusTooManyRequests || model.IsKind(err, model.OverQuota) {
			a.releaseReplayKey(c, turn)
			return nil, err
		}
		kept = auth.ReplayedResponse{Status: e.status, Body: e.encode(RequestID(ctx))}
	} else {
		body, fault := encodedBody(done)
		if fault != nil {
			a.releaseReplayKey(c, turn)
			return nil, fault
		}
		done.raw = body
		kept = auth.ReplayedResponse{Status: done.status, Body: body}
	}
	if fault := turn.Finish(ctx, kept); fault != nil {
		return nil, fault
	}
	return done, err
}

func encodedBody(done *response) ([]byte, error) {
	if done.body == nil {
		return []byte{}, nil
	}
	return encodeJSON(done.body)
}

// limitCreates limits how many imports an API key creates per minute. Failed calls do not count.
func (a *API) limitCreates(c *call, work func() (*response, error)) (*response, error) {
	if c.op.limit != perCreate {
		return work()
	}
	window, err := a.creates.allow(c.context(), c.licence.ID)
	if err != nil {
		return nil, err
	}
	done, err := work()
	if err != nil {
		a.creates.refund(c.licence.ID, window)
	}
	return done, err
}
