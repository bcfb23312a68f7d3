package doctor_test

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"encoding/pem"
	"math/big"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/intraydata/intray/test/livetest"
	"github.com/intraydata/intray/test/pgtest"
	"github.com/intraydata/intray/test/s3test"
)

func itoa(n int) string { return strconv.Itoa(n) }

// certificate returns the files of a certificate for intray.example.org and of its key.
func certificate(t *testing.T, from, until time.Time) (cert, key string) {
	t.Helper()
	private, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	must(t, err)
	template := &x509.Certificate{SerialNumber: big.NewInt(1), NotBefore: from, NotAfter: until, DNSNames: []string{"intray.example.org"}}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &private.PublicKey, private)
	must(t, err)
	pkcs, err := x509.MarshalPKCS8PrivateKey(private)
	must(t, err)
	folder := t.TempDir()
	cert, key = filepath.Join(folder, "cert.pem"), filepath.Join(folder, "key.pem")
	must(t, os.WriteFile(cert, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}), 0o600))
	must(t, os.WriteFile(key, pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: pkcs}), 0o600))
	return cert, key
}

// withPassword replaces the password in the URL of a server that trusts all connections.
func withPassword(t *testing.T, address string) string {
	t.Helper()
	u, err := url.Parse(address)
	must(t, err)
	u.User = url.UserPassword(u.User.Username(), password)
	return u.String()
}

// TestPostgresAndS3 checks an installation with several stores, healthy and broken.
func TestPostgresAndS3(t *testing.T) {
	if testing.Short() {
		t.Skip("SKIPPED: starts PostgreSQL and waits for time limits")
	}
	database, store := livetest.StartPostgres(t), s3test.Start(t)
	bucket, _ := store.Bucket(t)
	address := withPassword(t, database.URL)
	env := append(store.Env(), "INTRAY_DATABASE_URL="+address, "INTRAY_BLOB_URL="+bucket, "INTRAY_MASTER_KEY="+masterKey)
	server := livetest.Start(t, livetest.Config{Env: env})
	i := &installation{t: t, data: server.DataDir(), env: env}
	i.wantHealthy("--listen", server.URL[len("http://"):])
	second := livetest.Start(t, livetest.Config{Env: env})
	i.wantHealthy("--listen", server.URL[len("http://"):])
	stop(second)
	i.env = append(env, "INTRAY_DATABASE_URL="+address+"&pool_max_conns=200")
	i.want("database", "warning", "1 processes with up to 200 each", "postgres://intray_test@127.0.0.1", "max_connections", "--listen", server.URL[len("http://"):])
	stop(server)
	i.args, i.env = []string{"--listen", "127.0.0.1:0"}, env
	before := files(t, i.data)
	i.wantHealthy()
	wantSameFiles(t, before, files(t, i.data))

	with := func(variables ...string) *installation {
		return &installation{t: t, data: i.data, args: i.args, env: append(append([]string{}, env...), variables...)}
	}
	t.Run("bucket", func(t *testing.T) { testBrokenBuckets(t, with, store, bucket) })
	with("INTRAY_MASTER_KEY="+strings.Replace(masterKey, "c2Vj", "c2Vk", 1)).want("master key", "failure", "another master key", "INTRAY_MASTER_KEY", "set INTRAY_MASTER_KEY")

	superuser, err := url.Parse(address)
	must(t, err)
	superuser.User = url.UserPassword("postgres", password)
	with("INTRAY_DATABASE_URL="+superuser.String()).want("database", "warning", "does not isolate organizations", "postgres://postgres@", "neither attribute")
	missing := *superuser
	missing.Path = "/missing"
	with("INTRAY_DATABASE_URL="+missing.String()).want("database", "failure", "does not exist", "/missing", "Create the database")
	setting := func(statement string) {
		must(t, pgtest.Exec(context.Background(), superuser.String(), "ALTER ROLE intray_test "+statement))
	}
	setting("SET synchronous_commit = off")
	i.want("database", "warning", "synchronous_commit is off", "--database-url (INTRAY_DATABASE_URL)", "synchronous_commit = on")
	setting("RESET synchronous_commit")
	setting("SET default_transaction_read_only = on")
	i.want("database", "failure", "read-only", "--database-url (INTRAY_DATABASE_URL)", "default_transaction_read_only")
	setting("RESET default_transaction_read_only")
	must(t, pgtest.Exec(context.Background(), superuser.String(), "INSERT INTO goose_db_version (version_id, is_applied) VALUES (99999, true)"))
	i.want("database", "failure", "A newer version of Intray", "postgres://intray_test@", "Install the newer version")

	database.Freeze()
	i.want("database", "failure", "PostgreSQL", "postgres://intray_test@", "firewall")
	database.Unfreeze()
	database.Stop()
	i.want("database", "failure", "connection refused", "postgres://intray_test@", "Start PostgreSQL")
}

