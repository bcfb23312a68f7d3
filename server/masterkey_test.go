package server

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/intraydata/intray/server/connectors"
	"github.com/intraydata/intray/server/model"
	"github.com/intraydata/intray/server/secrets"
	"github.com/intraydata/intray/server/service"
	"github.com/intraydata/intray/server/sqlstore"
	"github.com/intraydata/intray/server/webhooks"
	"github.com/intraydata/intray/test/livetest"
)

// keyFixture is a store with one of everything that depends on the internal keys.
type keyFixture struct {
	*testing.T
	cfg Config

	org, key, token string
	webhookSecret   secrets.Secret
	signingSecret   secrets.Secret
	answer          []byte
}

const tokenPurpose, answerPurpose = "review links", "kept answers"

// newKeyFixture fills a store. If formerly is true, the store is one of a version that derived all
// keys from the master key itself.
func newKeyFixture(t *testing.T, cfg Config, formerly bool) *keyFixture {
	t.Helper()
	f := &keyFixture{T: t, cfg: cfg}
	must(t, os.MkdirAll(cfg.Data, 0o700))
	rows := f.openRows()
	defer func() { must(t, rows.Close()) }()
	if formerly {
		master, err := secrets.ParseMaster(cfg.MasterKey)
		if cfg.MasterKey == "" {
			master, err = secrets.LoadOrCreate(cfg.masterKeyPath())
		}
		must(t, err)
		_, err = rows.EnsureKeyMarks(model.AcrossOrgs(t.Context()), sqlstore.KeyMarks{MasterID: master.ID()})
		must(t, err)
		f.insert(rows, master.Keyring())
		return f
	}
	keys, err := openKeyring(model.AcrossOrgs(t.Context()), cfg, rows)
	must(t, err)
	f.insert(rows, keys)
	return f
}

func (f *keyFixture) openRows() *sqlstore.Store {
	f.Helper()
	rows, err := openStore(model.AcrossOrgs(f.Context()), f.cfg, "")
	must(f.T, err)
	return rows
}

func (f *keyFixture) insert(rows *sqlstore.Store, keys secrets.Keyring) {
	f.Helper()
	made, err := service.New(service.Config{Store: rows, Keys: keys, SFTP: sftpServers{}, WebhookSender: &webhookSender{}, Node: "a/1", Log: slog.New(slog.DiscardHandler)})
	must(f.T, err)
	defer func() { must(f.T, made.Close()) }()
	org, err := made.CreateOrg(model.AcrossOrgs(f.Context()), "Alpha")
	must(f.T, err)
	f.org = org.ID
	key, err := made.CreateKey(model.AcrossOrgs(f.Context()), "Alpha", model.Backend, 0)
	must(f.T, err)
	f.key = key.Key
	w, secret, err := made.CreateWebhook(model.AcrossOrgs(f.Context()), f.org, webhooks.Draft{Listens: true, Enabled: true})
	must(f.T, err)
	// A rotated webhook has two secrets.
	_, f.webhookSecret, err = made.RotateWebhook(model.AcrossOrgs(f.Context()), f.org, w.ID)
	must(f.T, err)
	if secret.Equal(f.webhookSecret) {
		f.Fatal("the webhook has one secret")
	}
	_, err = made.CreateCredential(model.AcrossOrgs(f.Context()), f.org, connectors.CredentialDraft{
		Hostname: "sftp.example.org", Port: 22, User: "anna", AuthType: model.AuthPassword, Password: secrets.NewSecret("hunter2"),
	})
	must(f.T, err)
	f.signingSecret, f.token = made.SigningSecret(f.org), keys.TokenKey(tokenPurpose).Sign([]byte("grant"))
	answers, err := keys.Cipher(answerPurpose)
	must(f.T, err)
	f.answer, err = answers.Seal([]byte("answer"), f.org, "id")
	must(f.T, err)
}

