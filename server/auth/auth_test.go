package auth

import (
	"cmp"
	"context"
	"crypto/rand"
	"encoding/base64"
	"errors"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/server/model"
	"github.com/intraydata/intray/server/secrets"
)

var started = time.Date(2026, 3, 4, 5, 6, 7, 0, time.UTC)

// emptyStore is a store without organizations. It records the licences that are inserted.
type emptyStore struct {
	model.Store
	model.AccountRows
	inserted []model.Licence
	err      error
	// insertErr is the error of InsertOrg. Default err.
	insertErr error
}

func (s *emptyStore) Update(_ context.Context, work func(model.Tx) error) error {
	return work(model.Tx{Accounts: s})
}

func (s *emptyStore) View(_ context.Context, work func(model.Tx) error) error {
	return work(model.Tx{Accounts: s})
}

func (s *emptyStore) Orgs(context.Context) ([]model.Org, error) { return nil, s.err }

func (s *emptyStore) OrgByName(_ context.Context, name string) (model.Org, error) {
	return model.Org{ID: "the id of " + name, Name: name}, s.err
}

func (s *emptyStore) InsertOrg(context.Context, model.Org) error { return cmp.Or(s.insertErr, s.err) }

func (s *emptyStore) InsertLicence(_ context.Context, l model.Licence) error {
	s.inserted = append(s.inserted, l)
	return s.err
}

func newService(t *testing.T, store model.Store) *Service {
	t.Helper()
	master, err := secrets.ParseMaster(base64.StdEncoding.EncodeToString([]byte(strings.Repeat("m", 32))))
	if err != nil {
		t.Fatal(err)
	}
	s, err := New(&model.Env{Store: store, Keys: master.Keyring(), Rand: rand.Reader, Log: slog.New(slog.DiscardHandler), Clock: func() time.Time { return started }})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// TestFirstKeysAreOrdered checks that the backend key is always first. Twenty calls
// make it unlikely that a random order passes.
func TestFirstKeysAreOrdered(t *testing.T) {
	for range 20 {
		store := &emptyStore{}
		made, err := newService(t, store).Bootstrap(t.Context(), FirstKeys{})
		if err != nil || len(made) != 2 || made[0].Licence.Kind != model.Backend || made[1].Licence.Kind != model.Frontend {
			t.Fatalf("created %+v, %v", made, err)
		}
		if len(store.inserted) != 2 || store.inserted[0].ID != made[0].Licence.ID || store.inserted[1].ID != made[1].Licence.ID {
			t.Fatalf("inserted %+v", store.inserted)
		}
	}
	errStore := errors.New("disk full")
	if made, err := newService(t, &emptyStore{err: errStore}).Bootstrap(t.Context(), FirstKeys{}); made != nil || !errors.Is(err, errStore) {
		t.Errorf("with a failing store: created %+v, %v", made, err)
	}
}

// TestFirstKeysOfAnotherProcess checks that a process does not fail if another one creates the
// organization at the same time.
func TestFirstKeysOfAnotherProcess(t *testing.T) {
	store := &emptyStore{insertErr: model.NewError(model.Conflict, "exists", intray.NewMessage("store.already_there", nil))}
	if made, err := newService(t, store).Bootstrap(t.Context(), FirstKeys{}); made != nil || err != nil || len(store.inserted) > 0 {
		t.Errorf("created %+v, inserted %+v, %v", made, store.inserted, err)
	}
}

func TestOrgNames(t *testing.T) {
	s := newService(t, &emptyStore{})
	for name, want := range map[string]string{
		"A":                                 "A",
		" Alpha Beta\t":                     "Alpha Beta",
		strings.Repeat("n", 200):            strings.Repeat("n", 200),
		strings.Repeat("ä", 100):            strings.Repeat("ä", 100),
		strings.Repeat("n", 200) + "    ":   strings.Repeat("n", 200),
		strings.Repeat("n", 201):            "",
		strings.Repeat("ä", 100) + "n":      "",
		"":                                  "",
		" ":                                 "",
		"a\nb":                              "",
		"a\x00":                             "",
		strings.Repeat(" ", 300) + "A":      "A",
		strings.Repeat("n", 199) + "\u0085": strings.Repeat("n", 199),
	} {
		org, err := s.CreateOrg(t.Context(), name)
		if org.Name != want || model.IsKind(err, model.Invalid) != (want == "") || err != nil && want != "" {
			t.Errorf("%q: got %q, %v, want %q", name, org.Name, err, want)
		}
	}
}

func TestLifetimeOfKeys(t *testing.T) {
	for lifetime, want := range map[time.Duration]time.Time{0: {}, 1: started.Add(1), time.Hour: started.Add(time.Hour)} {
		store := &emptyStore{}
		made, err := newService(t, store).CreateKey(t.Context(), "Alpha", model.Frontend, lifetime)
		if err != nil || !made.Licence.Expires.Equal(want) || made.Licence.Org != "the id of Alpha" || !made.Licence.Created.Equal(started) {
			t.Errorf("%s: %+v, %v", lifetime, made, err)
		}
		if rest, ok := strings.CutPrefix(made.Key, "fk_"); !ok || len(rest) != 43 || made.Licence.Hint != made.Key[:7]+"…" || len(store.inserted) != 1 {
			t.Errorf("the key is %q with the hint %q, inserted %d", made.Key, made.Licence.Hint, len(store.inserted))
		}
	}
	store := &emptyStore{}
	if _, err := newService(t, store).CreateKey(t.Context(), "Alpha", model.Frontend, -1); !model.IsKind(err, model.Invalid) || len(store.inserted) > 0 {
		t.Errorf("a negative lifetime: %v, inserted %d", err, len(store.inserted))
	}
}

func TestGrantsExpire(t *testing.T) {
	s := newService(t, &emptyStore{})
	end := started.Add(time.Hour)
	link := intray.Literal("link")
	for _, c := range []struct {
		expires int64
		now     time.Time
		valid   bool
	}{
		{0, end.Add(1000 * time.Hour), true},
		{ExpiryUnix(end), end.Add(-1), true},
		{ExpiryUnix(end), end, false},
		{ExpiryUnix(end.Add(1)), end, true},
		{ExpiryUnix(end.Add(1)), end.Add(time.Second - 1), true},
		{ExpiryUnix(end.Add(1)), end.Add(time.Second), false},
		{ExpiryUnix(end.Add(time.Second)), end.Add(time.Second - 1), true},
		{ExpiryUnix(end.Add(time.Second)), end.Add(time.Second), false},
	} {
		want := Grant{Org: "o", ID: "i", Expires: c.expires, What: "csv"}
		token, err := SignGrant(s.licenceKey, want)
		if err != nil {
			t.Fatal(err)
		}
		got, err := decodeGrant(s.licenceKey, token, link, c.now)
		if c.valid && (err != nil || got != want) || !c.valid && (!model.IsKind(err, model.Denied) || got != Grant{}) {
			t.Errorf("expiry %d at %s: %+v, %v", c.expires, c.now, got, err)
		}
		if got, err := decodeGrant(s.idempotencyKey, token, link, started); !model.IsKind(err, model.Denied) || got != (Grant{}) {
			t.Errorf("with a different key: %+v, %v", got, err)
		}
	}
}
