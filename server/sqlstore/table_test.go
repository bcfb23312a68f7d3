package sqlstore

import (
	"slices"
	"testing"
)

// TestOwnedRowsBeginWithTheirKey checks that the tables begin with the columns that
// Save uses as the key.
func TestOwnedRowsBeginWithTheirKey(t *testing.T) {
	for _, names := range [][]string{schemas.names, sessions.names, credentials.names, importLinks.names, connectors.names, webhooks.names, deliveries.names} {
		if !slices.Equal(names[:2], []string{"id", "org"}) {
			t.Errorf("the columns are %q", names)
		}
	}
}

func TestColumnLists(t *testing.T) {
	if got, want := assignments([]string{"a", "b"}, 3), "a = $3, b = $4"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	if got, want := placeholders(3), "$1, $2, $3"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}