// check checks that everything in the fixture works with these keys.
func (f *keyFixture) check(rows *sqlstore.Store, keys secrets.Keyring, wantToken bool) {
	f.Helper()
	made, err := service.New(service.Config{Store: rows, Keys: keys, SFTP: sftpServers{}, Node: "a/1", Log: slog.New(slog.DiscardHandler)})
	must(f.T, err)
	defer func() { must(f.T, made.Close()) }()
	if l, err := made.Authenticate(model.AcrossOrgs(f.Context()), f.key); err != nil || l.Org != f.org {
		f.Errorf("the API key: %v", err)
	}
	if !made.SigningSecret(f.org).Equal(f.signingSecret) {
		f.Error("the signing secret has changed")
	}
	if _, err := keys.TokenKey(tokenPurpose).Verify(f.token); (err == nil) != wantToken {
		f.Errorf("the token: %v, want it valid: %v", err, wantToken)
	}
	if got, err := openSealed(keys, answerPurpose, f.answer, f.org, "id"); err != nil || got != "answer" {
		f.Errorf("the stored answer: %q, %v", got, err)
	}
	for what, sealed := range f.sealed(rows) {
		got, err := openSealed(keys, model.SecretLabel, sealed.bytes, f.org, sealed.id)
		if err != nil || got == "" || what == "webhook" && got != f.webhookSecret.Reveal() || what == "credential" && got != "hunter2" {
			f.Errorf("the secret of the %s: %v", what, err)
		}
	}
}

func openSealed(keys secrets.Keyring, label string, sealed []byte, org, id string) (string, error) {
	c, err := keys.Cipher(label)
	if err != nil {
		return "", err
	}
	plain, err := c.Open(sealed, org, id)
	return string(plain), err
}

type sealedSecret struct {
	id    string
	bytes []byte
}

// sealed returns the encrypted secrets in the database.
func (f *keyFixture) sealed(rows *sqlstore.Store) map[string]sealedSecret {
	f.Helper()
	list := map[string]sealedSecret{}
	must(f.T, rows.View(model.AcrossOrgs(f.Context()), func(tx model.Tx) error {
		hooks, err := tx.Webhooks.List(model.AcrossOrgs(f.Context()), f.org)
		must(f.T, err)
		list["webhook"], list["webhook, before"] = sealedSecret{hooks[0].ID, hooks[0].Sealed}, sealedSecret{hooks[0].ID, hooks[0].Before}
		logins, err := tx.Credentials.List(model.AcrossOrgs(f.Context()), f.org, model.PageRequest{Limit: 1})
		list["credential"] = sealedSecret{logins.Rows[0].ID, logins.Rows[0].Sealed}
		return err
	}))
	return list
}

// checkStart checks that a process that starts now can use everything.
func (f *keyFixture) checkStart(wantToken bool) {
	f.Helper()
	rows := f.openRows()
	defer func() { must(f.T, rows.Close()) }()
	keys, err := openKeyring(model.AcrossOrgs(f.Context()), f.cfg, rows)
	must(f.T, err)
	f.check(rows, keys, wantToken)
}

const (
	firstKey  = "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA="
	secondKey = "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAE="
)

// eachKeyStore runs a test with each database, with the key in a file and in the environment, and
// with stores of the given ages: true means an earlier version.
func eachKeyStore(t *testing.T, ages []bool, test func(*keyFixture)) {
	databases := map[string]func(testing.TB) string{"sqlite": func(testing.TB) string { return "" }, "postgres": livetest.Postgres}
	for database, address := range databases {
		for location, key := range map[string]string{"file": "", "environment": firstKey} {
			for _, formerly := range ages {
				t.Run(fmt.Sprintf("%s %s %v", database, location, formerly), func(t *testing.T) {
					cfg := good()
					cfg.Data, cfg.DatabaseURL, cfg.Log = filepath.Join(t.TempDir(), "data"), address(t), slog.New(slog.DiscardHandler)
					if cfg.MasterKey = key; key != "" {
						cfg.NewMasterKey = secondKey
					}
					test(newKeyFixture(t, cfg, formerly))
				})
			}
		}
	}
}

