package blobtest

import (
	"context"
	"errors"
	"testing"

	"github.com/intraydata/intray/server/blob"
)

// RunShared runs a suite for stores that several processes share. Each call to open must return two
// stores with the same blobs, as two processes would open them, and register their cleanup with t.
func RunShared(t *testing.T, open func(t *testing.T) (first, second blob.Store)) {
	for _, c := range []struct {
		name string
		test func(t *testing.T, first, second blob.Store)
	}{
		{"append to a blob that another process continues", appendToContinued},
		{"append to an empty blob that another process continues", appendToContinuedEmpty},
		{"append to a blob that another process deletes", appendToDeletedElsewhere},
	} {
		t.Run(c.name, func(t *testing.T) {
			first, second := open(t)
			c.test(t, first, second)
		})
	}
}

// appenderCalls are the calls of an appender that change a blob.
var appenderCalls = map[string]func(w blob.Appender) error{
	"Sync":     blob.Appender.Sync,
	"Truncate": func(w blob.Appender) error { return w.Truncate(0) },
	"Write and Sync": func(w blob.Appender) error {
		_, err := w.Write([]byte(" of the loser"))
		if err == nil {
			err = w.Sync()
		}
		return err
	},
	"Write and Close": func(w blob.Appender) error {
		_, err := w.Write([]byte(" of the loser"))
		return errors.Join(err, w.Close())
	},
}

// continueBlob appends to a blob that another process may have open. It reports false if the store
// does not allow that.
func continueBlob(t *testing.T, s blob.Store, key, text string) bool {
	t.Helper()
	w, err := s.Append(context.Background(), key)
	if errors.Is(err, blob.ErrInUse) {
		return false
	}
	mustDo(t, "Append", err)
	write(t, w, []byte(text))
	mustDo(t, "Sync and Close", w.Sync(), w.Close())
	return true
}

// appendToContinued checks that the bytes of both processes remain after another one has continued a
// blob, whichever call of the appender notices that first, and that all later calls then fail.
func appendToContinued(t *testing.T, first, second blob.Store) {
	for name, notice := range appenderCalls {
		for later, call := range appenderCalls {
			continueBlob(t, first, "a/b", "one")
			w := appendTo(t, second, "a/b")
			write(t, w, []byte(", two"))
			mustDo(t, "Sync", w.Sync())
			if !continueBlob(t, first, "a/b", ", three") {
				mustDo(t, "Sync and Close", w.Sync(), w.Close())
				wantBlob(t, first, "a/b", []byte("one, two"))
				return
			}
			if err := notice(w); !errors.Is(err, blob.ErrInUse) {
				t.Errorf("%s returned %v, want ErrInUse", name, err)
			}
			if err := call(w); err == nil {
				t.Errorf("%s after %s returned nil, want an error", later, name)
			}
			_ = w.Close()
			wantBlob(t, second, "a/b", []byte("one, two, three"))
			mustDo(t, "Delete", first.Delete(context.Background(), "a/b"))
		}
	}
}

// appendToContinuedEmpty is the same for a blob without content.
func appendToContinuedEmpty(t *testing.T, first, second blob.Store) {
	for name, call := range appenderCalls {
		w := appendTo(t, second, "a/b")
		mustDo(t, "Sync", w.Sync())
		if !continueBlob(t, first, "a/b", "one") {
			return
		}
		if err := call(w); !errors.Is(err, blob.ErrInUse) && name != "Truncate" {
			t.Errorf("%s returned %v, want ErrInUse", name, err)
		}
		_ = w.Close()
		wantBlob(t, second, "a/b", []byte("one"))
		mustDo(t, "Delete", first.Delete(context.Background(), "a/b"))
	}
}

// appendToDeletedElsewhere checks that an appender does not restore a blob that another process has
// deleted, and that it does not delete a new blob with the same key.
func appendToDeletedElsewhere(t *testing.T, first, second blob.Store) {
	for name, call := range appenderCalls {
		if name == "Truncate" || name == "Write and Close" {
			continue // they need not notice
		}
		for _, again := range []bool{false, true} {
			w := appendTo(t, second, "a/b")
			write(t, w, []byte("one"))
			mustDo(t, "Sync", w.Sync())
			mustDo(t, "Delete", first.Delete(context.Background(), "a/b"))
			if again && !continueBlob(t, first, "a/b", "another") {
				t.Fatal("the deleted blob is in use")
			}
			if err := call(w); err == nil {
				t.Errorf("%s returned nil, want an error", name)
			}
			_ = w.Close()
			if again {
				wantBlob(t, first, "a/b", []byte("another"))
			} else {
				wantNone(t, first, "a/b")
			}
			mustDo(t, "Delete", first.Delete(context.Background(), "a/b"))
		}
	}
}
