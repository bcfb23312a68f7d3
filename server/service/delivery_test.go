package service_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/server/imports"
	"github.com/intraydata/intray/server/model"
	"github.com/intraydata/intray/server/secrets"
	"github.com/intraydata/intray/server/servertest"
	"github.com/intraydata/intray/server/webhook"
	"github.com/intraydata/intray/server/webhooks"
)

// slowSender is a sender whose slow receivers respond only after release is closed.
type slowSender struct {
	fakeSender
	release chan struct{}
	mu      sync.Mutex
	// pending is the number of slow deliveries in progress. most is its maximum.
	pending, most int
	// slow and quick receive the URL of each delivery that begins.
	slow, quick chan string
}

func newSlowSender() *slowSender {
	return &slowSender{release: make(chan struct{}), slow: make(chan string, 10_000), quick: make(chan string, 10_000)}
}

func (s *slowSender) Send(ctx context.Context, d model.Delivery, at time.Time, secrets []secrets.Secret) (webhooks.SendResult, error) {
	if !strings.HasPrefix(d.URL, "http://slow") {
		s.quick <- d.URL
		return s.fakeSender.Send(ctx, d, at, secrets)
	}
	s.addPending(1)
	defer s.addPending(-1)
	s.slow <- d.URL
	select {
	case <-ctx.Done():
		return webhooks.SendResult{}, ctx.Err()
	case <-s.release:
	}
	return webhooks.SendResult{Attempt: model.Attempt{Message: intray.Literal("It was too slow.")}}, nil
}

func (s *slowSender) addPending(n int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.pending += n
	s.most = max(s.most, s.pending)
}

// mostPending returns the maximum number of slow deliveries that were in progress at once.
func (s *slowSender) mostPending() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.most
}

// finishImport creates an import and runs it to its end. The webhooks of the organization receive
// an event, and so does url, which is added to the settings of the schema unless it is empty.
func (f *fixture) finishImport(org, url string) {
	f.Helper()
	settings := "{}"
	if url != "" {
		settings = fmt.Sprintf(`{"webhookUrl":%q}`, url)
	}
	imp, err := f.CreateImport(f.ctx, org, imports.Draft{Doc: doc(f.T, contacts, settings), Rows: strings.NewReader(`[{"email":"a@example.org"}]`)})
	must(f.T, err)
	f.runAll()
	f.wantStatus(imp, model.Successful)
}

// startDeliveries starts the deliveries that are due and does not wait for them.
func (f *fixture) startDeliveries() {
	f.Helper()
	for range 3 {
		must(f.T, f.Deliver(f.ctx))
	}
}

// Nearly all webhooks of an organization are slow. They must not delay the quick webhook.
func TestSlowReceivers(t *testing.T) {
	t.Parallel()
	sender := newSlowSender()
	f := newFixture(t, withSender(sender))
	const slow, events = 40, 4
	for n := range slow {
		f.createWebhook(webhooks.Draft{URL: fmt.Sprint("http://slow-", n), Enabled: true})
	}
	f.createWebhook(webhooks.Draft{URL: "http://quick", Enabled: true})
	for n := range events {
		f.finishImport(f.org, "http://quick/schema")
		f.startDeliveries()
		for range 2 {
			select {
			case <-sender.quick:
			case <-time.After(10 * time.Second):
				t.Fatalf("event %d: a quick receiver waits for the slow ones", n)
			}
		}
	}
	for range slow {
		<-sender.slow // each slow receiver is called, as well
	}
	if n := sender.mostPending(); n > slow+32 {
		t.Errorf("%d deliveries were in progress at once", n)
	}
	close(sender.release)
	f.WaitForDeliveries()
}

