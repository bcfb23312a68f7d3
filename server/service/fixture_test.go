package service_test

import (
	"context"
	"errors"
	"runtime"
	"strings"
	"testing"

	"go.uber.org/goleak"

	"github.com/intraydata/intray/internal/jsonschema"
	"github.com/intraydata/intray/schema"
	"github.com/intraydata/intray/server/imports"
	"github.com/intraydata/intray/server/model"
	"github.com/intraydata/intray/server/servertest"
	"github.com/intraydata/intray/server/service"
	"github.com/intraydata/intray/server/sqlstore"
	"github.com/intraydata/intray/server/sqlstore/storetest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

var must = servertest.Must

// fixture is a service with one organization and a fake SFTP server. Its store and
// blobs can be made to fail.
type fixture struct {
	*testing.T
	*service.Service
	*servertest.Env
	ctx    context.Context
	remote *servertest.Remote
	org    string
}

// RunMaintenance recovers runs and runs a round of maintenance, as a worker does.
func (f *fixture) RunMaintenance(ctx context.Context) error {
	return errors.Join(f.RecoverRuns(ctx), f.Service.RunMaintenance(ctx))
}

// option changes the configuration of a fixture's service.
type option func(f *fixture, cfg *service.Config)

func newFixture(t *testing.T, options ...option) *fixture {
	t.Helper()
	return fixtureIn(t, servertest.New(t), options...).withOrg()
}

// onEachDatabase runs a test with SQLite and with PostgreSQL.
func onEachDatabase(t *testing.T, test func(t *testing.T, env *servertest.Env)) {
	t.Run("sqlite", func(t *testing.T) {
		t.Parallel()
		test(t, servertest.New(t))
	})
	t.Run("postgres", func(t *testing.T) {
		t.Parallel()
		test(t, servertest.Open(t, sqlstore.Config{URL: storetest.PostgresURL(t)}))
	})
}

// withOrg creates the organization of the fixture.
func (f *fixture) withOrg() *fixture {
	f.Helper()
	org, err := f.CreateOrg(f.ctx, "Alpha")
	must(f.T, err)
	f.org = org.ID
	return f
}

// emptyFixture returns a service without organizations.
func emptyFixture(t *testing.T, options ...option) *fixture {
	t.Helper()
	return fixtureIn(t, servertest.New(t), options...)
}

// fixtureIn returns a service without organizations that uses an environment.
func fixtureIn(t *testing.T, env *servertest.Env, options ...option) *fixture {
	t.Helper()
	f := &fixture{T: t, ctx: model.AcrossOrgs(t.Context()), Env: env}
	f.remote = f.NewRemote()
	f.Service = f.newNode(servertest.Node, options...)
	must(t, f.Join(f.ctx))
	return f
}

// newNode returns a service like that of another process that shares the stores.
func (f *fixture) newNode(name string, options ...option) *service.Service {
	f.Helper()
	cfg := f.Config()
	cfg.Node, cfg.SFTP = name, f.remote
	for _, o := range options {
		o(f, &cfg)
	}
	s, err := service.New(cfg)
	must(f.T, err)
	f.Cleanup(func() { must(f.T, s.Close()) })
	return s
}

// onCrashPoint makes the service call a function at each crash point that it reaches.
func onCrashPoint(function func(point string)) option {
	return func(_ *fixture, cfg *service.Config) { cfg.CrashPoint = function }
}

// crashAt makes the service end its goroutine at a crash point, as if the process had died.
func crashAt(point string) option {
	return onCrashPoint(func(reached string) {
		if reached == point {
			runtime.Goexit()
		}
	})
}

// expectCrash calls a function, which must reach the crash point set by crashAt.
func (f *fixture) expectCrash(function func()) {
	f.Helper()
	returned, ended := false, make(chan struct{})
	go func() {
		defer close(ended)
		function()
		returned = true
	}()
	<-ended
	if returned {
		f.Error("the process did not crash")
	}
}

// contacts is the schema that most tests use.
const contacts = `[{"key":"email","label":"E-Mail","type":"email","validators":[{"validate":"required"}]},{"key":"name","label":"Name"}]`

// doc returns a schema document with the given fields and settings.
func doc(t testing.TB, fields, settings string) schema.Doc {
	t.Helper()
	d := schema.Doc{Fields: decoded(t, fields)}
	if settings != "" {
		d.Settings = decoded(t, settings)
	}
	return d
}

// newImport creates an import with an inline schema and the given settings.
func (f *fixture) newImport(settings string) model.Import {
	f.Helper()
	imp, err := f.CreateImport(f.ctx, f.org, imports.Draft{Doc: doc(f.T, contacts, settings)})
	must(f.T, err)
	return imp
}

// newImportWithRows creates an import from JSON rows instead of a file.
func (f *fixture) newImportWithRows(rows string) model.Import {
	f.Helper()
	imp, err := f.CreateImport(f.ctx, f.org, imports.Draft{Doc: doc(f.T, contacts, ""), Rows: strings.NewReader(rows)})
	must(f.T, err)
	return imp
}

const (
	goodFile = "E-Mail,Name\nada@example.org,Ada\nbob@example.org,Bob\n"
	badFile  = "E-Mail,Name\nada@example.org,Ada\nnobody,Bob\n"
)

// upload uploads text as the file of an import.
func (f *fixture) upload(imp model.Import, text string) error {
	f.Helper()
	token, err := f.UploadToken(imp, "")
	must(f.T, err)
	r, err := f.BeginUpload(f.ctx, imp.ID, token, int64(len(text)))
	if err != nil {
		return err
	}
	_, err = r.Receive(f.ctx, imports.IncomingFile{Body: strings.NewReader(text), Length: int64(len(text))})
	return err
}

// pendingImport creates an import with a file.
func (f *fixture) pendingImport(text, settings string) model.Import {
	f.Helper()
	imp := f.newImport(settings)
	must(f.T, f.upload(imp, text))
	return f.reload(imp)
}

// reload returns the current state of an import.
func (f *fixture) reload(imp model.Import) model.Import {
	f.Helper()
	imp, err := f.Import(f.ctx, imp.Org, imp.ID)
	must(f.T, err)
	return imp
}

// runAll runs all pending imports.
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

// finishedImport creates an import with a file and runs it.
func (f *fixture) finishedImport(text, settings string) model.Import {
	f.Helper()
	imp := f.pendingImport(text, settings)
	f.runAll()
	return f.reload(imp)
}

func (f *fixture) wantStatus(imp model.Import, want model.Status) model.Import {
	f.Helper()
	imp = f.reload(imp)
	if imp.Status != want {
		f.Fatalf("the import is %s, want %s; outcome %+v", imp.Status, want, imp.Outcome)
	}
	return imp
}

// wantError checks that an error has the given kind and code.
func (f *fixture) wantError(err error, kind model.Kind, code string) {
	f.Helper()
	if !errors.Is(err, &model.Error{Kind: kind, Code: code}) {
		f.Errorf("error %v (%#v), want kind %d and code %q", err, err, kind, code)
	}
}

// result returns the content of an import's result.
func (f *fixture) result(imp model.Import) string {
	f.Helper()
	return f.Blobs.Content(f.T, f.reload(imp).Result.Key)
}

// decoded decodes JSON in the same way as package httpapi.
func decoded(t testing.TB, text string) any {
	t.Helper()
	v, err := jsonschema.Decode(strings.NewReader(text), jsonschema.Limits{})
	must(t, err)
	return v
}
