package storetest

import (
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
