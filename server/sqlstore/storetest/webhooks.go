package storetest

import (
	"fmt"
	"sync"
	"time"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/server/model"
)

func aWebhook(n int, org string) model.Webhook {
	return model.Webhook{
		ID: id("webhook", n), Org: org, URL: "https://example.org/ü", Enabled: true, Development: "true", Events: []string{"import_completed"}, Identifiers: []string{"a", "b"},
		Sealed: []byte{0, 255}, Rotated: startPlus(n), Created: startPlus(n), Modified: startPlus(n),
	}
}

func testWebhooks(f *fixture) {
	f.mustUpdate(func(tx model.Tx) error {
		return firstError(tx.Webhooks.Insert(f.ctx, aWebhook(2, "org-a")), tx.Webhooks.Insert(f.ctx, aWebhook(1, "org-a")), tx.Webhooks.Insert(f.ctx, aWebhook(3, "org-b")))
	})
	f.wantRefused(model.Conflict, func(tx model.Tx) error { return tx.Webhooks.Insert(f.ctx, aWebhook(1, "org-a")) })
	list := func(org string) []model.Webhook {
		return read(f, func(tx model.Tx) ([]model.Webhook, error) { return tx.Webhooks.List(f.ctx, org) })
	}
	f.wantEqual(list("org-a"), []model.Webhook{aWebhook(1, "org-a"), aWebhook(2, "org-a")})
	want := aWebhook(2, "org-a")
	want.URL, want.Enabled, want.Development, want.Events, want.SchemaIDs, want.Before = "http://x", false, "", nil, []string{"s"}, []byte("b")
	want.FailureStreak = model.FailureStreak{Since: startPlus(7), Last: startPlus(9), Failures: 3}
	asked := want
	asked.Created = startPlus(99)
	f.mustUpdate(func(tx model.Tx) error { return tx.Webhooks.Save(f.ctx, asked) })
	f.wantEqual(read(f, func(tx model.Tx) (model.Webhook, error) { return tx.Webhooks.Get(f.ctx, "org-a", want.ID) }), want)
	f.wantNotFound(func(tx model.Tx) error { _, err := tx.Webhooks.Get(f.ctx, "org-b", want.ID); return err })

	d := aDelivery(1, want.ID, "imp")
	f.mustUpdate(func(tx model.Tx) error {
		return firstError(tx.Deliveries.Insert(f.ctx, d), tx.Deliveries.Attempted(f.ctx, anAttempt(d.ID, 1)), tx.Webhooks.Delete(f.ctx, "org-a", want.ID))
	})
	f.wantEqual(len(list("org-a")), 1)
	f.wantNotFound(func(tx model.Tx) error { _, err := tx.Deliveries.Get(f.ctx, "org-a", d.ID); return err })
	f.wantRefused(model.NotFound, func(tx model.Tx) error { return tx.Webhooks.Delete(f.ctx, "org-b", aWebhook(1, "").ID) })
}

// aDelivery returns the delivery of the n-th message about an import to a target.
func aDelivery(n int, target, importID string) model.Delivery {
	return model.Delivery{
		ID: fmt.Sprintf("msg_%03d", n), Org: "org-a", WebhookID: target, ImportID: importID, Target: target, Event: "import_completed", URL: "https://example.org",
		ContentType: "application/json", Body: []byte(`{"a":1}`), Status: model.Waiting, Due: startPlus(n), Created: startPlus(n),
	}
}

func anAttempt(deliveryID string, n int) model.Attempt {
	return model.Attempt{
		DeliveryID: deliveryID, Number: n, At: startPlus(n), Took: 1500 * time.Microsecond, Answered: time.Millisecond, Delivered: n > 1, Status: 503,
		Message: intray.NewMessage("webhook.rejected", intray.Params{"status": "503"}), Head: map[string][]string{"A": {"1", "2"}}, Body: []byte{0, 255},
	}
}

