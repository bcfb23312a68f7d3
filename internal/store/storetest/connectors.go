package storetest

import (
	"github.com/intraydata/intray"
	"github.com/intraydata/intray/internal/service"
)

func aCredential(n int, org string) service.Credential {
	return service.Credential{ID: id("credential", n), Org: org, Hostname: "sftp.example.org", Port: 22, User: "u",
		AuthType: service.AuthKey, Sealed: []byte{0, 1, 255}, Fingerprint: "SHA256:x", Created: after(n), Modified: after(n)}
}

func testCredentials(f *fixture) {
	f.update(func(tx service.Tx) error {
		for n := range 6 {
			if err := tx.Credentials.Insert(f.ctx, aCredential(n, []string{"org-a", "org-b"}[n%2])); err != nil {
				return err
			}
		}
		return nil
	})
	f.refused(service.Conflict, func(tx service.Tx) error { return tx.Credentials.Insert(f.ctx, aCredential(1, "org-a")) })
	list := func(offset, limit int64) (list []service.Credential) {
		f.view(func(tx service.Tx) error {
			got, total, err := tx.Credentials.List(f.ctx, "org-a", offset, limit)
			f.same(total, int64(3))
			list = got
			return err
		})
		return list
	}
	f.same(list(0, 2), []service.Credential{aCredential(4, "org-a"), aCredential(2, "org-a")})
	f.same(list(2, 2), []service.Credential{aCredential(0, "org-a")})
	f.same(list(3, 2), []service.Credential(nil))

	want := aCredential(2, "org-a")
	want.Hostname, want.Port, want.User, want.AuthType, want.Sealed = "h", 2222, "v", service.AuthPassword, []byte("p")
	want.Fingerprint, want.HostKey, want.Modified = "f", "k", after(50)
	asked := want
	asked.Created = after(99)
	f.update(func(tx service.Tx) error { return tx.Credentials.Save(f.ctx, asked) })
	f.same(read(f, func(tx service.Tx) (service.Credential, error) {
		return tx.Credentials.Get(f.ctx, "org-a", want.ID)
	}), want)

	f.update(func(tx service.Tx) error { return tx.Credentials.Delete(f.ctx, "org-a", want.ID) })
	f.missing(func(tx service.Tx) error { _, err := tx.Credentials.Get(f.ctx, "org-a", want.ID); return err })
}

func aConnector(n int, org string) service.Connector {
	return service.Connector{
		ID: id("connector", n), Org: org, CredentialID: "c", SchemaID: "s", Schedule: service.Schedule{Minutes: 5}, Directory: "/in", Pattern: `\.csv$`,
		PutDirectory: "/out", PutFormat: "csv", Next: after(n), Created: after(n), Modified: after(n),
	}
}

func testConnectors(f *fixture) {
	f.update(func(tx service.Tx) error {
		return firstError(tx.Connectors.Insert(f.ctx, aConnector(2, "org-a")), tx.Connectors.Insert(f.ctx, aConnector(1, "org-a")), tx.Connectors.Insert(f.ctx, aConnector(3, "org-b")))
	})
	list := func(org string) []service.Connector {
		return read(f, func(tx service.Tx) ([]service.Connector, error) { return tx.Connectors.List(f.ctx, org) })
	}
	f.same(list("org-a"), []service.Connector{aConnector(1, "org-a"), aConnector(2, "org-a")})
	take := func(node string, now int) (id string) {
		f.update(func(tx service.Tx) error {
			c, err := tx.Connectors.Take(f.ctx, node, after(now))
			if id = c.ID; service.IsKind(err, service.NotFound) {
				return nil
			}
			return err
		})
		return id
	}
	f.same([]string{take("n", 0), take("n", 2), take("n", 2), take("n", 2)}, []string{"", id("connector", 1), id("connector", 2), ""})
	f.update(func(tx service.Tx) error { return tx.Connectors.GiveBack(f.ctx, "n") })
	want := aConnector(2, "org-a")
	want.Schedule, want.Directory, want.PutDirectory, want.Last, want.Failures = service.Schedule{Daily: "07:30"}, "/x", "", after(8), 3
	f.update(func(tx service.Tx) error { return tx.Connectors.Save(f.ctx, want) })
	f.same(read(f, func(tx service.Tx) (service.Connector, error) { return tx.Connectors.Get(f.ctx, "org-a", want.ID) }), want)
	f.missing(func(tx service.Tx) error { _, err := tx.Connectors.Get(f.ctx, "org-b", want.ID); return err })
	testPulled(f, want.ID)
	f.update(func(tx service.Tx) error { return tx.Connectors.Delete(f.ctx, "org-a", want.ID) })
	f.same(len(read(f, func(tx service.Tx) ([]service.Pulled, error) { return tx.Pulled.Of(f.ctx, want.ID) })), 0)
}