// Many imports of one organization each have a different slow URL. The number of deliveries in
// progress must be limited, and the deliveries of another organization must not wait.
func TestSlowAddresses(t *testing.T) {
	t.Parallel()
	sender := newSlowSender()
	f := newFixture(t, withSender(sender))
	const addresses = 1100
	must(t, f.Store.Update(f.ctx, func(tx model.Tx) error {
		for n := range addresses {
			err := tx.Deliveries.Insert(f.ctx, model.Delivery{
				ID: fmt.Sprint("msg_", n), Org: f.org, Target: fmt.Sprint("url_", n), ImportID: fmt.Sprint("imp-", n), Event: "upload",
				URL: fmt.Sprint("http://slow-", n), Body: []byte("x"), Status: model.Waiting, Created: servertest.Started, Due: servertest.Started,
			})
			if err != nil {
				return err
			}
		}
		return nil
	}))
	f.startDeliveries()
	f.Clock.Advance(time.Second)
	other, err := f.CreateOrg(f.ctx, "Beta")
	must(t, err)
	f.finishImport(other.ID, "http://quick")
	f.startDeliveries()
	select {
	case <-sender.quick:
	case <-time.After(10 * time.Second):
		t.Error("another organization waits for the slow addresses")
	}
	if n := sender.mostPending(); n > 128 {
		t.Errorf("%d deliveries of one organization were in progress at once", n)
	}
	close(sender.release)
	f.WaitForDeliveries()
}

// outageSender is a sender with the retry rules of the real one. Its receiver is down until
// recovered is set. After that, the first response to every tenth message is lost.
type outageSender struct {
	fakeSender
	mu        sync.Mutex
	recovered bool
	// failed is the number of attempts during the outage. received lists the message ids in the
	// order in which they arrived, and count maps each id to the number of times it arrived.
	failed   int
	received []string
	count    map[string]int
	// others contains the ids of the messages that the second receiver got.
	others map[string]bool
}

func (o *outageSender) Send(_ context.Context, d model.Delivery, _ time.Time, _ []secrets.Secret) (webhooks.SendResult, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	delivered := webhooks.SendResult{Attempt: model.Attempt{Delivered: true, Status: 200}}
	if d.URL == "http://up" {
		o.others[d.ID] = true
		return delivered, nil
	}
	if !o.recovered {
		o.failed++
		return webhooks.SendResult{Attempt: model.Attempt{Message: intray.Literal("Nothing listens there")}}, nil
	}
	o.received = append(o.received, d.ID)
	if o.count[d.ID]++; o.count[d.ID] == 1 && len(o.count)%10 == 0 {
		return webhooks.SendResult{Attempt: model.Attempt{Message: intray.Literal("The receiver closed the connection before it responded")}}, nil
	}
	return delivered, nil
}

func (o *outageSender) DecideRetry(f model.FailureStreak, tries int, at time.Time, last webhooks.SendResult) webhooks.RetryDecision {
	after := webhook.FailureStreak(f).WithAttempt(at, last.Delivered)
	decision := webhooks.RetryDecision{Streak: model.FailureStreak(after), Dead: after.IsDead()}
	decision.Wait, decision.Retry = webhook.Outcome{}.Next(tries, rand.Float64)
	return decision
}

// queueMessages queues the messages numbered [from, to), three for each import.
func (f *fixture) queueMessages(w model.Webhook, from, to int) {
	f.Helper()
	must(f.T, f.Store.Update(f.ctx, func(tx model.Tx) error {
		for n := from; n < to; n++ {
			err := tx.Deliveries.Insert(f.ctx, model.Delivery{
				ID: messageID(w.URL, n), Org: w.Org, WebhookID: w.ID, Target: w.ID, ImportID: fmt.Sprint(w.URL, n/3), Event: "e", URL: w.URL,
				Body: []byte("x"), Status: model.Waiting, Created: f.Clock.Now().Add(time.Duration(n-from) * time.Microsecond), Due: f.Clock.Now(),
			})
			if err != nil {
				return err
			}
		}
		return nil
	}))
}

