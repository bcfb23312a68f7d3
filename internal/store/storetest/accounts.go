package storetest

import (
	"github.com/intraydata/intray/internal/service"
)

func testOrgs(f *fixture) {
	f.same(read(f, func(tx service.Tx) ([]service.Org, error) { return tx.Accounts.Orgs(f.ctx) }),
		[]service.Org{f.a, f.b})
	f.same(read(f, func(tx service.Tx) (service.Org, error) { return tx.Accounts.OrgByName(f.ctx, "Beta") }), f.b)
	f.missing(func(tx service.Tx) error {
		_, err := tx.Accounts.OrgByName(f.ctx, "beta")
		return err
	})
	for _, taken := range []service.Org{{ID: "org-c", Name: "Alpha"}, {ID: "org-a", Name: "Gamma"}} {
		f.refused(service.Conflict, func(tx service.Tx) error { return tx.Accounts.InsertOrg(f.ctx, taken) })
	}
}

func testLicences(f *fixture) {
	late := service.Licence{ID: "l-2", Org: "org-a", Kind: service.Frontend, Hash: []byte{0, 255, 1}, Hint: "fk_ab…", Created: after(9)}
	soon := service.Licence{ID: "l-1", Org: "org-b", Kind: service.Backend, Hash: []byte("hash"), Hint: "bk_ab…",
		Created: after(3), Expires: after(60)}
	f.update(func(tx service.Tx) error {
		if err := tx.Accounts.InsertLicence(f.ctx, late); err != nil {
			return err
		}
		return tx.Accounts.InsertLicence(f.ctx, soon)
	})
	byHash := func(hash string) func(service.Tx) (service.Licence, error) {
		return func(tx service.Tx) (service.Licence, error) { return tx.Accounts.LicenceByHash(f.ctx, []byte(hash)) }
	}
	f.same(read(f, byHash("\x00\xff\x01")), late)
	f.same(read(f, byHash("hash")), soon)
	f.missing(func(tx service.Tx) error { _, err := byHash("")(tx); return err })

	again := service.Licence{ID: "l-3", Org: "org-a", Kind: service.Backend, Hash: []byte("hash")}
	f.refused(service.Conflict, func(tx service.Tx) error { return tx.Accounts.InsertLicence(f.ctx, again) })

	for _, minute := range []int{20, 30} {
		f.update(func(tx service.Tx) error { return tx.Accounts.RevokeLicence(f.ctx, "l-1", after(minute)) })
	}
	soon.Revoked = after(20)
	f.same(read(f, func(tx service.Tx) ([]service.Licence, error) { return tx.Accounts.Licences(f.ctx) }),
		[]service.Licence{soon, late})
	f.refused(service.NotFound, func(tx service.Tx) error { return tx.Accounts.RevokeLicence(f.ctx, "l-9", after(1)) })
}
