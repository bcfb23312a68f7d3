package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/intraydata/intray/server"
)

type listenCommand struct {
	ForwardTo string   `help:"Where messages are sent to, such as http://127.0.0.1:3000/hooks. Default: they are only printed." placeholder:"URL"`
	Server    string   `help:"Address of the service." default:"http://127.0.0.1:8080" env:"INTRAY_SERVER" placeholder:"URL"`
	Key       string   `help:"Backend licence key." env:"INTRAY_BACKEND_KEY" required:"" placeholder:"KEY"`
	Events    []string `help:"Only these events. Default all." placeholder:"EVENT,…"`
}

// Help is shown below the flags.
func (listenCommand) Help() string {
	return `For developing a receiver of webhooks: messages are fetched from the service and
forwarded from this machine, which the service need not reach. They are signed with
the secret that is printed at the beginning. The webhook goes when you press Ctrl+C.`
}

// Run fetches and forwards until it is stopped.
func (c *listenCommand) Run(ctx context.Context, s streams) (err error) {
	if c.ForwardTo != "" {
		if to, err := url.Parse(c.ForwardTo); err != nil || to.Host == "" || to.Scheme != "http" && to.Scheme != "https" {
			return usageError{fmt.Errorf("--forward-to: %q is no address; write one like http://127.0.0.1:3000/hooks", c.ForwardTo)}
		}
	}
	l := &listener{streams: s, to: c.ForwardTo, server: strings.TrimSuffix(c.Server, "/"), key: c.Key}
	if err := l.createWebhook(ctx, c.Events); err != nil {
		return err
	}
	defer func() {
		last, cancel := context.WithTimeout(context.WithoutCancel(ctx), 5*time.Second)
		defer cancel()
		err = errors.Join(err, l.callAPI(last, "DELETE", "/api/v1/webhooks/"+l.id+"/", nil, nil))
	}()
	for ctx.Err() == nil {
		if err := l.forwardWaiting(ctx); err != nil && ctx.Err() == nil {
			fmt.Fprintf(s.err, "intray: %v; trying again\n", err)
			select {
			case <-ctx.Done():
			case <-time.After(2 * time.Second):
			}
		}
	}
	return nil
}

// listener fetches the messages of a webhook of its own.
type listener struct {
	streams
	to, server, key string
	id, secret      string
}

// message is one that waits.
type message struct {
	ID          string `json:"id"`
	Event       string `json:"event"`
	ContentType string `json:"content_type"`
	Body        string `json:"body"`
}

func (l *listener) createWebhook(ctx context.Context, events []string) error {
	body, err := json.Marshal(map[string]any{"url": nil, "events": events})
	if len(events) == 0 {
		body, err = []byte(`{"url":null}`), nil
	}
	if err != nil {
		return err
	}
	var made struct{ ID, Secret string }
	if err := l.callAPI(ctx, "POST", "/api/v1/webhooks/", body, &made); err != nil {
		return err
	}
	l.id, l.secret = made.ID, made.Secret
	fmt.Fprintf(l.out, "Listening. Messages are signed with %s\n", l.secret)
	if l.to != "" {
		fmt.Fprintf(l.out, "Forwarding to %s\n", l.to)
	}
	return nil
}

// forwardWaiting waits for messages and forwards them.
func (l *listener) forwardWaiting(ctx context.Context) error {
	var list []message
	if err := l.callAPI(ctx, "GET", "/api/v1/webhooks/"+l.id+"/waiting/?wait=20", nil, &list); err != nil {
		return err
	}
	for _, m := range list {
		status, result, took := l.forward(ctx, m)
		fmt.Fprintf(l.out, "%s  %s  %s  %s (%d ms)\n", time.Now().Format(time.TimeOnly), m.Event, m.ID, visibleLong(result), took.Milliseconds())
		if l.to == "" {
			fmt.Fprintln(l.out, visibleLong(m.Body))
		}
		body, err := json.Marshal(map[string]any{"delivery_id": m.ID, "status_code": status, "message": result, "took_ms": took.Milliseconds()})
		if err != nil {
			return err
		}
		if err := l.callAPI(ctx, "POST", "/api/v1/webhooks/"+l.id+"/waiting/", body, nil); err != nil {
			return err
		}
	}
	return nil
}

// forward sends a message to the receiver on this machine.
func (l *listener) forward(ctx context.Context, m message) (status int, result string, took time.Duration) {
	if l.to == "" {
		return http.StatusOK, "It was printed.", 0
	}
	began := time.Now()
	head, err := server.SignMessage(m.ID, m.ContentType, []byte(m.Body), began, l.secret)
	if err != nil {
		return 0, err.Error(), 0
	}
	ctx, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	r, err := http.NewRequestWithContext(ctx, "POST", l.to, strings.NewReader(m.Body))
	if err != nil {
		return 0, err.Error(), 0
	}
	r.Header = head
	r.Header.Set("Content-Type", m.ContentType)
	client := &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	answer, err := client.Do(r)
	if err != nil {
		return 0, "The receiver cannot be reached: " + err.Error(), time.Since(began)
	}
	defer answer.Body.Close()
	_, _ = io.CopyN(io.Discard, answer.Body, 64<<10)
	return answer.StatusCode, "The receiver answered " + answer.Status, time.Since(began)
}

// callAPI makes a request to the service.
func (l *listener) callAPI(ctx context.Context, method, path string, body []byte, into any) error {
	r, err := http.NewRequestWithContext(ctx, method, l.server+path, bytes.NewReader(body))
	if err != nil {
		return usageError{fmt.Errorf("--server: %w", err)}
	}
	r.Header.Set("X-Service-License-Key", l.key)
	if body != nil {
		r.Header.Set("Content-Type", "application/json")
	}
	answer, err := (&http.Client{}).Do(r)
	if err != nil {
		return fmt.Errorf("reach the service: %w", err)
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(io.LimitReader(answer.Body, 64<<20))
	if err != nil {
		return fmt.Errorf("reach the service: %w", err)
	}
	if answer.StatusCode >= http.StatusBadRequest {
		var failure struct{ Detail string }
		if json.Unmarshal(text, &failure) != nil || failure.Detail == "" {
			failure.Detail = answer.Status
		}
		return fmt.Errorf("the service says: %s", visibleLong(failure.Detail))
	}
	if into == nil {
		return nil
	}
	return json.Unmarshal(text, into)
}
