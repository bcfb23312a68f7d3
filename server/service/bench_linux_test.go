package service_test

import (
	"encoding/base64"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/intraydata/intray/engine"
	"github.com/intraydata/intray/server/blob/blobtest"
	"github.com/intraydata/intray/server/imports"
	"github.com/intraydata/intray/server/model"
	"github.com/intraydata/intray/server/queue"
	"github.com/intraydata/intray/server/schemas"
	"github.com/intraydata/intray/server/secrets"
	"github.com/intraydata/intray/server/servertest"
	"github.com/intraydata/intray/server/service"
	"github.com/intraydata/intray/server/sqlstore"
	"github.com/intraydata/intray/server/sqlstore/storetest"
	"github.com/intraydata/intray/source/formats"
)

// BenchmarkCreateImport creates imports of a saved schema, each as a call with an API key does. It
// reports the CPU time of this process for each import. PostgreSQL uses CPU time of its own.
func BenchmarkCreateImport(b *testing.B) {
	for name, config := range map[string]func() sqlstore.Config{
		"sqlite":   func() sqlstore.Config { return sqlstore.Config{Path: filepath.Join(b.TempDir(), "intray.db")} },
		"postgres": func() sqlstore.Config { return sqlstore.Config{URL: storetest.PostgresURL(b)} },
	} {
		b.Run(name, func(b *testing.B) { benchmarkCreateImport(b, config()) })
	}
}

func benchmarkCreateImport(b *testing.B, cfg sqlstore.Config) {
	ctx := b.Context()
	cfg.Queue = queue.Config{Node: servertest.Node}
	store, err := sqlstore.Open(ctx, cfg)
	must(b, err)
	b.Cleanup(func() { must(b, store.Close()) })
	master, err := secrets.ParseMaster(base64.StdEncoding.EncodeToString([]byte(strings.Repeat("m", 32))))
	must(b, err)
	s, err := service.New(service.Config{
		Store: store, Blobs: blobtest.NewMemory(), Keys: master.Keyring(), Node: servertest.Node,
		Engine: engine.New(engine.Config{Formats: formats.Formats("")}),
	})
	must(b, err)
	org, err := s.CreateOrg(ctx, "org")
	must(b, err)
	made, err := s.CreateKey(ctx, "org", model.Backend, 0)
	must(b, err)
	d := namedSchema(b, "Contacts")
	saved, _, err := s.CreateSchema(ctx, org.ID, schemas.Draft{Doc: d})
	must(b, err)
	before := processTime(b)
	for b.Loop() {
		l, err := s.Authenticate(ctx, made.Key)
		must(b, err)
		_, err = s.CreateImport(ctx, org.ID, imports.Draft{SchemaID: saved.ID, Licence: l.ID})
		must(b, err)
	}
	b.ReportMetric(float64(processTime(b)-before)/float64(b.N), "cpu-ns/op")
}

// processTime returns the CPU time of this process, in nanoseconds.
func processTime(b *testing.B) int64 {
	b.Helper()
	var used syscall.Rusage
	must(b, syscall.Getrusage(syscall.RUSAGE_SELF, &used))
	return used.Utime.Nano() + used.Stime.Nano()
}
