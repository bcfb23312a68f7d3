package webhooks_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/intraydata/intray/server/model"
	"github.com/intraydata/intray/server/servertest"
	"github.com/intraydata/intray/server/webhooks"
)

// Each use of the store and of the sender fails once while a message is being delivered.
// Afterwards, the message must be delivered and its attempt recorded exactly once.
func TestDeliveryFaults(t *testing.T) {
	t.Parallel()
	eachFault(t, func(f *fixture, n int) string {
		w := f.webhook("http://receiver")
		must(f.T, f.announce())
		f.Faults.Arm(n)
		_ = f.deliverDue() // errors when an attempt is stored are logged
		name := f.Faults.Disarm()
		f.Clock.Advance(time.Minute)
		must(f.T, f.deliverDue())
		list, attempts := f.deliveries(w)
		if len(list) != 1 || list[0].Status != model.Delivered || list[0].Node != "" || list[0].Tries != 1 {
			f.Errorf("%s failed once: the delivery is %+v", name, list)
		}
		if tried := attempts[list[0].ID]; len(tried) != 1 || !tried[0].Delivered {
			f.Errorf("%s failed once: the attempts are %+v", name, tried)
		}
		if len(f.sender.sent) != 1 {
			f.Errorf("%s failed once: sent %q", name, f.sender.sent)
		}
		return name
	})
}

// Each use of the store and of the sender fails once, either while failed attempts are being
// recorded or while the receiver is recovering. Each attempt must be recorded exactly once, and
// both messages delivered.
func TestRecoveryFaults(t *testing.T) {
	t.Parallel()
	for name, faultyWhileDown := range map[string]bool{"while it fails": true, "while it recovers": false} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			eachFault(t, func(f *fixture, n int) string {
				w := f.webhook("http://receiver")
				must(f.T, f.announce())
				must(f.T, f.announce())
				failed := ""
				for _, f.sender.down = range []bool{true, false} {
					if f.sender.down == faultyWhileDown {
						f.Faults.Arm(n)
					}
					_ = f.deliverDue()
					if f.sender.down == faultyWhileDown {
						failed = f.Faults.Disarm()
					}
					f.Clock.Advance(2 * time.Minute)
					must(f.T, f.deliverDue())
					f.Clock.Advance(2 * time.Minute)
				}
				must(f.T, f.deliverDue())
				list, attempts := f.deliveries(w)
				recorded := 0
				for _, d := range list {
					tried := attempts[d.ID]
					recorded += len(tried)
					if d.Status != model.Delivered || d.Tries != len(tried) {
						f.Errorf("%s failed once: %+v with %d attempts", failed, d, len(tried))
					}
				}
				if len(list) != 2 || recorded != len(f.sender.sent) {
					f.Errorf("%s failed once: %d deliveries, %d attempts recorded, %d made", failed, len(list), recorded, len(f.sender.sent))
				}
				if now, err := f.Webhook(f.ctx, org, w.ID); err != nil || now.FailureStreak.Failures != 0 {
					f.Errorf("%s failed once: %+v, %v", failed, now.FailureStreak, err)
				}
				return failed
			})
		})
	}
}

// Each use of the store and of the sender fails once while a dead receiver is being disabled.
// Afterwards, it must be disabled, and the event must have been sent once.
func TestDisableFaults(t *testing.T) {
	t.Parallel()
	eachFault(t, func(f *fixture, n int) string {
		dead, other := f.webhook("http://dead"), f.webhook("")
		must(f.T, f.announce())
		f.sender.down = true
		must(f.T, f.deliverDue())
		f.Clock.Advance(24 * time.Hour)
		f.Faults.Arm(n)
		_ = f.deliverDue()
		name := f.Faults.Disarm()
		f.Clock.Advance(time.Hour)
		must(f.T, f.deliverDue())
		if now, err := f.Webhook(f.ctx, org, dead.ID); err != nil || now.Enabled {
			f.Errorf("%s failed once: the webhook is %+v, %v", name, now, err)
		}
		list, _ := f.deliveries(other)
		announced := slices.DeleteFunc(list, func(d model.Delivery) bool { return d.Event != "webhook_disabled" })
		if len(announced) != 1 {
			f.Errorf("%s failed once: announced %d times", name, len(announced))
		}
		return name
	})
}

