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
	"github.com/intraydata/intray/server/service"
	"github.com/intraydata/intray/server/webhook"
	"github.com/intraydata/intray/server/webhooks"
)

// slow is a courier whose slow receivers keep it until they are let go.
type slow struct {
	fakeSender
	letGo chan struct{}
	mu    sync.Mutex
	// under are the slow deliveries that are on their way, and most how many there
	// have been at once.
	under, most int
	// began has a word for each slow one that begins, told the quick ones.
	began, quick chan string
}

func newSlow() *slow {
	return &slow{letGo: make(chan struct{}), began: make(chan string, 10_000), quick: make(chan string, 10_000)}
}

func (s *slow) Send(ctx context.Context, d model.Delivery, at time.Time, secrets []secrets.Secret) (webhooks.SendResult, error) {
	if !strings.HasPrefix(d.URL, "http://slow") {
		s.quick <- d.URL
		return s.fakeSender.Send(ctx, d, at, secrets)
	}
	s.add(1)
	defer s.add(-1)
	s.began <- d.URL
	select {
	case <-ctx.Done():
		return webhooks.SendResult{}, ctx.Err()
	case <-s.letGo:
	}
	return webhooks.SendResult{Attempt: model.Attempt{Message: intray.Literal("It was too slow.")}}, nil
}

func (s *slow) add(n int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.under += n
	s.most = max(s.most, s.under)
}

// atOnce is how many slow deliveries have been on their way at once.
func (s *slow) atOnce() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.most
}

// event makes an import that ends, of which the webhooks are told, and the address.
func (f *fixture) event(org, address string) {
	f.Helper()
	settings := "{}"
	if address != "" {
		settings = fmt.Sprintf(`{"webhookUrl":%q}`, address)
	}
	imp, err := f.CreateImport(f.ctx, org, imports.Draft{Doc: doc(f.T, contacts, settings), Rows: strings.NewReader(`[{"email":"a@example.org"}]`)})
	must(f.T, err)
	f.runAll()
	f.status(imp, model.Successful)
}

// look looks for what is due, a few times, and waits for nothing.
func (f *fixture) look() {
	f.Helper()
	for range 3 {
		must(f.T, f.Deliver(f.ctx))
	}
}

// TestSlowReceivers has an organization whose webhooks are nearly all slow, and none of
// which hold up the last.
func TestSlowReceivers(t *testing.T) {
	t.Parallel()
	c := newSlow()
	f := newFixture(t, func(_ *fixture, cfg *service.Config) { cfg.WebhookSender = c })
	const slow, events = 40, 4
	for n := range slow {
		_, _, err := f.CreateWebhook(f.ctx, f.org, webhooks.Draft{URL: fmt.Sprint("http://slow-", n), Enabled: true})
		must(t, err)
	}
	_, _, err := f.CreateWebhook(f.ctx, f.org, webhooks.Draft{URL: "http://quick", Enabled: true})
	must(t, err)
	for n := range events {
		f.event(f.org, "http://quick/schema")
		f.look()
		for range 2 {
			select {
			case <-c.quick:
			case <-time.After(10 * time.Second):
				t.Fatalf("event %d: a quick receiver waits for the slow ones", n)
			}
		}
	}
	for range slow {
		<-c.began // each slow one has its turn as well
	}
	if n := c.atOnce(); n > slow+32 {
		t.Errorf("%d deliveries were on their way at once", n)
	}
	close(c.letGo)
	f.WaitForDeliveries()
}

// TestSlowAddresses floods the service with imports whose schemas each name a slow
// address of their own: another organization is told all the same, and what is on its
// way at once is bounded.
func TestSlowAddresses(t *testing.T) {
	t.Parallel()
	c := newSlow()
	f := newFixture(t, func(_ *fixture, cfg *service.Config) { cfg.WebhookSender = c })
	const addresses = 1100
	must(t, f.store.Update(f.ctx, func(tx model.Tx) error {
		for n := range addresses {
			err := tx.Deliveries.Insert(f.ctx, model.Delivery{
				ID: fmt.Sprint("msg_", n), Org: f.org, Target: fmt.Sprint("url_", n), ImportID: fmt.Sprint("imp-", n), Event: "upload",
				URL: fmt.Sprint("http://slow-", n), Body: []byte("x"), Status: model.Waiting, Created: began, Due: began,
			})
			if err != nil {
				return err
			}
		}
		return nil
	}))
	f.look()
	f.clock.Advance(time.Second)
	other, err := f.CreateOrg(f.ctx, "Beta")
	must(t, err)
	f.event(other.ID, "http://quick")
	f.look()
	select {
	case <-c.quick:
	case <-time.After(10 * time.Second):
		t.Error("another organization waits for the slow addresses")
	}
	if n := c.atOnce(); n > 128 {
		t.Errorf("%d deliveries of one organization were on their way at once", n)
	}
	close(c.letGo)
	f.WaitForDeliveries()
}

// outage is a courier with the times of the real one, whose receiver is down until it
// is back. Of each tenth message that it takes then the answer is lost.
type outage struct {
	fakeSender
	mu   sync.Mutex
	back bool
	// tried counts attempts while it was down, came lists the ids that came, and
	// when tells of each how often.
	tried int
	came  []string
	when  map[string]int
	// others are those for the other receiver, with the moment.
	others map[string]time.Time
}

