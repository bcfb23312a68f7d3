package sqlstore

import (
	"errors"
	"io"
	"io/fs"
	"strings"
	"testing"
	"testing/fstest"
)

func TestSubstitutedFS(t *testing.T) {
	files := fstest.MapFS{"a.sql": {Data: []byte("x ${ID} ${BYTES} ${ID} ${X}")}}
	for _, c := range []struct {
		dialect dialect
		want    string
	}{
		{sqliteDialect(), "x TEXT BLOB TEXT ${X}"},
		{postgresDialect(), `x TEXT COLLATE "C" BYTEA TEXT COLLATE "C" ${X}`},
	} {
		f, err := substitutedFS{files, c.dialect.substitutions}.Open("a.sql")
		if err != nil {
			t.Fatal(err)
		}
		got, err := io.ReadAll(f)
		if err != nil || string(got) != c.want {
			t.Errorf("%q and %v, want %q", got, err, c.want)
		}
	}
	if _, err := (substitutedFS{files, sqliteDialect().substitutions}).Open("b.sql"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("Open: %v, want no such file", err)
	}
}

// TestMigrationsAreSubstituted checks that the dialects replace all placeholder
// words in the migrations.
func TestMigrationsAreSubstituted(t *testing.T) {
	names, err := fs.Glob(migrations, "migrations/*.sql")
	if err != nil || len(names) == 0 {
		t.Fatalf("%d migrations, %v", len(names), err)
	}
	for _, name := range names {
		text, err := fs.ReadFile(migrations, name)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range []dialect{sqliteDialect(), postgresDialect()} {
			if strings.Contains(d.substitutions.Replace(string(text)), "${") {
				t.Errorf("%s has a word that %s does not replace", name, d.goose)
			}
		}
	}
}