// A webhook that is disabled while a message waits for it does not get the message.
func TestDisabledReceiverFaults(t *testing.T) {
	t.Parallel()
	eachFault(t, func(f *fixture, n int) string {
		w := f.webhook("http://receiver")
		must(f.T, f.announce())
		must(f.T, f.Store.Update(f.ctx, func(tx model.Tx) error {
			w.Enabled = false
			return tx.Webhooks.Save(f.ctx, w)
		}))
		f.Faults.Arm(n)
		err := f.Deliver(f.ctx)
		name := f.Faults.Disarm()
		if name != "" && err == nil {
			f.Errorf("%s failed, and no error was returned", name)
		}
		must(f.T, f.deliverDue())
		if list, _ := f.deliveries(w); list[0].Status != model.GivenUp || len(f.sender.sent) != 0 {
			f.Errorf("%s failed once: %+v, sent %q", name, list[0], f.sender.sent)
		}
		return name
	})
}

// The attempts to deliver a message are numbered from 1.
func TestAttemptNumbers(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	w := f.webhook("http://receiver")
	must(t, f.announce())
	f.sender.down = true
	must(t, f.deliverDue())
	f.Clock.Advance(time.Minute)
	f.sender.down = false
	must(t, f.deliverDue())
	list, attempts := f.deliveries(w)
	var numbers []int
	for _, one := range attempts[list[0].ID] {
		numbers = append(numbers, one.Number)
	}
	if slices.Sort(numbers); !slices.Equal(numbers, []int{1, 2}) {
		t.Errorf("the attempts have the numbers %v, want 1 and 2", numbers)
	}
}

// When a webhook is disabled, all other webhooks receive an event, whether or not
// they are for development. The disabled one does not.
func TestDisabledIsAnnouncedToAll(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	dead := f.webhook("http://dead")
	receivers := map[string]model.Webhook{}
	for _, development := range []string{"", "true", "false"} {
		w, _, err := f.CreateWebhook(f.ctx, org, webhooks.Draft{Listens: true, Enabled: true, Development: development})
		must(t, err)
		receivers[development] = w
	}
	must(t, f.announce())
	f.sender.down = true
	must(t, f.deliverDue())
	f.Clock.Advance(24 * time.Hour)
	must(t, f.deliverDue())
	announced := func(w model.Webhook) (n int) {
		list, _ := f.deliveries(w)
		for _, d := range list {
			if d.Event == "webhook_disabled" {
				n++
			}
		}
		return n
	}
	for development, w := range receivers {
		if n := announced(w); n != 1 {
			t.Errorf("a webhook with development %q got %d announcements, want 1", development, n)
		}
	}
	if n := announced(dead); n != 0 {
		t.Errorf("the disabled webhook got %d announcements", n)
	}
}