func messageID(url string, n int) string {
	return fmt.Sprintf("msg_%s_%06d", strings.TrimPrefix(url, "http://"), n)
}

// undelivered returns how many messages of a webhook have not been delivered.
func (f *fixture) undelivered(w model.Webhook) (n int) {
	f.Helper()
	for offset, more := int64(0), true; more; offset += 1000 {
		list, _, total, err := servertest.SplitDeliveries(f.Deliveries(f.ctx, w.Org, w.ID, model.PageRequest{Offset: offset, Limit: 1000}))
		must(f.T, err)
		for _, d := range list {
			if d.Status != model.Delivered {
				n++
			}
		}
		more = offset+1000 < total
	}
	return n
}

// A receiver is down for a day while events occur. After it has recovered, it must
// receive every event, in order for each import, and repeated messages must have
// the same id. Events of another organization must be delivered immediately at all
// times. The test uses 1,000 events, or 10,000 with INTRAY_TORTURE=full. In short mode,
// it uses 240 events, and they occur every half hour instead of every five minutes.
func TestDownForADay(t *testing.T) {
	t.Parallel()
	step, events := 5*time.Minute, 1000
	switch {
	case testing.Short():
		step, events = 30*time.Minute, 240
	case os.Getenv("INTRAY_TORTURE") == "full":
		events = 10_000
	}
	steps := int(24 * time.Hour / step)
	sender := &outageSender{count: map[string]int{}, others: map[string]bool{}}
	f := newFixture(t, withSender(sender))
	down := f.createWebhook(webhooks.Draft{URL: "http://down", Enabled: true})
	beta, err := f.CreateOrg(f.ctx, "Beta")
	must(t, err)
	up, _, err := f.CreateWebhook(f.ctx, beta.ID, webhooks.Draft{URL: "http://up", Enabled: true})
	must(t, err)
	others := 0
	deliverOther := func() {
		f.queueMessages(up, others, others+1)
		must(t, f.Deliver(f.ctx))
		f.WaitForDeliveries()
		if !sender.others[messageID(up.URL, others)] {
			t.Fatalf("event %d of the other organization waits", others)
		}
		others++
	}
	for n := range steps {
		f.queueMessages(down, events*n/steps, events*(n+1)/steps)
		deliverOther()
		f.Clock.Advance(step)
	}
	if waiting := f.undelivered(down); waiting != events {
		t.Fatalf("%d of %d events wait", waiting, events)
	}
	sender.recovered = true
	recovery := f.Clock.Now()
	for rounds := 0; len(sender.count) < events || f.undelivered(down) > 0; rounds++ {
		if rounds > events {
			t.Fatalf("%d of %d events were received", len(sender.count), events)
		}
		for range 100 { // each call starts at most four deliveries to a receiver
			must(t, f.Deliver(f.ctx))
			f.WaitForDeliveries()
		}
		deliverOther()
		f.Clock.Advance(time.Second)
	}
	t.Logf("%d events waited, %d attempts failed during the outage; the last was received %s after the recovery, %d of them twice",
		events, sender.failed, f.Clock.Now().Sub(recovery), len(sender.received)-len(sender.count))
	sender.checkReceived(t, events)
}

// checkReceived checks that every event and nothing else was received, in order for each import.
func (o *outageSender) checkReceived(t *testing.T, events int) {
	t.Helper()
	for n := range events {
		if o.count[messageID("http://down", n)] == 0 {
			t.Errorf("event %d was not received", n)
		}
	}
	if len(o.count) != events {
		t.Errorf("%d ids were received for %d events", len(o.count), events)
	}
	last := map[int]string{}
	for _, id := range o.received {
		var n int
		if _, err := fmt.Sscanf(id, "msg_down_%d", &n); err != nil {
			t.Fatal(err)
		}
		if last[n/3] > id {
			t.Errorf("%s was received after %s", id, last[n/3])
		}
		last[n/3] = id
	}
}
