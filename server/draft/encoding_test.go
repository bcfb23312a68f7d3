package draft

import (
	"context"
	"errors"
	"io"
	"slices"
	"testing"

	"github.com/intraydata/intray/server/blob"
	"github.com/intraydata/intray/server/staging"
)

// newDamageTest returns a closed draft with small and large changes.
func newDamageTest(t *testing.T) *testDraft {
	u := newTestDraft(t, t.TempDir(), similarRows(30), 7, limits{rows: 5, moves: 5})
	u.change(t, Fill{Where: Selector{Numbers: []int64{1, 2}, Fields: []int{fMail}}, Text: "small"})
	u.change(t, Fill{Where: Selector{Fields: []int{fMail}}, Text: "large"})
	u.change(t, Delete{Selector{Numbers: []int64{3}}})
	u.largePrefix = u.draft.now.Load().revisions[1].prefix
	u.close(t)
	return u
}

// readAll opens the draft, reads all rows, and returns their number.
func (u *testDraft) readAll() (rows int, err error) {
	u.cfg.Revisions = u.stored
	d, err := Open(context.Background(), u.cfg)
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, d.Close()) }()
	for b, err := range d.Batches(context.Background()) {
		if err != nil {
			return 0, err
		}
		rows += b.Rows()
	}
	return rows, nil
}

// TestDamagedBodies checks that a stored body cannot be read if any byte is changed or if it is
// truncated at any length. In short mode, it checks only every fourth byte and every fourth
// length.
func TestDamagedBodies(t *testing.T) {
	u := newDamageTest(t)
	if n, err := u.readAll(); n != 29 || err != nil {
		t.Fatalf("%d rows, %v", n, err)
	}
	kept := u.stored
	for i := range kept {
		whole := kept[i].Body
		checkDamaged := func(body []byte) {
			t.Helper()
			u.stored = slices.Clone(kept)
			u.stored[i].Body = body
			if n, err := u.readAll(); err == nil {
				t.Fatalf("change %d: read %d rows of a damaged draft", i+1, n)
			}
		}
		step := 1
		if testing.Short() {
			step = 4
		}
		for at := 0; at < len(whole); at += step {
			body := slices.Clone(whole)
			body[at] ^= 0x41
			checkDamaged(body)
			checkDamaged(whole[:at])
		}
		checkDamaged(append(slices.Clone(whole), 0))
		checkDamaged(kept[(i+1)%len(kept)].Body)
	}
}

// TestDamagedBlobs checks that a large change cannot be read if one of its files is
// damaged, truncated or deleted.
func TestDamagedBlobs(t *testing.T) {
	u := newDamageTest(t)
	at := u.largePrefix + "/"
	for _, name := range []string{revisionFile, rowsFolder + "/manifest.json", rowsFolder + "/seg-0000.parquet"} {
		whole := readBlob(t, u.store, at+name)
		for _, body := range [][]byte{withFlippedBit(whole, 9), withFlippedBit(whole, len(whole)/4), whole[:len(whole)/5]} {
			writeBlob(t, u.store, at+name, body)
			if n, err := u.readAll(); !errors.Is(err, staging.ErrDamaged) {
				t.Errorf("%s is damaged: %d rows, %v", name, n, err)
			}
		}
		if err := u.store.Delete(t.Context(), at+name); err != nil {
			t.Fatal(err)
		}
		if n, err := u.readAll(); !errors.Is(err, staging.ErrDamaged) {
			t.Errorf("%s is missing: %d rows, %v", name, n, err)
		}
		writeBlob(t, u.store, at+name, whole)
	}
	if n, err := u.readAll(); n != 29 || err != nil {
		t.Errorf("repaired: %d rows, %v", n, err)
	}
}

func withFlippedBit(whole []byte, at int) []byte {
	out := slices.Clone(whole)
	out[at] ^= 1
	return out
}

func readBlob(t *testing.T, store blob.Store, key string) []byte {
	t.Helper()
	r, err := store.Open(t.Context(), key)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	body, err := io.ReadAll(io.NewSectionReader(r, 0, r.Size()))
	if err != nil {
		t.Fatal(err)
	}
	return body
}

func writeBlob(t *testing.T, store blob.Store, key string, body []byte) {
	t.Helper()
	w, err := store.Create(t.Context(), key)
	if err == nil {
		_, err = w.Write(body)
	}
	if err == nil {
		err = w.Commit()
	}
	if err != nil {
		t.Fatal(err)
	}
}

// FuzzRevision checks that decoding arbitrary bytes returns an error or a revision that
// can be encoded.
func FuzzRevision(f *testing.F) {
	u := newTestDraft(f, f.TempDir(), similarRows(3), 7, limits{})
	u.change(f, Fill{Where: Selector{Fields: []int{fName}}, Text: "odd"})
	plain, err := u.draft.now.Load().revisions[0].write(nil, u.draft.ruleKinds)
	if err != nil {
		f.Fatal(err)
	}
	f.Add(plain)
	f.Fuzz(func(t *testing.T, text []byte) {
		l, staged, err := u.draft.readRevision(text)
		if err != nil || staged {
			return
		}
		if again, err := l.write(nil, u.draft.ruleKinds); err != nil {
			t.Errorf("cannot encode %d decoded bytes: %v, got %d", len(text), err, len(again))
		}
	})
}

// TestTwoProcesses opens a draft twice, and makes a change with the same number in each.
// The second change is not saved. It must not damage the first one.
func TestTwoProcesses(t *testing.T) {
	u := newTestDraft(t, t.TempDir(), similarRows(30), 7, limits{rows: 5, moves: 5})
	defer func() { u.close(t) }()
	other, err := Open(t.Context(), u.cfg)
	if err != nil {
		t.Fatal(err)
	}
	u.change(t, Fill{Where: Selector{Fields: []int{fMail}}, Text: "first"})
	errLate := errors.New("another change was first")
	_, err = other.Change(t.Context(), Fill{Where: Selector{Fields: []int{fMail}}, Text: "second"}, ChangeOptions{Save: func(context.Context, StoredRevision, ChangeResult) error { return errLate }})
	if !errors.Is(err, errLate) {
		t.Fatal(err)
	}
	if err := other.Close(); err != nil {
		t.Fatal(err)
	}
	if n, err := u.readAll(); n != 30 || err != nil {
		t.Errorf("%d rows, %v", n, err)
	}
}