// TestFindingEcosystem12Gone checks that a receiver that responds with 410 gets no further
// messages: its webhook is disabled, the other webhooks are notified, and the waiting messages
// are given up. A URL in a schema gets no further attempts of the same message.
func TestFindingEcosystem12Gone(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	gone, other := f.webhook("http://gone"), f.webhook("http://other")
	f.sender.gone = []string{"http://gone", "http://done"}
	must(t, f.announce())
	must(t, f.announceImport(imported(model.Successful)))
	must(t, f.deliverDue())
	f.Clock.Advance(24 * time.Hour)
	must(t, f.deliverDue())
	if now, err := f.Webhook(f.ctx, org, gone.ID); err != nil || now.Enabled {
		t.Errorf("the webhook is %+v, %v; want disabled", now, err)
	}
	for name, w := range map[string]model.Webhook{"webhook": gone, "schema": {}} {
		list, attempts := f.deliveries(w)
		tried := 0
		for _, d := range list {
			tried += len(attempts[d.ID])
			if d.Status != model.GivenUp {
				t.Errorf("%s: %+v, want FAILED", name, d)
			}
		}
		// The two messages for the webhook may be sent at the same time.
		if tried == 0 || tried > 2 || name == "schema" && tried != 1 {
			t.Errorf("%s: %d attempts", name, tried)
		}
	}
	list, _ := f.deliveries(other)
	if !slices.ContainsFunc(list, func(d model.Delivery) bool {
		return d.Event == string(webhooks.WebhookDisabled) && d.Status == model.Delivered
	}) {
		t.Errorf("the other webhook got %+v", list)
	}

	f.sender.gone = nil
	_, err := f.ReplaceWebhook(f.ctx, org, gone.ID, webhooks.Draft{URL: "http://new", Enabled: true})
	must(t, err)
	n, err := f.Redeliver(f.ctx, org, gone.ID, "", time.Time{})
	must(t, err)
	must(t, f.deliverDue())
	if list, _ := f.deliveries(gone); n != 2 || list[0].Status != model.Delivered || list[1].Status != model.Delivered {
		t.Errorf("after the webhook was enabled again, %d messages were queued: %+v", n, list)
	}
}

// A 410 of an old URL does not disable a webhook whose URL has been corrected in the meantime.
func TestGoneAfterChange(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	w := f.webhook("http://gone")
	f.sender.gone = []string{"http://gone"}
	f.sender.onSend = func() {
		_, err := f.ReplaceWebhook(f.ctx, org, w.ID, webhooks.Draft{URL: "http://new", Enabled: true})
		must(t, err)
	}
	must(t, f.announce())
	must(t, f.deliverDue())
	if now, err := f.Webhook(f.ctx, org, w.ID); err != nil || !now.Enabled || now.URL != "http://new" {
		t.Errorf("the webhook is %+v, %v", now, err)
	}
}

// A message is sent again if that is requested while it is being sent.
func TestRedeliverDuringAttempt(t *testing.T) {
	t.Parallel()
	for name, down := range map[string]bool{"delivered": false, "failed": true} {
		f := newFixture(t)
		w := f.webhook("http://receiver")
		must(t, f.announce())
		f.sender.down = down
		f.sender.onSend = func() {
			f.sender.onSend = nil
			list, _ := f.deliveries(w)
			_, err := f.Redeliver(f.ctx, org, w.ID, list[0].ID, time.Time{})
			must(t, err)
		}
		must(t, f.Deliver(f.ctx))
		f.WaitForDeliveries()
		f.sender.down = false
		f.Clock.Advance(time.Second)
		must(t, f.deliverDue())
		list, attempts := f.deliveries(w)
		if len(f.sender.sent) != 2 || list[0].Status != model.Delivered || list[0].Tries != 1 || len(attempts[list[0].ID]) != 2 {
			t.Errorf("%s: sent %d times, %+v", name, len(f.sender.sent), list)
		}
	}
}

// manyDeliveries is more than two transactions change.
const manyDeliveries = 1201

// addMany adds manyDeliveries deliveries to a webhook whose receiver began to fail at the given
// time. The first delivery is due, and all others are due in an hour.
func (f *fixture) addMany(w model.Webhook, failing time.Time) {
	f.Helper()
	must(f.T, f.Store.Update(f.ctx, func(tx model.Tx) error {
		for i := range manyDeliveries {
			d := model.Delivery{
				ID: fmt.Sprintf("msg_%04d", i), Org: org, WebhookID: w.ID, Target: w.ID, URL: w.URL, Body: []byte("{}"), ImportID: fmt.Sprint(i),
				Status: model.Waiting, Due: servertest.Started.Add(time.Hour), Created: servertest.Started,
			}
			if i == 0 {
				d.Due = servertest.Started
			}
			if err := tx.Deliveries.Insert(f.ctx, d); err != nil {
				return err
			}
		}
		w.FailureStreak = model.FailureStreak{Since: failing, Last: failing, Failures: 1}
		return tx.Webhooks.Save(f.ctx, w)
	}))
}

