package sqlstore

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/intraydata/intray/server/model"
)

func TestCheckIntegrity(t *testing.T) {
	t.Parallel()
	ctx := model.AcrossOrgs(t.Context())
	s, err := Open(ctx, Config{Path: filepath.Join(t.TempDir(), "db")})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = s.Close() }()
	if problems, err := s.CheckIntegrity(ctx); err != nil || len(problems) > 0 {
		t.Errorf("a new database: %q, %v", problems, err)
	}
	for _, statement := range []string{
		`PRAGMA foreign_keys = 0`,
		`INSERT INTO schemas (id, org, inline, created, name, modified, fields, settings, hooks, extensions) VALUES ('s', 'nobody', 0, 0, '', 0, '', '', '', '')`,
	} {
		if _, err := s.write.ExecContext(ctx, statement); err != nil {
			t.Fatal(err)
		}
	}
	problems, err := s.CheckIntegrity(ctx)
	if err != nil || len(problems) != 1 || !strings.Contains(problems[0], "a row in schemas refers to a missing row in orgs") {
		t.Errorf("a row without its organization: %q, %v", problems, err)
	}
}
