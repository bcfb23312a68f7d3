package livetest

import (
	"context"
	"crypto/rand"
	"fmt"
	"net/url"
	"os"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"
)

// PostgresVariable names the server that tests may make databases on.
const PostgresVariable = "INTRAY_TEST_POSTGRES_URL"

// Postgres makes a fresh database and gives its address. It is removed with the
// test, which skips aloud where no server is given.
func Postgres(t testing.TB) string {
	t.Helper()
	server := os.Getenv(PostgresVariable)
	if server == "" {
		t.Skipf("SKIPPED: no PostgreSQL, %s is not set; `make postgres` starts a server and prints its address", PostgresVariable)
	}
	name := "live_" + strings.ToLower(rand.Text())
	if err := Administer("CREATE DATABASE " + name); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		// The test may be long over, see Lasting.
		if err := Administer("DROP DATABASE IF EXISTS " + name + " WITH (FORCE)"); err != nil {
			fmt.Fprintln(os.Stderr, err)
		}
	})
	address, err := url.Parse(server)
	if err != nil {
		t.Fatal(err)
	}
	address.Path = "/" + name
	return address.String()
}

// Administer gives a command to the server that PostgresVariable names.
func Administer(command string) error {
	ctx := context.Background()
	conn, err := pgx.Connect(ctx, os.Getenv(PostgresVariable))
	if err != nil {
		return fmt.Errorf("connect to the server of %s: %w", PostgresVariable, err)
	}
	defer conn.Close(ctx)
	if _, err := conn.Exec(ctx, command); err != nil {
		return fmt.Errorf("%s: %w", command, err)
	}
	return nil
}
