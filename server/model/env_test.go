package model_test

import (
	"context"
	"errors"
	"log/slog"
	"strings"
	"testing"

	"github.com/intraydata/intray/server/blob"
	"github.com/intraydata/intray/server/model"
)

// brokenBlobs is a store that cannot delete.
type brokenBlobs struct{ blob.Store }

func (brokenBlobs) Delete(context.Context, string) error { return errors.New("broken") }

func (brokenBlobs) DeleteAll(context.Context, string) error { return nil }

// TestDiscardBlobsLogsImport checks that the log names the import whose blobs are not deleted.
func TestDiscardBlobsLogsImport(t *testing.T) {
	for prefix, want := range map[string]string{
		model.Import{ID: "i"}.RunPrefix(1): " import=i", model.Import{ID: "i"}.Prefix(): " import=i", "sessions/s": "",
	} {
		var log strings.Builder
		env := &model.Env{Blobs: brokenBlobs{}, Log: slog.New(slog.NewTextHandler(&log, nil))}
		env.DiscardBlobs(t.Context(), prefix)
		if text := log.String(); !strings.Contains(text, "prefix="+prefix+" error=broken"+want+"\n") {
			t.Errorf("the log for %s is %q", prefix, text)
		}
	}
}