func testDeliveries(f *fixture) {
	f.mustUpdate(func(tx model.Tx) error {
		for _, d := range []model.Delivery{
			aDelivery(1, "one", "imp-1"), aDelivery(2, "one", "imp-1"), aDelivery(3, "one", "imp-2"), aDelivery(4, "two", "imp-1"), aDelivery(50, "late", "imp-1"),
		} {
			if err := tx.Deliveries.Insert(f.ctx, d); err != nil {
				return err
			}
		}
		return nil
	})
	perOrg := 10
	targets := func() []model.Target {
		return read(f, func(tx model.Tx) ([]model.Target, error) {
			return tx.Outbox.Targets(f.ctx, startPlus(10), perOrg, 10)
		})
	}
	take := func(target, node string, most int) (ids []string) {
		f.mustUpdate(func(tx model.Tx) error {
			ids = nil
			list, err := tx.Outbox.ClaimDue(f.ctx, target, node, startPlus(10), most)
			for _, d := range list {
				ids = append(ids, d.ID)
			}
			return err
		})
		return ids
	}
	perOrg = 1
	f.wantEqual(targets(), []model.Target{{Org: "org-a", Key: "one"}})
	perOrg = 2
	f.wantEqual(targets(), []model.Target{{Org: "org-a", Key: "one"}, {Org: "org-a", Key: "two"}})
	f.wantEqual(take("one", "n1", 1), []string{"msg_001"})
	f.wantEqual(take("one", "n1", 9), []string{"msg_003"}) // the second message of the first import waits for the first one
	f.wantEqual(take("one", "n1", 9), []string(nil))
	f.wantEqual(targets(), []model.Target{{Org: "org-a", Key: "one"}, {Org: "org-a", Key: "two"}})

	first := aDelivery(1, "one", "imp-1")
	first.Status, first.Tries, first.Due = model.Delivered, 1, startPlus(20)
	f.mustUpdate(func(tx model.Tx) error {
		return firstError(tx.Deliveries.Save(f.ctx, first), tx.Deliveries.Attempted(f.ctx, anAttempt(first.ID, 1)), tx.Deliveries.Attempted(f.ctx, anAttempt(first.ID, 2)))
	})
	f.wantEqual(read(f, func(tx model.Tx) ([]model.Attempt, error) { return tx.Deliveries.Attempts(f.ctx, first.ID) }), []model.Attempt{anAttempt(first.ID, 1), anAttempt(first.ID, 2)})
	f.wantEqual(take("one", "n2", 9), []string{"msg_002"})
	f.mustUpdate(func(tx model.Tx) error { return tx.Outbox.GiveBack(f.ctx, "n1") })
	f.wantEqual(take("one", "n2", 9), []string{"msg_003"})
	f.mustUpdate(func(tx model.Tx) error { return onlyError(tx.Outbox.MakeDue(f.ctx, "late", startPlus(9), 9)) })
	f.wantEqual(take("late", "n2", 9), []string{"msg_050"})
	list := func(webhook string) (ids []string) {
		f.mustView(func(tx model.Tx) error {
			ids = nil
			got, total, err := split(tx.Deliveries.List(f.ctx, "org-a", webhook, model.PageRequest{Limit: 2}))
			for _, d := range got {
				ids = append(ids, fmt.Sprintf("%s %s %d of %d", d.ID, d.Status, d.Tries, total))
			}
			return err
		})
		return ids
	}
	f.mustUpdate(func(tx model.Tx) error {
		none, err := tx.Deliveries.Requeue(f.ctx, "org-a", "one", model.DeliveryPosition{Created: first.Created, ID: first.ID}, startPlus(30), 9)
		f.wantEqual(len(none), 0)
		n, failed := tx.Deliveries.Requeue(f.ctx, "org-a", "one", model.DeliveryPosition{Created: startPlus(1)}, startPlus(30), 9)
		f.wantEqual(n, []model.DeliveryPosition{{Created: first.Created, ID: first.ID}})
		return firstError(err, failed, onlyError(tx.Outbox.GiveUp(f.ctx, "two", 9)))
	})
	f.wantEqual(list("one"), []string{"msg_003 WAITING 0 of 3", "msg_002 WAITING 0 of 3"})
	f.wantEqual(list("two"), []string{"msg_004 FAILED 0 of 1"})
	f.mustUpdate(func(tx model.Tx) error { return tx.Outbox.EraseImport(f.ctx, "imp-1") })
	blank := read(f, func(tx model.Tx) (model.Delivery, error) { return tx.Deliveries.Get(f.ctx, "org-a", first.ID) })
	f.wantEqual([]any{blank.Body == nil, blank.URL, blank.Status}, []any{true, "", model.GivenUp})
	f.wantEqual(read(f, func(tx model.Tx) ([]model.Attempt, error) { return tx.Deliveries.Attempts(f.ctx, first.ID) }), []model.Attempt(nil))
	f.mustUpdate(func(tx model.Tx) error {
		n, err := tx.Outbox.DeleteBefore(f.ctx, startPlus(4), 9)
		f.wantEqual(n, int64(2)) // the third delivery waits
		return err
	})
}

