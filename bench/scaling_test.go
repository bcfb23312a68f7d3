package bench

import (
	"context"
	"encoding/base64"
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/intraydata/intray/test/livetest"
	"github.com/intraydata/intray/test/s3test"
)

// stores are PostgreSQL, an S3 server, and a proxy that counts the requests to it.
type stores struct {
	t        *testing.T
	postgres *livetest.PostgresServer
	bucket   string
	folder   string
	requests *s3test.Proxy
	cfg      livetest.Config
}

func startStores(t *testing.T) *stores {
	s := &stores{t: t, postgres: livetest.StartPostgres(t)}
	server := s3test.Start(t)
	s.bucket, s.folder = server.Bucket(t)
	s.requests = s3test.NewProxy(t, server, s3test.Faults{})
	s.cfg = livetest.Config{
		Args: []string{"--database-url", s.postgres.URL, "--blob-url", s.bucket},
		Env:  append(server.Env(), "AWS_ENDPOINT_URL_S3="+s.requests.URL, "INTRAY_MASTER_KEY="+base64.StdEncoding.EncodeToString(make([]byte, 32))),
	}
	return s
}

// start starts a replica.
func (s *stores) start() *livetest.Server { return livetest.Start(s.t, s.cfg) }

// query returns the number that a query selects.
func (s *stores) query(query string) (n int64) {
	s.t.Helper()
	conn, err := pgx.Connect(context.Background(), s.postgres.URL)
	if err != nil {
		s.t.Fatal(err)
	}
	defer func() { _ = conn.Close(context.Background()) }()
	if err := conn.QueryRow(context.Background(), query).Scan(&n); err != nil {
		s.t.Fatalf("%s: %v", query, err)
	}
	return n
}

// storedBytes returns the size of the files in the bucket.
func (s *stores) storedBytes() (sum int64) {
	err := filepath.WalkDir(s.folder, func(_ string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		info, err := entry.Info()
		if err == nil {
			sum += info.Size()
		}
		return err
	})
	if err != nil {
		s.t.Fatal(err)
	}
	return sum
}

// TestScaling prints what an import of 100 rows costs on PostgreSQL and S3, and the throughput with one,
// two and three replicas. All processes, including the stores and the clients, share this machine.
func TestScaling(t *testing.T) {
	t.Run("costs", measureCosts)
	t.Run("throughput", func(t *testing.T) {
		s := startStores(t)
		l := &smallLoad{t: t}
		length, first := time.Duration(share(20))*time.Second, 0.0
		for replicas := 1; replicas <= 3; replicas++ {
			l.servers = append(l.servers, s.start())
			l.run(2, time.Second)
			database := s.postgres.CPUTime()
			rate, cpu := l.run(16, length)
			if replicas == 1 {
				first = rate
			}
			perImport := (s.postgres.CPUTime() - database).Seconds() / float64(len(l.took))
			t.Logf("%d replicas: %.1f imports/s (%.2f times as many as with one), p50 %d ms, p99 %d ms; CPU time of each import: %.1f ms in Intray, %.1f ms in PostgreSQL",
				replicas, rate, rate/first, l.took[len(l.took)/2].Milliseconds(), l.took[len(l.took)*99/100].Milliseconds(), cpu.Seconds()*1000, perImport*1000)
		}
	})
}

// measureCosts prints the statements, requests and bytes of an import. It subtracts those of an idle
// server.
func measureCosts(t *testing.T) {
	s := startStores(t)
	s.postgres.Admin("ALTER ROLE ALL SET log_statement = 'all'")
	l := &smallLoad{t: t, servers: []*livetest.Server{s.start()}}
	l.run(1, time.Second)
	const wal = "SELECT CAST(pg_wal_lsn_diff(pg_current_wal_lsn(), '0/0') AS BIGINT)"
	type sample struct {
		at                                   time.Time
		statements, requests, logged, stored int64
	}
	take := func() sample {
		return sample{time.Now(), int64(s.postgres.Statements()), s.requests.Requests.Load(), s.query(wal), s.storedBytes()}
	}
	idle := take()
	time.Sleep(time.Duration(share(20)) * time.Second)
	began := take()
	imports := 0
	for range share(200) {
		if l.one(l.servers[0]) {
			imports++
		}
	}
	ended := take()
	idleFor, busyFor := began.at.Sub(idle.at).Seconds(), ended.at.Sub(began.at).Seconds()
	each := func(idle, began, ended int64) float64 {
		return (float64(ended-began) - float64(began-idle)/idleFor*busyFor) / float64(max(imports, 1))
	}
	var line strings.Builder
	fmt.Fprintf(&line, "an idle replica sends %.1f statements a second; ", float64(began.statements-idle.statements)/idleFor)
	fmt.Fprintf(&line, "an import of 100 rows (%d bytes) takes %.1f statements and %.1f S3 requests, writes %.1f kB to the log of PostgreSQL, and stores %.1f kB in S3",
		len(smallFile()), each(idle.statements, began.statements, ended.statements), each(idle.requests, began.requests, ended.requests),
		each(idle.logged, began.logged, ended.logged)/1e3, each(idle.stored, began.stored, ended.stored)/1e3)
	t.Log(line.String())
}