// TestRotateMaster checks that a rotation breaks nothing, neither in a process that runs nor in one
// that starts later, and that the old master key is then useless.
func TestRotateMaster(t *testing.T) {
	eachKeyStore(t, []bool{false, true}, func(f *keyFixture) {
		f.checkStart(true) // The first start of this version converts an older store.
		rows := f.openRows()
		running, err := openKeyring(model.AcrossOrgs(f.Context()), f.cfg, rows)
		must(f.T, err)
		old, err := f.cfg.currentMaster()
		must(f.T, err)

		done, err := RotateMaster(model.AcrossOrgs(f.Context()), f.cfg, false)
		must(f.T, err)
		if !done.Done || (done.File == "") != (f.cfg.MasterKey != "") {
			f.Errorf("RotateMaster returned %+v", done)
		}
		f.check(rows, running, true)
		f.checkStart(true)
		for what, sealed := range f.sealed(rows) {
			if _, err := openSealed(old.Keyring(), model.SecretLabel, sealed.bytes, f.org, sealed.id); !errors.Is(err, secrets.ErrSealed) {
				f.Errorf("the old master key opens the secret of the %s: %v", what, err)
			}
		}
		marks, err := rows.KeyMarks(model.AcrossOrgs(f.Context()))
		must(f.T, err)
		if _, err := old.DecryptKeyring(marks.Keyring); !errors.Is(err, secrets.ErrSealed) {
			f.Errorf("the old master key decrypts the internal keys: %v", err)
		}
		must(f.T, rows.Close())
		f.wantOldKeyRefused(old, done)
	})
}

// wantOldKeyRefused checks that Intray does not start with the old key, and starts with the new
// one as the only key.
func (f *keyFixture) wantOldKeyRefused(old secrets.Master, done MasterRotation) {
	f.Helper()
	stale := f.cfg
	if done.File == "" {
		stale.NewMasterKey = ""
		f.cfg.MasterKey, f.cfg.NewMasterKey = f.cfg.NewMasterKey, ""
		f.checkStart(true)
	} else {
		former, err := secrets.Load(done.Former)
		if err != nil || former.ID() != old.ID() {
			f.Errorf("the old key is not in %s: %v", done.Former, err)
		}
		if extra := slices.DeleteFunc(names(f.T, f.cfg.Data), func(name string) bool { return !strings.Contains(name, "key") }); len(extra) != 2 {
			f.Errorf("the folder contains the keys %v", extra)
		}
		stale.MasterKey = content(f.T, done.Former)
	}
	if err := admin(model.AcrossOrgs(f.Context()), stale); !errors.Is(err, errOtherKey) {
		f.Errorf("with the old key: %v, want errOtherKey", err)
	}
}

// TestRevokeLinks checks that only links become invalid.
func TestRevokeLinks(t *testing.T) {
	eachKeyStore(t, []bool{false, true}, func(f *keyFixture) {
		_, err := RotateMaster(model.AcrossOrgs(f.Context()), f.cfg, true)
		must(f.T, err)
		f.checkStart(false)
	})
}

// TestRotateMasterAfterCrash checks that Intray starts after a crash at any point, and that the
// next rotation completes the interrupted one.
func TestRotateMasterAfterCrash(t *testing.T) {
	for _, point := range []string{"rotation.created", "rotation.committed", "rotation.replaced"} {
		t.Run(point, func(t *testing.T) {
			eachKeyStore(t, []bool{true}, func(f *keyFixture) {
				if f.cfg.MasterKey != "" && point == "rotation.replaced" {
					return // There is no file to replace.
				}
				before := f.masterID()
				f.crashAt(point)
				f.checkStart(true)
				committed := f.masterID()
				if (committed != before) != (point != "rotation.created") {
					t.Errorf("the key was replaced before the crash: %v", committed != before)
				}
				if point == "rotation.replaced" {
					return // The rotation is complete. Another call would start the next one.
				}
				done, err := RotateMaster(model.AcrossOrgs(f.Context()), f.cfg, false)
				must(f.T, err)
				if done.Done != (committed == before) {
					t.Errorf("RotateMaster returned %+v", done)
				}
				f.checkStart(true)
				if point == "rotation.committed" && f.masterID() != committed {
					t.Error("the interrupted rotation was repeated")
				}
				if _, err := os.Stat(f.cfg.nextMasterKeyPath()); !errors.Is(err, os.ErrNotExist) {
					t.Errorf("the new key was not moved: %v", err)
				}
			})
		})
	}
}

