package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/intraydata/intray/test/livetest"
)

// TestVerify checks that verify finds and repairs damage in the files of a server that is running.
func TestVerify(t *testing.T) {
	server := livetest.Start(t, livetest.Config{})
	made := server.Call(t, "POST", "/api/v1/headless/imports/", map[string]any{
		"fields": []any{map[string]any{"key": "name", "label": "Name"}}, "initial_data": []any{map[string]any{"name": "Ada"}},
	})
	made.WantStatus(201)
	server.AwaitImport(t, made.String("id"))
	data := server.DataDir()
	if status, out, messages := execute(t, "verify", "--data", data); status != exitDone || !strings.Contains(out, "Verified 3 files of 1 import: no damage found.") {
		t.Errorf("without damage: status %d\n%s%s", status, out, messages)
	}
	results, err := filepath.Glob(filepath.Join(data, "blobs", "blobs", "imports+", "*", "run-1+", "result.json"))
	if err != nil || len(results) != 1 {
		t.Fatalf("results %q, %v", results, err)
	}
	if err := os.WriteFile(results[0], []byte(`[{"name":"Eve"}]`), 0o600); err != nil {
		t.Fatal(err)
	}
	status, out, messages := execute(t, "verify", "--data", data, "--json")
	var found verified
	if err := json.Unmarshal([]byte(out), &found); err != nil || status != exitFault || found.Damaged != 1 || len(found.Damage) != 1 || found.Damage[0].Part != "result" {
		t.Errorf("a changed result: status %d, %v\n%s", status, err, out)
	}
	if !strings.Contains(messages, "intray verify --repair") {
		t.Errorf("the error does not say what to do: %s", messages)
	}
	if status, out, messages := execute(t, "verify", "--data", data, "--repair"); status != exitDone || !strings.Contains(out, "repaired") {
		t.Errorf("the repair: status %d\n%s%s", status, out, messages)
	}
	if repaired, err := os.ReadFile(results[0]); err != nil || string(repaired) != `[{"name":"Ada"}]` {
		t.Errorf("the repaired result is %s, %v", repaired, err)
	}
	if status, _, messages := execute(t, "verify", "--data", filepath.Join(data, "missing")); status != exitUsage {
		t.Errorf("a missing data folder: status %d\n%s", status, messages)
	}
}
