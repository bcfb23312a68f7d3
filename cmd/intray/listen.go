package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/intraydata/intray/internal/wire"
	"github.com/intraydata/intray/server"
)

type listenCommand struct {
	ForwardTo string   `help:"Forward messages to this URL, such as http://127.0.0.1:3000/hooks. Default: only print them." placeholder:"URL"`
	Server    string   `help:"URL of the server." default:"http://127.0.0.1:8080" env:"INTRAY_SERVER" placeholder:"URL"`
	Key       string   `help:"Backend API key." env:"INTRAY_BACKEND_KEY" required:"" placeholder:"KEY"`
	Events    []string `help:"Receive only these events. Default: all." placeholder:"EVENT,…"`
}

// Help returns the text that --help prints after the flags.
func (listenCommand) Help() string {
	return `Use it to develop a webhook receiver. It creates a temporary webhook, fetches the
messages from the server and forwards them from this machine, so the server need
not reach the receiver. Messages are signed with the secret printed at the start.
Press Ctrl+C to delete the webhook and exit.`
}

// Run fetches and forwards messages until the command is interrupted.
func (c *listenCommand) Run(ctx context.Context, s streams) (err error) {
	if c.ForwardTo != "" {
		if to, err := url.Parse(c.ForwardTo); err != nil || to.Host == "" || to.Scheme != "http" && to.Scheme != "https" {
			return usageError{fmt.Errorf("--forward-to: %q is not a URL; enter one such as http://127.0.0.1:3000/hooks", c.ForwardTo)}
		}
	}
	l := &listener{streams: s, to: c.ForwardTo, api: apiClient{server: strings.TrimSuffix(c.Server, "/"), key: c.Key}}
	if err := l.createWebhook(ctx, c.Events); err != nil {
		return err
	}
	defer func() {
		last, cancel := context.WithTimeout(context.WithoutCancel(ctx), 5*time.Second)
		defer cancel()
		err = errors.Join(err, l.api.call(last, "DELETE", l.path, nil, nil))
	}()
	for ctx.Err() == nil {
		if err := l.forwardWaiting(ctx); err != nil && ctx.Err() == nil {
			fmt.Fprintf(s.err, "intray: %v; retrying\n", err)
			select {
			case <-ctx.Done():
			case <-time.After(2 * time.Second):
			}
		}
	}
	return nil
}

// listener fetches the messages of its webhook.
type listener struct {
	streams
	api apiClient
	// to is the URL of the receiver. If it is "", messages are printed.
	to           string
	path, secret string
}

func (l *listener) createWebhook(ctx context.Context, events []string) error {
	request := map[string]any{"url": nil}
	if len(events) > 0 {
		request["events"] = events
	}
	body, err := json.Marshal(request)
	if err != nil {
		return err
	}
	var made wire.Webhook
	if err := l.api.call(ctx, "POST", "/api/v1/webhooks/", body, &made); err != nil {
		return err
	}
	l.path, l.secret = "/api/v1/webhooks/"+made.ID+"/", made.Secret
	fmt.Fprintf(l.out, "Listening. Messages are signed with %s\n", l.secret)
	if l.to != "" {
		fmt.Fprintf(l.out, "Forwarding to %s\n", l.to)
	}
	return nil
}

// forwardWaiting waits for messages and forwards them.
func (l *listener) forwardWaiting(ctx context.Context) error {
	var list []wire.Delivery
	if err := l.api.call(ctx, "GET", l.path+"waiting/?wait=20", nil, &list); err != nil {
		return err
	}
	for _, m := range list {
		text := ""
		if m.Body != nil {
			text = *m.Body
		}
		status, result, took := l.forward(ctx, m, text)
		fmt.Fprintf(l.out, "%s  %s  %s  %s (%d ms)\n", time.Now().Format(time.TimeOnly), m.Event, m.ID, visibleLong(result), took.Milliseconds())
		if l.to == "" {
			fmt.Fprintln(l.out, visibleLong(text))
		}
		body, err := json.Marshal(map[string]any{"delivery_id": m.ID, "status_code": status, "message": result, "took_ms": took.Milliseconds()})
		if err != nil {
			return err
		}
		if err := l.api.call(ctx, "POST", l.path+"waiting/", body, nil); err != nil {
			return err
		}
	}
	return nil
}

// forward sends a message to the receiver. It returns the status of the response (0 if there
// is none), a description of the result, and the duration.
func (l *listener) forward(ctx context.Context, m wire.Delivery, text string) (status int, result string, took time.Duration) {
	if l.to == "" {
		return http.StatusOK, "printed", 0
	}
	began := time.Now()
	head, err := server.SignMessage(m.ID, m.ContentType, []byte(text), began, l.secret)
	if err != nil {
		return 0, err.Error(), 0
	}
	ctx, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	r, err := http.NewRequestWithContext(ctx, "POST", l.to, strings.NewReader(text))
	if err != nil {
		return 0, err.Error(), 0
	}
	r.Header = head
	r.Header.Set("Content-Type", m.ContentType)
	client := &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	response, err := client.Do(r)
	if err != nil {
		return 0, "The receiver is unreachable: " + err.Error(), time.Since(began)
	}
	defer response.Body.Close()
	_, _ = io.CopyN(io.Discard, response.Body, 64<<10) // so that the connection can be reused
	return response.StatusCode, "The receiver answered " + response.Status, time.Since(began)
}
