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

// damaged makes a draft with a small and a large change.
func damaged(t *testing.T) *under {
	u := newUnder(t, t.TempDir(), sameRows(30), 7, limits{rows: 5, moves: 5})
	u.change(t, Fill{Where: Selector{Numbers: []int64{1, 2}, Fields: []int{fMail}}, Text: "small"})
	u.change(t, Fill{Where: Selector{Fields: []int{fMail}}, Text: "large"})
	u.change(t, Delete{Selector{Numbers: []int64{3}}})
	u.large = u.draft.now.Load().revisions[1].prefix
	u.close(t)
	return u
}

// readAll opens the draft and reads all rows.
func (u *under) readAll() (rows int, err error) {
	u.cfg.Revisions = u.kept
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

// TestDamagedBodies changes what was kept, at each byte and at each length.
func TestDamagedBodies(t *testing.T) {
	u := damaged(t)
	if n, err := u.readAll(); n != 29 || err != nil {
		t.Fatalf("%d rows, %v", n, err)
	}
	kept := u.kept
	for i := range kept {
		whole := kept[i].Body
		try := func(body []byte) {
			t.Helper()
			u.kept = slices.Clone(kept)
			u.kept[i].Body = body
			if n, err := u.readAll(); err == nil {
				t.Fatalf("change %d: %d rows were read, though it is damaged", i+1, n)
			}
		}
		for at := range whole {
			body := slices.Clone(whole)
			body[at] ^= 0x41
			try(body)
		}
		for n := range whole {
			try(whole[:n])
		}
		try(append(slices.Clone(whole), 0))
		try(kept[(i+1)%len(kept)].Body)
	}
}

// TestDamagedBlobs changes each file of a large change, and takes it away.
func TestDamagedBlobs(t *testing.T) {
	u := damaged(t)
	at := u.large + "/"
	for _, name := range []string{revisionFile, rowsFolder + "/manifest.json", rowsFolder + "/seg-0000.parquet"} {
		whole := readBlob(t, u.store, at+name)
		for _, body := range [][]byte{flipped(whole, 9), flipped(whole, len(whole)/4), whole[:len(whole)/5]} {
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
		t.Errorf("mended: %d rows, %v", n, err)
	}
}

func flipped(whole []byte, at int) []byte {
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

// FuzzLayer takes apart bytes that nobody wrote.
func FuzzLayer(f *testing.F) {
	u := newUnder(f, f.TempDir(), sameRows(3), 7, limits{})
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
			t.Errorf("%d bytes were read and not written: %v, %d", len(text), err, len(again))
		}
	})
}

// TestTwoProcesses has two drafts of the same rows make a change with the same
// number, of which one is not kept.
func TestTwoProcesses(t *testing.T) {
	u := newUnder(t, t.TempDir(), sameRows(30), 7, limits{rows: 5, moves: 5})
	defer func() { u.close(t) }()
	other, err := Open(t.Context(), u.cfg)
	if err != nil {
		t.Fatal(err)
	}
	u.change(t, Fill{Where: Selector{Fields: []int{fMail}}, Text: "ours"})
	late := errors.New("another change came first")
	_, err = other.Change(t.Context(), Fill{Where: Selector{Fields: []int{fMail}}, Text: "theirs"}, ChangeOptions{Save: func(context.Context, StoredRevision, ChangeResult) error { return late }})
	if !errors.Is(err, late) {
		t.Fatal(err)
	}
	if err := other.Close(); err != nil {
		t.Fatal(err)
	}
	if n, err := u.readAll(); n != 30 || err != nil {
		t.Errorf("%d rows, %v", n, err)
	}
}