func (o *outage) Send(_ context.Context, d model.Delivery, _ time.Time, _ []secrets.Secret) (webhooks.SendResult, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	taken := webhooks.SendResult{Attempt: model.Attempt{Delivered: true, Status: 200}}
	if d.URL == "http://up" {
		o.others[d.ID] = time.Now()
		return taken, nil
	}
	if !o.back {
		o.tried++
		return webhooks.SendResult{Attempt: model.Attempt{Message: intray.Literal("Nothing listens there")}}, nil
	}
	o.came = append(o.came, d.ID)
	if o.when[d.ID]++; o.when[d.ID] == 1 && len(o.when)%10 == 0 {
		return webhooks.SendResult{Attempt: model.Attempt{Message: intray.Literal("The receiver closed the connection before it responded")}}, nil
	}
	return taken, nil
}

func (o *outage) DecideRetry(f model.FailureStreak, tries int, at time.Time, last webhooks.SendResult) webhooks.RetryDecision {
	after := webhook.FailureStreak(f).WithAttempt(at, last.Delivered)
	j := webhooks.RetryDecision{Streak: model.FailureStreak(after), Dead: after.IsDead()}
	j.Wait, j.Retry = webhook.Outcome{}.Next(tries, rand.Float64)
	return j
}

// waitingFor makes messages for a webhook, three about each import.
func (f *fixture) waitingFor(w model.Webhook, from, to int) {
	f.Helper()
	must(f.T, f.store.Update(f.ctx, func(tx model.Tx) error {
		for n := from; n < to; n++ {
			err := tx.Deliveries.Insert(f.ctx, model.Delivery{
				ID: messageID(w.URL, n), Org: w.Org, WebhookID: w.ID, Target: w.ID, ImportID: fmt.Sprint(w.URL, n/3), Event: "e", URL: w.URL,
				Body: []byte("x"), Status: model.Waiting, Created: f.clock.Now().Add(time.Duration(n-from) * time.Microsecond), Due: f.clock.Now(),
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

func (f *fixture) left(w model.Webhook) (waiting int) {
	f.Helper()
	for offset, more := int64(0), true; more; offset += 1000 {
		list, _, total, err := f.Deliveries(f.ctx, w.Org, w.ID, offset, 1000)
		must(f.T, err)
		for _, d := range list {
			if d.Status != model.Delivered {
				waiting++
			}
		}
		more = offset+1000 < total
	}
	return waiting
}

// TestDownForADay has events happen for a day while their receiver is down: once it is
// back all come, those about one import in their order, and what comes twice has the same
// id. Another organization's go out as soon as they happen, before and after. A tenth of
// 10,000 events by default, all with INTRAY_TORTURE=full.
func TestDownForADay(t *testing.T) {
	t.Parallel()
	const step, steps = 5 * time.Minute, 24 * 12
	events := 1000
	if os.Getenv("INTRAY_TORTURE") == "full" {
		events = 10_000
	}
	o := &outage{when: map[string]int{}, others: map[string]time.Time{}}
	f := newFixture(t, func(_ *fixture, cfg *service.Config) { cfg.WebhookSender = o })
	down, _, err := f.CreateWebhook(f.ctx, f.org, webhooks.Draft{URL: "http://down", Enabled: true})
	must(t, err)
	beta, err := f.CreateOrg(f.ctx, "Beta")
	must(t, err)
	up, _, err := f.CreateWebhook(f.ctx, beta.ID, webhooks.Draft{URL: "http://up", Enabled: true})
	must(t, err)
	var longest time.Duration
	others := 0
	other := func() {
		began := time.Now()
		f.waitingFor(up, others, others+1)
		must(t, f.Deliver(f.ctx))
		f.WaitForDeliveries()
		at, came := o.others[messageID(up.URL, others)]
		if !came {
			t.Fatalf("event %d of the other organization waits", others)
		}
		longest = max(longest, at.Sub(began))
		others++
	}
	for n := range steps {
		f.waitingFor(down, events*n/steps, events*(n+1)/steps)
		other()
		f.clock.Advance(step)
	}
	if waiting := f.left(down); waiting != events {
		t.Fatalf("%d of %d events wait", waiting, events)
	}
	o.back = true
	back, rounds := f.clock.Now(), 0
	for ; len(o.when) < events || f.left(down) > 0; rounds++ {
		if rounds > events {
			t.Fatalf("%d of %d events came", len(o.when), events)
		}
		for range 100 { // the receiver has room for four at once
			must(t, f.Deliver(f.ctx))
			f.WaitForDeliveries()
		}
		other()
		f.clock.Advance(time.Second)
	}
	t.Logf("%d events waited, %d attempts failed meanwhile; all came %s after the receiver was back, %d of them twice, by the clock of the service",
		events, o.tried, f.clock.Now().Sub(back), len(o.came)-len(o.when))
	t.Logf("the other organization's %d events were called for at most %s after they happened, by this machine's clock", others, longest.Round(time.Millisecond))
	if longest > 5*time.Second { // a busy machine is no fault; waiting for the other receiver is
		t.Errorf("the other organization waited %s", longest)
	}
	o.inOrder(t, events)
}

// inOrder makes sure that each event came, no stranger did, and that those about an
// import came one behind the other.
func (o *outage) inOrder(t *testing.T, events int) {
	t.Helper()
	for n := range events {
		if o.when[messageID("http://down", n)] == 0 {
			t.Errorf("event %d did not come", n)
		}
	}
	if len(o.when) != events {
		t.Errorf("%d ids came for %d events", len(o.when), events)
	}
	last := map[int]string{}
	for _, id := range o.came {
		var n int
		if _, err := fmt.Sscanf(id, "msg_down_%d", &n); err != nil {
			t.Fatal(err)
		}
		if last[n/3] > id {
			t.Errorf("%s came behind %s", id, last[n/3])
		}
		last[n/3] = id
	}
}