// count returns the number of deliveries of a webhook with the given status that are due at the
// given time.
func (f *fixture) count(w model.Webhook, status model.DeliveryStatus, due time.Time) (n int) {
	f.Helper()
	for page := (model.PageRequest{Limit: 100}); ; {
		list, _, err := f.Deliveries(f.ctx, org, w.ID, page)
		must(f.T, err)
		for _, d := range list.Rows {
			if d.Status == status && !d.Due.After(due) {
				n++
			}
		}
		if page.After = list.Next; page.After == "" {
			return n
		}
	}
}

// TestFindingScaleManyDeliveries checks that no transaction changes more than 500 deliveries when a
// webhook with many deliveries recovers, sends them again, or is deleted.
func TestFindingScaleManyDeliveries(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	w := f.webhook("http://receiver")
	f.addMany(w, servertest.Started)
	f.sender.downAfter = 1
	_ = f.Deliver(f.ctx)
	f.WaitForDeliveries()
	// Up to four messages were tried again and failed.
	if due := f.count(w, model.Waiting, servertest.Started); due < manyDeliveries-5 {
		t.Errorf("after the receiver recovered %d messages are due, want at least %d", due, manyDeliveries-5)
	}
	must(t, f.Store.Update(f.ctx, func(tx model.Tx) error {
		for n := int64(1); n > 0; {
			var err error
			if n, err = tx.Outbox.GiveUp(f.ctx, w.ID, manyDeliveries); err != nil {
				return err
			}
		}
		return nil
	}))
	if n, err := f.Redeliver(f.ctx, org, w.ID, "", servertest.Started); err != nil || n != manyDeliveries {
		t.Errorf("%d messages are sent again, want %d: %v", n, manyDeliveries, err)
	}
	must(t, f.DeleteWebhook(f.ctx, org, w.ID))
	if largest := f.changes.largest.Load(); largest != 500 {
		t.Errorf("the largest transaction changed %d deliveries, want 500", largest)
	}
	err := f.Store.View(f.ctx, func(tx model.Tx) error {
		_, err := tx.Deliveries.Get(f.ctx, org, "msg_1200")
		return err
	})
	if !model.IsKind(err, model.NotFound) {
		t.Errorf("a delivery of the deleted webhook: %v, want NotFound", err)
	}
}

// If making the deliveries due fails after the attempt has been stored, the next call of Deliver
// continues with it.
func TestInterruptedRecovery(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	w := f.webhook("http://receiver")
	f.addMany(w, servertest.Started)
	f.sender.downAfter = 1
	f.Faults.ArmUse("Outbox.MakeDue", 2)
	must(t, f.Deliver(f.ctx))
	f.WaitForDeliveries()
	if failed := f.Faults.Disarm(); failed != "Outbox.MakeDue" {
		t.Fatalf("failed %q", failed)
	}
	if n := f.count(w, model.Waiting, servertest.Started); n != 500 {
		t.Errorf("%d messages are due before the failure, want 500", n)
	}
	must(t, f.Deliver(f.ctx))
	f.WaitForDeliveries()
	// Up to four messages were tried again and failed.
	if n := f.count(w, model.Waiting, servertest.Started); n < manyDeliveries-5 {
		t.Errorf("%d messages are due, want at least %d", n, manyDeliveries-5)
	}
}

