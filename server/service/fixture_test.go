package service_test

import (
	"context"
	"encoding/base64"
	"errors"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/intraydata/intray/engine"
	"github.com/intraydata/intray/internal/jsonschema"
	"github.com/intraydata/intray/schema"
	"github.com/intraydata/intray/server/blob"
	"github.com/intraydata/intray/server/blob/mem"
	"github.com/intraydata/intray/server/connectors"
	"github.com/intraydata/intray/server/imports"
	"github.com/intraydata/intray/server/model"
	"github.com/intraydata/intray/server/queue"
	"github.com/intraydata/intray/server/secrets"
	"github.com/intraydata/intray/server/service"
	"github.com/intraydata/intray/server/sqlstore"
	"github.com/intraydata/intray/source/formats"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// began is when every test begins.
var began = time.Date(2026, 3, 4, 5, 6, 7, 891011000, time.UTC)

// clock is a clock that stands still until it is moved.
type clock struct {
	mu  sync.Mutex
	now time.Time
}

func (c *clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

func (c *clock) Advance(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(d)
}

// fixture is an installation with one organization.
type fixture struct {
	*testing.T
	*service.Service
	ctx   context.Context
	store model.Store
	blobs *blobs
	clock *clock
	sftp  *sftp
	org   string
}

// change alters how the service of a fixture is made.
type change func(f *fixture, cfg *service.Config)

func newFixture(t *testing.T, changes ...change) *fixture {
	t.Helper()
	f := emptyFixture(t, changes...)
	org, err := f.CreateOrg(f.ctx, "Alpha")
	must(t, err)
	f.org = org.ID
	return f
}

func storeAt(path string) sqlstore.Config {
	return sqlstore.Config{Path: path, Queue: queue.Config{Node: "folder/one"}}
}

// migrated is an empty database whose tables are there: to make them takes
// longer than most tests.
var migrated = sync.OnceValues(func() ([]byte, error) {
	folder, err := os.MkdirTemp("", "intray-service-*")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(folder)
	path := filepath.Join(folder, "intray.db")
	rows, err := sqlstore.Open(context.Background(), storeAt(path))
	if err != nil {
		return nil, err
	}
	if err := rows.Close(); err != nil {
		return nil, err
	}
	return os.ReadFile(path)
})

// emptyFixture is an installation at its very beginning.
func emptyFixture(t *testing.T, changes ...change) *fixture {
	t.Helper()
	text, err := migrated()
	must(t, err)
	path := filepath.Join(t.TempDir(), "intray.db")
	must(t, os.WriteFile(path, text, 0o600))
	rows, err := sqlstore.Open(t.Context(), storeAt(path))
	must(t, err)
	t.Cleanup(func() { must(t, rows.Close()) })
	f := &fixture{
		T: t, ctx: t.Context(), store: rows, clock: &clock{now: began}, sftp: &sftp{},
		blobs: &blobs{Store: mem.New(), keys: map[string]bool{}, room: -1},
	}
	f.Service = f.node("folder/one", changes...)
	must(t, f.Join(f.ctx))
	return f
}

// node makes another process that shares the stores.
func (f *fixture) node(name string, changes ...change) *service.Service {
	f.Helper()
	master, err := secrets.ParseMaster(base64.StdEncoding.EncodeToString([]byte(strings.Repeat("m", 32))))
	must(f.T, err)
	cfg := service.Config{
		Store: f.store, Blobs: f.blobs, Master: master, SFTP: f.sftp, Node: name, Clock: f.clock.Now,
		Engine: engine.New(engine.Config{Formats: formats.Formats(""), Workers: 2}),
	}
	for _, c := range changes {
		c(f, &cfg)
	}
	s, err := service.New(cfg)
	must(f.T, err)
	f.Cleanup(func() { must(f.T, s.Close()) })
	return s
}

// reaching calls do at each point that the service reaches.
func reaching(do func(point string)) change {
	return func(_ *fixture, cfg *service.Config) { cfg.CrashPoint = do }
}

// crashAt makes the process die at the point: with nothing put in order.
func crashAt(point string) change {
	return reaching(func(reached string) {
		if reached == point {
			runtime.Goexit()
		}
	})
}

// crash runs work that dies. Dead is the goroutine, which no recover saves.
func (f *fixture) crash(work func()) {
	f.Helper()
	returned, dead := false, make(chan struct{})
	go func() {
		defer close(dead)
		work()
		returned = true
	}()
	<-dead
	if returned {
		f.Error("the process did not die")
	}
}

// contacts are the fields of most tests.
const contacts = `[{"key":"email","label":"E-Mail","type":"email","validators":[{"validate":"required"}]},{"key":"name","label":"Name"}]`

// doc reads the fields and settings of a schema.
func doc(t testing.TB, fields, settings string) schema.Doc {
	t.Helper()
	d := schema.Doc{Fields: decoded(t, fields)}
	if settings != "" {
		d.Settings = decoded(t, settings)
	}
	return d
}

// create makes an import with an inline schema.
func (f *fixture) create(settings string) model.Import {
	f.Helper()
	imp, err := f.CreateImport(f.ctx, f.org, imports.Draft{Doc: doc(f.T, contacts, settings)})
	must(f.T, err)
	return imp
}

// createRows makes an import that brings its rows.
func (f *fixture) createRows(rows string) model.Import {
	f.Helper()
	imp, err := f.CreateImport(f.ctx, f.org, imports.Draft{Doc: doc(f.T, contacts, ""), Rows: strings.NewReader(rows)})
	must(f.T, err)
	return imp
}

const (
	goodFile = "E-Mail,Name\nada@example.org,Ada\nbob@example.org,Bob\n"
	badFile  = "E-Mail,Name\nada@example.org,Ada\nnobody,Bob\n"
)

// send uploads a file.
func (f *fixture) send(imp model.Import, text string) error {
	f.Helper()
	token, err := f.UploadToken(imp)
	must(f.T, err)
	r, err := f.BeginUpload(f.ctx, imp.ID, token, int64(len(text)))
	if err != nil {
		return err
	}
	_, err = r.Receive(f.ctx, imports.IncomingFile{Body: strings.NewReader(text), Length: int64(len(text))})
	return err
}

// pending makes an import with a file.
func (f *fixture) pending(text, settings string) model.Import {
	f.Helper()
	imp := f.create(settings)
	must(f.T, f.send(imp, text))
	return f.now(imp)
}

// now reads an import as it is.
func (f *fixture) now(imp model.Import) model.Import {
	f.Helper()
	imp, err := f.Import(f.ctx, imp.Org, imp.ID)
	must(f.T, err)
	return imp
}

// runAll runs imports until none is left.
func (f *fixture) runAll() {
	f.Helper()
	for {
		ran, err := f.RunNext(f.ctx)
		must(f.T, err)
		if !ran {
			return
		}
	}
}

// finished makes an import and runs it.
func (f *fixture) finished(text, settings string) model.Import {
	f.Helper()
	imp := f.pending(text, settings)
	f.runAll()
	return f.now(imp)
}

func (f *fixture) status(imp model.Import, want model.Status) model.Import {
	f.Helper()
	imp = f.now(imp)
	if imp.Status != want {
		f.Fatalf("the import is %s, want %s; outcome %+v", imp.Status, want, imp.Outcome)
	}
	return imp
}

// refused checks that an error is a refusal of the kind with the code.
func (f *fixture) refused(err error, kind model.Kind, code string) {
	f.Helper()
	if !errors.Is(err, &model.Error{Kind: kind, Code: code}) {
		f.Errorf("error %v (%#v), want kind %d and code %q", err, err, kind, code)
	}
}

// result reads the result of an import.
func (f *fixture) result(imp model.Import) string {
	f.Helper()
	return f.blobs.read(f.T, f.now(imp).Result.Key)
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// blobs are blobs that can be looked at and can fail.
type blobs struct {
	*mem.Store
	mu sync.Mutex
	// keys are those that were committed and not deleted.
	keys map[string]bool
	// fail, where it is set, is asked before each use of a key.
	fail func(ctx context.Context, use, key string) error
	// room is how many bytes each blob can have; -1 means any.
	room int
}

func (b *blobs) fullAt(room int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.room = room
}

func (b *blobs) ask(ctx context.Context, use, key string) error {
	b.mu.Lock()
	fail := b.fail
	b.mu.Unlock()
	if fail == nil {
		return nil
	}
	return fail(ctx, use, key)
}

func (b *blobs) failing(fail func(ctx context.Context, use, key string) error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.fail = fail
}

func (b *blobs) Create(ctx context.Context, key string) (blob.Writer, error) {
	if err := b.ask(ctx, "create", key); err != nil {
		return nil, err
	}
	w, err := b.Store.Create(ctx, key)
	b.mu.Lock()
	defer b.mu.Unlock()
	n := noted{Writer: w, blobs: b, key: key, to: w}
	if b.room >= 0 {
		n.to = &full{w, b.room}
	}
	return n, err
}

func (b *blobs) Open(ctx context.Context, key string) (blob.Reader, error) {
	if err := b.ask(ctx, "open", key); err != nil {
		return nil, err
	}
	return b.Store.Open(ctx, key)
}

func (b *blobs) Delete(ctx context.Context, key string) error {
	if err := b.ask(ctx, "delete", key); err != nil {
		return err
	}
	b.forget(func(k string) bool { return k == key })
	return b.Store.Delete(ctx, key)
}

func (b *blobs) DeleteAll(ctx context.Context, prefix string) error {
	if err := b.ask(ctx, "delete", prefix); err != nil {
		return err
	}
	b.forget(func(k string) bool { return strings.HasPrefix(k, prefix+"/") })
	return b.Store.DeleteAll(ctx, prefix)
}

func (b *blobs) forget(which func(key string) bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for key := range b.keys {
		if which(key) {
			delete(b.keys, key)
		}
	}
}

// below lists the blobs under a prefix.
func (b *blobs) below(prefix string) []string {
	b.mu.Lock()
	defer b.mu.Unlock()
	var list []string
	for key := range b.keys {
		if strings.HasPrefix(key, prefix) {
			list = append(list, key)
		}
	}
	slices.Sort(list)
	return list
}

func (b *blobs) read(t testing.TB, key string) string {
	t.Helper()
	r, err := b.Store.Open(t.Context(), key)
	if err != nil {
		t.Fatal(err)
	}
	text, err := io.ReadAll(io.NewSectionReader(r, 0, r.Size()))
	must(t, err)
	return string(text)
}

// noted is a blob being written, through to.
type noted struct {
	blob.Writer
	blobs *blobs
	key   string
	to    io.Writer
}

func (n noted) Write(p []byte) (int, error) { return n.to.Write(p) }

func (n noted) Commit() error {
	if err := n.Writer.Commit(); err != nil {
		return err
	}
	n.blobs.mu.Lock()
	defer n.blobs.mu.Unlock()
	n.blobs.keys[n.key] = true
	return nil
}

// sftp is an SFTP client that goes nowhere.
type sftp struct {
	report  connectors.SFTPReport
	trouble error
	login   connectors.Login
}

func (s *sftp) TestConnection(_ context.Context, login connectors.Login) (connectors.SFTPReport, error) {
	s.login = login
	return s.report, s.trouble
}

func (s *sftp) Fingerprint(key secrets.Secret) (string, error) {
	if key.Reveal() == "broken" {
		return "", errors.New("is not in OpenSSH format")
	}
	return "SHA256:of " + key.Reveal(), nil
}

func (s *sftp) ValidHostname(name string) error {
	if strings.Contains(name, " ") {
		return errors.New("must not have spaces")
	}
	return nil
}

// decoded reads JSON as the service gets it.
func decoded(t testing.TB, text string) any {
	t.Helper()
	v, err := jsonschema.Decode(strings.NewReader(text), jsonschema.Limits{})
	must(t, err)
	return v
}