// testPulled is of the files and runs of one connector.
func testPulled(f *fixture, connector string) {
	one := service.Pulled{Org: "org-a", ConnectorID: connector, File: service.RemoteFile{Path: "/in/ü.csv", Size: 7, Modified: after(1)}, Since: after(2)}
	newer := one
	newer.File.Modified = after(3)
	f.update(func(tx service.Tx) error {
		return firstError(tx.Pulled.Put(f.ctx, newer), tx.Pulled.Put(f.ctx, one))
	})
	of := func() []service.Pulled {
		return read(f, func(tx service.Tx) ([]service.Pulled, error) { return tx.Pulled.Of(f.ctx, connector) })
	}
	f.same(of(), []service.Pulled{one, newer})
	one.Taken, one.ImportID, one.Put, one.PutDue, one.PutTries, one.PutTold, one.Gone = true, "imp", "WAITING", after(5), 2, intray.Literal("x"), after(9)
	f.update(func(tx service.Tx) error {
		return firstError(tx.Pulled.Put(f.ctx, one), tx.Pulled.Drop(f.ctx, connector, newer.File))
	})
	f.same(of(), []service.Pulled{one})
	f.same(read(f, func(tx service.Tx) (service.Pulled, error) { return tx.Pulled.ByImport(f.ctx, "imp") }), one)
	f.same(read(f, func(tx service.Tx) (service.Pulled, error) { return tx.Pulled.Get(f.ctx, connector, one.File) }), one)
	f.missing(func(tx service.Tx) error { _, err := tx.Pulled.Get(f.ctx, connector, newer.File); return err })
	due := func(now int) []service.Pulled {
		return read(f, func(tx service.Tx) ([]service.Pulled, error) { return tx.Pulled.ToPut(f.ctx, after(now), 9) })
	}
	f.same(len(due(4)), 0)
	f.same(due(5), []service.Pulled{one})

	run := service.Pull{ID: "p1", ConnectorID: connector, Began: after(1), Ended: after(2), Kind: "k", Told: intray.NewMessage("connector.more_left_for_later", intray.Params{"n": 3}), Listed: 3, Fetched: 2, Waiting: 1, Skipped: []intray.Message{intray.Literal("a"), intray.NewMessage("sftp.symbolic_link", nil)}}
	again := run
	again.ID, again.Began, again.Succeeded = "p2", after(7), true
	f.update(func(tx service.Tx) error {
		return firstError(tx.Pulls.Insert(f.ctx, run), tx.Pulls.Insert(f.ctx, again))
	})
	runs := func() (all []service.Pull) {
		f.view(func(tx service.Tx) error {
			list, total, err := tx.Pulls.List(f.ctx, connector, 0, 9)
			f.same(total, int64(len(list)))
			all = list
			return err
		})
		return all
	}
	f.same(runs(), []service.Pull{again, run})
	f.update(func(tx service.Tx) error { return tx.Pulls.Trim(f.ctx, connector, 1) })
	f.same(runs(), []service.Pull{again})
}