func testBrokenBuckets(t *testing.T, with func(...string) *installation, store *s3test.Server, bucket string) {
	other, _ := store.Bucket(t)
	for name, c := range map[string]struct {
		env          []string
		problem, fix string
	}{
		"wrong bucket": {[]string{"INTRAY_BLOB_URL=" + other}, "does not contain the files of this database", "Set --blob-url"},
		"other prefix": {[]string{"INTRAY_BLOB_URL=" + bucket + "/other"}, "does not contain the files of this database", "Set --blob-url"},
		"missing":      {[]string{"INTRAY_BLOB_URL=s3://missing-bucket"}, "does not exist", "Create the bucket"},
		"wrong secret": {[]string{"AWS_SECRET_ACCESS_KEY=another-" + s3Secret}, "rejected the credentials", "AWS_SECRET_ACCESS_KEY"},
		"no region":    {[]string{"AWS_ENDPOINT_URL_S3=", "AWS_REGION="}, "No AWS region", "Set AWS_REGION"},
		"down":         {[]string{"AWS_ENDPOINT_URL_S3=http://127.0.0.1:1"}, "connection refused", "AWS_ENDPOINT_URL_S3"},
		"no permission": {[]string{"AWS_ENDPOINT_URL_S3=" + proxy(t, store, func(w http.ResponseWriter, r *http.Request) bool {
			if r.Method == http.MethodPut {
				w.WriteHeader(http.StatusForbidden)
				_, _ = w.Write([]byte("<Error><Code>AccessDenied</Code><Message>Access Denied</Message></Error>"))
			}
			return r.Method == http.MethodPut
		})}, "do not allow Intray to write objects", "s3:PutObject"},
		"unconditional": {[]string{"AWS_ENDPOINT_URL_S3=" + proxy(t, store, func(w http.ResponseWriter, r *http.Request) bool {
			return r.Method == http.MethodPut && r.Header.Get("If-None-Match") != "" // and answers with 200
		})}, "does not support conditional writes", "Use a store"},
	} {
		t.Run(name, func(t *testing.T) {
			i := with(c.env...)
			i.t = t
			i.want("files", "failure", c.problem, "", c.fix)
		})
	}
	t.Run("clock", func(t *testing.T) {
		i := with("AWS_ENDPOINT_URL_S3=" + proxy(t, store, func(w http.ResponseWriter, _ *http.Request) bool {
			w.Header().Set("Date", time.Now().Add(5*time.Minute).UTC().Format(http.TimeFormat))
			return false
		}))
		i.t = t
		i.want("files", "warning", "ahead of the clock of this machine", bucket, "NTP")
	})
}

// proxy returns the URL of a proxy in front of an S3 server. answer reports whether it has answered a
// request itself.
func proxy(t *testing.T, store *s3test.Server, answer func(http.ResponseWriter, *http.Request) bool) string {
	t.Helper()
	target, err := url.Parse(store.URL)
	must(t, err)
	forward := &httputil.ReverseProxy{
		// The signature covers the host.
		Director: func(r *http.Request) { r.URL.Scheme, r.URL.Host = target.Scheme, target.Host },
		ModifyResponse: func(r *http.Response) error {
			r.Header.Del("Date")
			return nil
		},
	}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !answer(w, r) {
			forward.ServeHTTP(w, r)
		}
	}))
	t.Cleanup(server.Close)
	return server.URL
}