// All deliveries that wait for a webhook that is disabled are given up, also if that fails in
// between.
func TestManyGivenUp(t *testing.T) {
	t.Parallel()
	for name, url := range map[string]string{"with a URL": "http://receiver", "without a URL": ""} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := newFixture(t)
			w := f.webhook(url)
			f.addMany(w, servertest.Started.Add(-24*time.Hour))
			f.sender.down = true
			attempt := func() error {
				if url == "" {
					return f.Forwarded(f.ctx, org, w.ID, "msg_0000", webhooks.SendResult{})
				}
				err := f.Deliver(f.ctx)
				f.WaitForDeliveries()
				return err
			}
			f.Faults.ArmUse("Outbox.GiveUp", 2)
			_ = attempt() // errors when an attempt is stored are logged
			if failed := f.Faults.Disarm(); failed != "Outbox.GiveUp" {
				t.Fatalf("failed %q", failed)
			}
			must(t, attempt())
			if now, err := f.Webhook(f.ctx, org, w.ID); err != nil || now.Enabled {
				t.Errorf("the webhook is %+v, %v; want disabled", now, err)
			}
			if n := f.count(w, model.GivenUp, servertest.Started.Add(24*time.Hour)); n != manyDeliveries {
				t.Errorf("%d of %d messages were given up", n, manyDeliveries)
			}
			if largest := f.changes.largest.Load(); largest != 500 {
				t.Errorf("the largest transaction changed %d deliveries, want 500", largest)
			}
		})
	}
}

// TestLimitsOfAllProcesses checks that processes that share a store send at most four messages to a
// receiver at the same time, and one if it is failing.
func TestLimitsOfAllProcesses(t *testing.T) {
	for name, c := range map[string]struct {
		down bool
		want int
	}{"a receiver": {false, 4}, "a receiver that fails": {true, 1}} {
		t.Run(name, func(t *testing.T) {
			f := newFixture(t)
			processes := []*webhooks.Service{f.Service}
			for _, node := range []string{"second", "third"} {
				env := f.Model()
				env.Node = node
				s, err := webhooks.New(env, f.sender)
				must(t, err)
				processes = append(processes, s)
			}
			w := f.webhook("https://receiver.example.org/")
			if c.down {
				f.sender.down = true
				must(t, f.announce())
				must(t, f.deliverDue())
				f.Clock.Advance(time.Hour)
			}
			for range 20 {
				must(t, f.announceAbout(w))
			}
			entered, leave := make(chan struct{}, 99), make(chan struct{})
			f.sender.onSend = func() {
				entered <- struct{}{}
				<-leave
			}
			for range 3 {
				for _, s := range processes {
					must(t, s.Deliver(f.ctx))
				}
			}
			for range c.want {
				<-entered
			}
			select {
			case <-entered:
				t.Errorf("more than %d messages are sent at the same time", c.want)
			case <-time.After(50 * time.Millisecond):
			}
			close(leave)
			for _, s := range processes {
				s.WaitForDeliveries()
			}
		})
	}
}

// announceAbout queues a message to a webhook about an import of its own, because messages about
// the same import are sent one after the other.
func (f *fixture) announceAbout(w model.Webhook) error {
	id, err := f.env.NewID()
	if err != nil {
		return err
	}
	return f.env.Store.Update(f.ctx, func(tx model.Tx) error {
		now := f.env.Now()
		return tx.Deliveries.Insert(f.ctx, model.Delivery{
			ID: "msg_" + id, Org: org, WebhookID: w.ID, ImportID: id, Target: w.ID, Event: string(webhooks.ImportCompleted), URL: w.URL,
			ContentType: "application/json", Body: []byte("{}"), Status: model.Waiting, Due: now, Created: now,
		})
	})
}

// TestErasedWhileSent checks that a delivery whose content is deleted while it is being sent no
// longer counts as in flight afterwards.
func TestErasedWhileSent(t *testing.T) {
	f := newFixture(t)
	w := f.webhook("https://receiver.example.org/")
	must(t, f.announceAbout(w))
	list, _ := f.deliveries(w)
	f.sender.onSend = func() {
		must(t, f.env.Store.Update(f.ctx, func(tx model.Tx) error { return tx.Outbox.EraseImport(f.ctx, list[0].ImportID) }))
	}
	must(t, f.deliverDue())
	must(t, f.env.Store.Update(f.ctx, func(tx model.Tx) error {
		ofTarget, ofOrg, err := tx.Outbox.Claimed(f.ctx, org, w.ID)
		if ofTarget != 0 || ofOrg != 0 {
			t.Errorf("%d deliveries to the receiver and %d of the organization are in flight", ofTarget, ofOrg)
		}
		return err
	}))
}