// testDeliveryOrder checks that deliveries about an import remain in the order in which they were
// inserted, although the clock goes back.
func testDeliveryOrder(f *fixture) {
	created := map[string]time.Time{}
	for _, c := range []struct {
		n, minute int
		imp       string
	}{{1, 5, "imp"}, {2, 3, "imp"}, {3, 5, "imp"}, {4, 9, "imp"}, {5, 1, "other"}, {6, 1, ""}, {7, 0, ""}} {
		d := aDelivery(c.n, "hook", c.imp)
		d.Created = startPlus(c.minute)
		f.mustUpdate(func(tx model.Tx) error { return tx.Deliveries.Insert(f.ctx, d) })
		stored := read(f, func(tx model.Tx) (model.Delivery, error) { return tx.Deliveries.Get(f.ctx, "org-a", d.ID) })
		created[d.ID] = stored.Created
	}
	f.wantEqual(created, map[string]time.Time{
		"msg_001": startPlus(5), "msg_002": startPlus(5).Add(time.Microsecond), "msg_003": startPlus(5).Add(2 * time.Microsecond),
		"msg_004": startPlus(9), "msg_005": startPlus(1), "msg_006": startPlus(1), "msg_007": startPlus(0),
	})
}

// onlyError returns the error of a call that also returns a number.
func onlyError(_ int64, err error) error { return err }

// testDeliveryLimits checks that the calls that change many deliveries respect their limits.
func testDeliveryLimits(f *fixture) {
	w := aWebhook(1, "org-a")
	f.mustUpdate(func(tx model.Tx) error {
		errs := []error{tx.Webhooks.Insert(f.ctx, w)}
		for n := 1; n <= 5; n++ {
			d := aDelivery(n, w.ID, fmt.Sprint("imp-", n))
			d.Created = startPlus(n / 2) // the times are equal in pairs
			errs = append(errs, tx.Deliveries.Insert(f.ctx, d))
		}
		return firstError(errs...)
	})
	repeat := func(call func(tx model.Tx) (int64, error)) (all []int64) {
		for n := int64(2); n == 2; all = append(all, n) {
			f.mustUpdate(func(tx model.Tx) (err error) {
				n, err = call(tx)
				return err
			})
		}
		return all
	}
	f.wantEqual(repeat(func(tx model.Tx) (int64, error) { return tx.Outbox.MakeDue(f.ctx, w.ID, startPlus(0), 2) }), []int64{2, 2, 1})
	f.wantEqual(repeat(func(tx model.Tx) (int64, error) { return tx.Outbox.GiveUp(f.ctx, w.ID, 2) }), []int64{2, 2, 1})
	after := model.DeliveryPosition{Created: startPlus(1)}
	f.wantEqual(repeat(func(tx model.Tx) (int64, error) {
		list, err := tx.Deliveries.Requeue(f.ctx, "org-a", w.ID, after, startPlus(9), 2)
		for _, p := range list {
			if p.Created.After(after.Created) || p.Created.Equal(after.Created) && p.ID > after.ID {
				after = p
			}
		}
		return int64(len(list)), err
	}), []int64{2, 2, 0}) // without the first one
	f.wantEqual(repeat(func(tx model.Tx) (int64, error) { return tx.Webhooks.DeleteDeliveries(f.ctx, "org-a", w.ID, 2) }), []int64{2, 2, 1})
}

// testClaimedDeliveries checks the numbers of claimed deliveries, and that transactions that depend
// on them run one after the other for each organization.
func testClaimedDeliveries(f *fixture) {
	insert := func(org string, n int, target, node string) {
		d := aDelivery(n, target, id("import", n))
		d.Org, d.Node = org, node
		f.mustUpdate(func(tx model.Tx) error { return tx.Deliveries.Insert(f.ctx, d) })
	}
	insert("org-a", 1, "one", "n1")
	insert("org-a", 2, "one", "n2")
	insert("org-a", 3, "one", "")
	insert("org-a", 4, "two", "n2")
	insert("org-b", 5, "one", "n1")
	for want, of := range map[[2]int][2]string{{2, 3}: {"org-a", "one"}, {1, 3}: {"org-a", "two"}, {0, 3}: {"org-a", "none"}, {1, 1}: {"org-b", "one"}} {
		f.mustUpdate(func(tx model.Tx) error {
			ofTarget, ofOrg, err := tx.Outbox.Claimed(f.ctx, of[0], of[1])
			f.wantEqual([2]int{ofTarget, ofOrg}, want)
			return err
		})
	}
	for n := range 20 {
		insert("org-a", 10+n, "busy", "")
	}
	var group sync.WaitGroup
	for n := range 8 {
		group.Go(func() {
			err := f.store.Update(f.ctx, func(tx model.Tx) error {
				ofTarget, _, err := tx.Outbox.Claimed(f.ctx, "org-a", "busy")
				if err != nil || ofTarget > 0 {
					return err
				}
				_, err = tx.Outbox.ClaimDue(f.ctx, "busy", fmt.Sprint("n", n), startPlus(99), 3)
				return err
			})
			if err != nil {
				f.Error(err)
			}
		})
	}
	group.Wait()
	f.mustUpdate(func(tx model.Tx) error {
		ofTarget, _, err := tx.Outbox.Claimed(f.ctx, "org-a", "busy")
		f.wantEqual(ofTarget, 3)
		return err
	})
}
