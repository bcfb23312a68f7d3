package storetest

import (
	"context"
	"crypto/rand"
	"net/url"
	"os"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"
)

// PostgresURL makes an empty database on the server of the environment variable
// INTRAY_TEST_POSTGRES_URL and gives its address. The database is dropped when
// the test ends. Without the variable the test is skipped.
func PostgresURL(t *testing.T) string {
	t.Helper()
	server := os.Getenv("INTRAY_TEST_POSTGRES_URL")
	if server == "" {
		t.Skip("SKIPPED: no PostgreSQL, INTRAY_TEST_POSTGRES_URL is not set (see .ci/postgres)")
	}
	name := "intray_test_" + strings.ToLower(rand.Text())
	execPostgres(t, server, "CREATE DATABASE "+name)
	t.Cleanup(func() { execPostgres(t, server, "DROP DATABASE "+name+" WITH (FORCE)") })
	u, err := url.Parse(server)
	if err != nil {
		t.Fatal(err)
	}
	u.Path = "/" + name
	return u.String()
}

func execPostgres(t *testing.T, server, command string) {
	t.Helper()
	ctx := context.Background()
	conn, err := pgx.Connect(ctx, server)
	if err != nil {
		t.Fatalf("connecting to the server of INTRAY_TEST_POSTGRES_URL: %v", err)
	}
	defer func() { _ = conn.Close(ctx) }()
	if _, err := conn.Exec(ctx, command); err != nil {
		t.Fatalf("%s: %v", command, err)
	}
}
