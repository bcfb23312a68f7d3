package service_test

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/internal/seal"
	"github.com/intraydata/intray/internal/service"
)

// slow is a courier whose slow receivers keep it until they are let go.
type slow struct {
	courier
	letGo chan struct{}
	mu    sync.Mutex
	// under are the slow deliveries that are on their way, and most how many there
	// have been at once.
	under, most int
	// began has a word for each slow one that begins, told the quick ones.
	began, told chan string
}

func newSlow() *slow {
	return &slow{letGo: make(chan struct{}), began: make(chan string, 10_000), told: make(chan string, 10_000)}
}

func (s *slow) Send(ctx context.Context, d service.Delivery, at time.Time, secrets []seal.Secret) (service.Sent, error) {
	if !strings.HasPrefix(d.URL, "http://slow") {
		s.told <- d.URL
		return s.courier.Send(ctx, d, at, secrets)
	}
	s.add(1)
	defer s.add(-1)
	s.began <- d.URL
	select {
	case <-ctx.Done():
		return service.Sent{}, ctx.Err()
	case <-s.letGo:
	}
	return service.Sent{Attempt: service.Attempt{Told: intray.Literal("It was too slow.")}}, nil
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
	imp, err := f.CreateImport(f.ctx, org, service.NewImport{Doc: doc(f.T, contacts, settings), Rows: strings.NewReader(`[{"email":"a@example.org"}]`)})
	must(f.T, err)
	f.runAll()
	f.status(imp, service.Successful)
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
	f := newFixture(t, func(_ *fixture, cfg *service.Config) { cfg.Courier = c })
	const webhooks, events = 40, 4
	for n := range webhooks {
		_, _, err := f.CreateWebhook(f.ctx, f.org, service.WebhookDraft{URL: fmt.Sprint("http://slow-", n), Enabled: true})
		must(t, err)
	}
	_, _, err := f.CreateWebhook(f.ctx, f.org, service.WebhookDraft{URL: "http://quick", Enabled: true})
	must(t, err)
	for n := range events {
		f.event(f.org, "http://quick/schema")
		f.look()
		for range 2 {
			select {
			case <-c.told:
			case <-time.After(10 * time.Second):
				t.Fatalf("event %d: a quick receiver waits for the slow ones", n)
			}
		}
	}
	for range webhooks {
		<-c.began // each slow one has its turn as well
	}
	if n := c.atOnce(); n > webhooks+32 {
		t.Errorf("%d deliveries were on their way at once", n)
	}
	close(c.letGo)
	f.Delivered()
}

// TestSlowAddresses floods the service with imports whose schemas each name a slow
// address of their own: another organization is told all the same, and what is on its
// way at once is bounded.
func TestSlowAddresses(t *testing.T) {
	t.Parallel()
	c := newSlow()
	f := newFixture(t, func(_ *fixture, cfg *service.Config) { cfg.Courier = c })
	const addresses = 1100
	must(t, f.store.Update(f.ctx, func(tx service.Tx) error {
		for n := range addresses {
			err := tx.Deliveries.Insert(f.ctx, service.Delivery{
				ID: fmt.Sprint("msg_", n), Org: f.org, Target: fmt.Sprint("url_", n), ImportID: fmt.Sprint("imp-", n), Event: "upload",
				URL: fmt.Sprint("http://slow-", n), Body: []byte("x"), Status: service.Waiting, Created: began, Due: began,
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
	case <-c.told:
	case <-time.After(10 * time.Second):
		t.Error("another organization waits for the slow addresses")
	}
	if n := c.atOnce(); n > 128 {
		t.Errorf("%d deliveries of one organization were on their way at once", n)
	}
	close(c.letGo)
	f.Delivered()
}