func (f *keyFixture) masterID() string {
	f.Helper()
	rows := f.openRows()
	defer func() { must(f.T, rows.Close()) }()
	marks, err := rows.KeyMarks(model.AcrossOrgs(f.Context()))
	must(f.T, err)
	return marks.MasterID
}

// crashAt interrupts a rotation at a point. Unlike a crash, it closes the database.
func (f *keyFixture) crashAt(point string) {
	f.Helper()
	rows := f.openRows()
	defer func() { must(f.T, rows.Close()) }()
	defer func() {
		if got := recover(); got != point {
			f.Fatalf("the rotation ended with %v, want it to reach %s", got, point)
		}
	}()
	_, err := rotateMaster(model.AcrossOrgs(f.Context()), f.cfg, rows, false, func(reached string) {
		if reached == point {
			panic(point)
		}
	})
	f.Fatalf("the rotation ended: %v", err)
}

// TestRotateMasterConcurrently checks that processes can start while others rotate the key.
func TestRotateMasterConcurrently(t *testing.T) {
	eachKeyStore(t, []bool{true}, func(f *keyFixture) {
		if f.cfg.MasterKey != "" {
			return // There is no file to replace.
		}
		var rotations, starts sync.WaitGroup
		ended, stop := context.WithCancel(model.AcrossOrgs(f.Context()))
		defer stop()
		for range 2 {
			starts.Go(func() {
				for first := true; first || ended.Err() == nil; first = false {
					f.checkStart(true)
				}
			})
			rotations.Go(func() {
				for range 3 {
					if _, err := RotateMaster(model.AcrossOrgs(f.Context()), f.cfg, false); err != nil && !errors.Is(err, errRotating) {
						f.Errorf("RotateMaster: %v", err)
					}
				}
			})
		}
		rotations.Wait()
		stop()
		starts.Wait()
		f.checkStart(true)
	})
}

// TestRotateMasterRefuses checks what RotateMaster refuses before it changes anything.
func TestRotateMasterRefuses(t *testing.T) {
	cfg := good()
	cfg.Data, cfg.Log = filepath.Join(t.TempDir(), "data"), slog.New(slog.DiscardHandler)
	if _, err := RotateMaster(model.AcrossOrgs(t.Context()), cfg, false); !errors.As(err, new(UsageError)) {
		t.Errorf("without a store: %v, want a UsageError", err)
	}
	if _, err := os.Stat(cfg.Data); !errors.Is(err, os.ErrNotExist) {
		t.Error("a data folder was created")
	}
	cfg.MasterKey = firstKey
	f := newKeyFixture(t, cfg, false)
	for want, key := range map[string]string{"set INTRAY_NEW_MASTER_KEY": "", "INTRAY_NEW_MASTER_KEY: ": "AAAA", "same as the old one": firstKey} {
		cfg.NewMasterKey = key
		if _, err := RotateMaster(model.AcrossOrgs(t.Context()), cfg, false); !errors.As(err, new(UsageError)) || !strings.Contains(err.Error(), want) {
			t.Errorf("with the new key %q: %v, want %s", key, err, want)
		}
	}
	f.checkStart(true)
}

// TestUnreadableSecretSurvivesRotation checks that a damaged secret neither prevents a rotation nor
// is changed by it.
func TestUnreadableSecretSurvivesRotation(t *testing.T) {
	cfg := good()
	cfg.Data, cfg.Log = filepath.Join(t.TempDir(), "data"), slog.New(slog.DiscardHandler)
	f := newKeyFixture(t, cfg, false)
	rows := f.openRows()
	defer func() { must(t, rows.Close()) }()
	must(t, rows.Update(model.AcrossOrgs(t.Context()), func(tx model.Tx) error {
		list, err := tx.Webhooks.List(model.AcrossOrgs(t.Context()), f.org)
		must(t, err)
		list[0].Before = []byte("damaged")
		return tx.Webhooks.Save(model.AcrossOrgs(t.Context()), list[0])
	}))
	_, err := RotateMaster(model.AcrossOrgs(t.Context()), cfg, false)
	must(t, err)
	if got := f.sealed(rows)["webhook, before"].bytes; string(got) != "damaged" {
		t.Errorf("the damaged secret is now %q", got)
	}
}
