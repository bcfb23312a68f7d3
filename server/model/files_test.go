package model_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"testing"

	"pgregory.net/rapid"

	"github.com/intraydata/intray/server/blob"
	"github.com/intraydata/intray/server/blob/blobtest"
	"github.com/intraydata/intray/server/model"
)

// storeBlob writes a blob and returns the file that describes it.
func storeBlob(t interface{ Fatal(args ...any) }, blobs blob.Store, content []byte) model.File {
	ctx := context.Background()
	w, err := blobs.Create(ctx, "file")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := w.Write(content); err != nil {
		t.Fatal(err)
	}
	if err := w.Commit(); err != nil {
		t.Fatal(err)
	}
	sum := sha256.Sum256(content)
	return model.File{Key: "file", Size: int64(len(content)), SHA256: hex.EncodeToString(sum[:])}
}

// TestFindingReliability4FileReader checks that a file that has changed since it was stored is
// refused before the first byte or, if it is large, before the last chunk.
func TestFindingReliability4FileReader(t *testing.T) {
	large := bytes.Repeat([]byte("large file "), model.VerifyFirst/11+1)
	rapid.Check(t, func(t *rapid.T) {
		env := &model.Env{Blobs: blobtest.NewMemory()}
		content := rapid.SampledFrom([][]byte{[]byte("x"), bytes.Repeat([]byte("y"), 64<<10), bytes.Repeat([]byte("z"), 64<<10+1), large}).Draw(t, "content")
		file := storeBlob(t, env.Blobs, content)
		changed := bytes.Clone(content)
		switch at := rapid.IntRange(0, len(content)-1).Draw(t, "at"); rapid.SampledFrom([]string{"flip", "cut", "append", "none"}).Draw(t, "change") {
		case "flip":
			changed[at] ^= 1 << rapid.IntRange(0, 7).Draw(t, "bit")
		case "cut":
			changed = changed[:at]
		case "append":
			changed = append(changed, 'x')
		}
		storeBlob(t, env.Blobs, changed)
		var got bytes.Buffer
		for attempt := range 2 {
			got.Reset()
			r, err := env.OpenFile(context.Background(), file)
			if err == nil {
				_, err = r.WriteTo(&got)
				err = errors.Join(err, r.Close())
			}
			switch {
			case bytes.Equal(changed, content):
				if err != nil || !bytes.Equal(got.Bytes(), content) {
					t.Fatalf("an intact file: %d of %d bytes, %v", got.Len(), len(content), err)
				}
			case !model.IsKind(err, model.Damaged) || got.Len() >= len(content):
				t.Fatalf("a damaged file: %d of %d bytes, %v", got.Len(), len(content), err)
			case got.Len() > 0 && (attempt > 0 || len(content) <= model.VerifyFirst):
				t.Fatalf("attempt %d: %d of %d bytes of a damaged file", attempt, got.Len(), len(content))
			}
		}
		if found := env.DamageFound(); bytes.Equal(changed, content) && found != 0 || !bytes.Equal(changed, content) && found != 2 {
			t.Fatalf("damage was counted %d times in two attempts", found)
		}
	})
}
