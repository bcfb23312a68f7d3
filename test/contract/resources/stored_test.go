package resources_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/intraydata/intray/test/apitest"
)

// stored returns the files and tables of a site that contain the given text.
func stored(t *testing.T, s *apitest.Site, text string) []string {
	t.Helper()
	found := filesWith(t, s, text)
	if s.Database != "" {
		found = append(found, tablesWith(t, s.Database, text)...)
	}
	return found
}

// filesWith returns the files of a site that contain the given text. It ignores files that are
// deleted during the search.
func filesWith(t *testing.T, s *apitest.Site, text string) (found []string) {
	t.Helper()
	looked := 0
	look := func(path string) error {
		content, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		looked++
		if bytes.Contains(content, []byte(text)) {
			found = append(found, path)
		}
		return nil
	}
	for _, folder := range s.Folders() {
		err := filepath.WalkDir(folder, func(path string, entry fs.DirEntry, err error) error {
			if err == nil && entry.Type().IsRegular() {
				err = look(path)
			}
			if errors.Is(err, fs.ErrNotExist) {
				return nil
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if looked == 0 {
		t.Fatalf("no files in %v", s.Folders())
	}
	return found
}

// tablesWith returns the tables that contain the given text in any column, as characters or as
// bytes.
func tablesWith(t *testing.T, database, text string) (found []string) {
	t.Helper()
	ctx := context.Background()
	conn, err := pgx.Connect(ctx, database)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(ctx)
	rows, err := conn.Query(ctx, "SELECT tablename::text FROM pg_tables WHERE schemaname = 'public'")
	if err != nil {
		t.Fatal(err)
	}
	tables, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		t.Fatal(err)
	}
	for _, table := range tables {
		var n int
		query := fmt.Sprintf(`SELECT count(*) FROM %s t WHERE strpos(t::text, $1) > 0 OR strpos(t::text, $2) > 0`, pgx.Identifier{table}.Sanitize())
		if err := conn.QueryRow(ctx, query, text, fmt.Sprintf("%x", text)).Scan(&n); err != nil {
			t.Fatalf("%s: %v", table, err)
		}
		if n > 0 {
			found = append(found, table)
		}
	}
	return found
}

// TestDeletedImportLeavesNothing puts a marker string into all data that an import stores: its
// file, problems, edits, undone edits, webhook messages and a saved response to an idempotent
// request. After the import is deleted, no file and no table may contain the string.
func TestDeletedImportLeavesNothing(t *testing.T) {
	apitest.RunOnFreshDatabases(t, nil, func(t *testing.T, s *apitest.Site) {
		c := backend(t, s)
		canary := strings.ToLower(unique("canary"))
		// Nothing listens on this port, so every message waits for a retry.
		c.Call("POST", "/api/v1/webhooks/", m{"url": "https://127.0.0.1:9/"}).WantStatus(http.StatusCreated)
		var rows strings.Builder
		rows.WriteString("email,name\n")
		for range 3000 {
			rows.WriteString("no-" + canary + ",n " + canary + "\n")
		}
		done := c.importFile(rows.String(), m{"invalidDataBehavior": "BLOCK_SUBMIT", "needsReviewWebhookUrl": "https://127.0.0.1:9/"}, m{"original_filename": canary + ".csv"})
		link, err := url.Parse(c.Call("GET", importsPath+done.id+"/", nil, "Idempotency-Key", canary).WantStatus(http.StatusOK).String("review_url"))
		if err != nil {
			t.Fatal(err)
		}
		review := "/api/review/v1/" + done.id
		visit := c.WithoutKey().Call("POST", review+"/session/", nil, "Authorization", "Bearer "+link.Fragment).WantStatus(http.StatusOK)
		cookie, _, _ := strings.Cut(visit.Header.Get("Set-Cookie"), ";")
		for op, body := range map[string]string{
			"few":  `"kind":"set","cells":[{"id":"1","key":"email","text":"typed-` + canary + `","version":0,"seen":"no-` + canary + `"}]`,
			"many": `"kind":"fill","keys":["name"],"text":"filled-` + canary + `"`,
		} {
			c.WithoutKey().Call("POST", review+"/edits/", `{"op":"`+op+`",`+body+`}`, "Cookie", cookie).WantStatus(http.StatusOK)
		}
		c.WithoutKey().Call("POST", review+"/undo/", `{"op":"undo"}`, "Cookie", cookie).WantStatus(http.StatusOK)
		if found := stored(t, s, canary); len(found) == 0 {
			t.Fatal("the search does not find the canary before the deletion")
		}
		c.Call("DELETE", importsPath+done.id+"/", nil).WantStatus(http.StatusNoContent)
		apitest.Eventually(t, "the canary is deleted", func() bool {
			found := stored(t, s, canary)
			if len(found) > 0 {
				t.Logf("the canary is still in %q", found)
			}
			return len(found) == 0
		})
		if got := c.Call("GET", "/api/v1/receipts/", nil).WantStatus(http.StatusOK).Text(); !strings.Contains(got, done.id) {
			t.Errorf("the receipts are %s", got)
		}
	})
}
