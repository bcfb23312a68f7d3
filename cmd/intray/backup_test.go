package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/intraydata/intray/test/livetest"
	"github.com/intraydata/intray/test/s3test"
)

func mustRun(t *testing.T, args ...string) string {
	t.Helper()
	status, out, messages := execute(t, args...)
	if status != exitDone {
		t.Fatalf("intray %s: status %d\n%s%s", strings.Join(args, " "), status, out, messages)
	}
	return out
}

// backupKeys creates a pair of keys for backups.
func backupKeys(t *testing.T) (identity, recipient string) {
	t.Helper()
	identity = filepath.Join(t.TempDir(), "backup.key")
	return identity, strings.TrimSpace(mustRun(t, "keys", "backup", identity))
}

func contact(name string) map[string]any {
	return map[string]any{"fields": []any{map[string]any{"key": "name", "label": "Name"}}, "initial_data": []any{map[string]any{"name": name}}}
}

// finished creates an import and waits for its end.
func finished(t *testing.T, server *livetest.Server, name string) (id string) {
	t.Helper()
	made := server.Call(t, "POST", "/api/v1/headless/imports/", contact(name))
	made.WantStatus(201)
	server.AwaitImport(t, made.String("id"))
	return made.String("id")
}

// TestBackupWhileInUse backs up a server that imports and deletes all the time, to a folder and to a bucket.
// The data folder is then lost and restored. Every import that had ended before the last backup must be there
// with its result, and no file may be damaged.
func TestBackupWhileInUse(t *testing.T) {
	for _, place := range []string{"folder", "bucket"} {
		t.Run(place, func(t *testing.T) {
			to := filepath.Join(t.TempDir(), "backups")
			if place == "bucket" {
				store := s3test.Start(t)
				to, _ = store.Bucket(t)
				for _, variable := range store.Env() {
					name, value, _ := strings.Cut(variable, "=")
					t.Setenv(name, value)
				}
			}
			checkBackupWhileInUse(t, to)
		})
	}
}

func checkBackupWhileInUse(t *testing.T, to string) {
	t.Helper()
	identity, recipient := backupKeys(t)
	server := livetest.Start(t, livetest.Config{})
	data := server.DataDir()
	stop, stopped := context.WithCancel(t.Context())
	var clients sync.WaitGroup
	var mu sync.Mutex
	kept := map[string]string{} // names by id
	for client := range 3 {
		clients.Go(func() {
			for n := 0; stop.Err() == nil; n++ {
				name := fmt.Sprintf("name %d of client %d", n, client)
				id := finished(t, server, name)
				if n%2 == 0 {
					server.Call(t, "DELETE", "/api/v1/headless/imports/"+id+"/", nil).WantStatus(204)
					continue
				}
				mu.Lock()
				kept[id] = name
				mu.Unlock()
			}
		})
	}
	for range 3 {
		mustRun(t, "backup", to, "--data", data, "--recipient", recipient)
	}
	mu.Lock()
	want := map[string]string{}
	for id, name := range kept {
		want[id] = name
	}
	mu.Unlock()
	mustRun(t, "backup", to, "--data", data, "--recipient", recipient)
	stopped()
	clients.Wait()
	server.Kill()
	if err := os.RemoveAll(data); err != nil {
		t.Fatal(err)
	}

	for n := 1; n <= 4; n++ {
		mustRun(t, "restore", to, "--check", "--identity", identity, "--number", fmt.Sprint(n))
	}
	folder := filepath.Join(t.TempDir(), "restored")
	out := mustRun(t, "restore", to, "--data", folder, "--identity", identity)
	if !strings.Contains(out, "no damage found") {
		t.Errorf("the restored data:\n%s", out)
	}
	if err := os.Rename(folder, data); err != nil {
		t.Fatal(err)
	}
	server.Restart()
	t.Logf("%d imports were kept, %s", len(want), strings.Split(out, "\n")[0])
	if len(want) < 3 {
		t.Errorf("only %d imports were kept", len(want))
	}
	for id, name := range want {
		if got := server.Result(t, id).Text(); !strings.Contains(got, `"`+name+`"`) {
			t.Errorf("the result of import %s is %s, want %q", id, got, name)
		}
	}
	finished(t, server, "after the restore")
}

// TestInterruptedBackup kills backups and restores at many times. None of them may prevent the next one, or be
// treated as complete.
func TestInterruptedBackup(t *testing.T) {
	t.Parallel()
	identity, recipient := backupKeys(t)
	server := livetest.Start(t, livetest.Config{})
	for n := range 10 {
		finished(t, server, fmt.Sprint("name ", n))
	}
	data, to, folder := server.DataDir(), filepath.Join(t.TempDir(), "backups"), filepath.Join(t.TempDir(), "restored")
	binary := livetest.BuildBinary(t)
	killed := 0
	kill := func(round int, args ...string) {
		ctx, cancel := context.WithTimeout(t.Context(), time.Duration(round*round)*2*time.Millisecond)
		defer cancel()
		if exec.CommandContext(ctx, binary, args...).Run() != nil {
			killed++
		}
	}
	for round := range 10 {
		kill(round, "backup", to, "--data", data, "--recipient", recipient)
	}
	mustRun(t, "backup", to, "--data", data, "--recipient", recipient)
	for round := range 10 {
		kill(round, "restore", to, "--data", folder, "--identity", identity)
		if _, err := os.Stat(folder); err == nil { // the restore was complete
			if out := mustRun(t, "verify", "--data", folder); !strings.Contains(out, "of 10 imports: no damage found") {
				t.Errorf("round %d: %s", round, out)
			}
		}
		if err := errors.Join(os.RemoveAll(folder), os.RemoveAll(folder+".restoring")); err != nil {
			t.Fatal(err)
		}
	}
	t.Logf("%d of 20 commands were killed", killed)
	if out := mustRun(t, "restore", to, "--data", folder, "--identity", identity); !strings.Contains(out, "of 10 imports: no damage found") {
		t.Errorf("the restore: %s", out)
	}
}

// TestRestoreRefused checks the messages for mistakes. None of them may change a data folder.
func TestRestoreRefused(t *testing.T) {
	t.Parallel()
	identity, recipient := backupKeys(t)
	other, _ := backupKeys(t)
	server := livetest.Start(t, livetest.Config{})
	finished(t, server, "Ada")
	data, to := server.DataDir(), filepath.Join(t.TempDir(), "backups")
	mustRun(t, "backup", to, "--data", data, "--recipient", recipient)
	folder := filepath.Join(t.TempDir(), "restored")
	for _, one := range []struct {
		args   []string
		status int
		want   string
	}{
		{[]string{"restore", to, "--data", data, "--identity", identity}, exitUsage, "is not empty"},
		{[]string{"restore", to, "--data", folder, "--identity", other}, exitFault, "private key does not belong"},
		{[]string{"restore", to, "--data", folder}, exitUsage, "--identity is required"},
		{[]string{"restore", to, "--data", folder, "--identity", filepath.Join(data, "master.key")}, exitUsage, "does not contain a private key"},
		{[]string{"restore", to, "--data", folder, "--identity", identity, "--number", "7"}, exitFault, "number 7"},
		{[]string{"restore", to, "--data", folder, "--identity", identity, "--database-url", "postgres://localhost/intray"}, exitUsage, "intray move"},
		{[]string{"restore", to + "2", "--data", folder, "--identity", identity}, exitUsage, "no such file"},
		{[]string{"restore", t.TempDir(), "--data", folder, "--identity", identity}, exitUsage, "there are no backups in"},
		{[]string{"restore", data, "--list"}, exitUsage, "is a data folder"},
		{[]string{"restore", filepath.Dir(identity), "--list"}, exitUsage, "contains other files"},
		{[]string{"restore", filepath.Join(data, "blobs"), "--list"}, exitFault, "not a repository of backups"},
		{[]string{"restore", to, "--list", "--check"}, exitUsage, "only one"},
		{[]string{"backup", to, "--data", data}, exitUsage, "intray keys backup"},
		{[]string{"backup", to, "--data", data, "--recipient", "age1x"}, exitUsage, "not a key such as age1"},
		{[]string{"backup", filepath.Join(data, "backups"), "--data", data, "--recipient", recipient}, exitUsage, "in the data folder"},
		{[]string{"backup", filepath.Join(data, "blobs"), "--data", data, "--recipient", recipient}, exitUsage, "in the data folder"},
		{[]string{"backup", to, "--data", folder, "--recipient", recipient}, exitUsage, "does not exist"},
		{[]string{"backup", to, "--data", data, "--recipient", recipient, "--keep-days=-1"}, exitUsage, "negative"},
		{[]string{"backup", to, "--data", data, "--recipient", recipient, "--database-url", "postgres://localhost/intray"}, exitUsage, "pg_dump"},
		{[]string{"keys", "backup", identity}, exitUsage, "exists"},
	} {
		status, out, messages := execute(t, one.args...)
		if status != one.status || !strings.Contains(messages, one.want) {
			t.Errorf("intray %s: status %d, want %d\n%s%s\nwant a message with %q", strings.Join(one.args, " "), status, one.status, out, messages, one.want)
		}
		if _, err := os.Stat(folder); err == nil {
			t.Fatalf("intray %s created the folder", strings.Join(one.args, " "))
		}
	}
	if out := mustRun(t, "verify", "--data", data); !strings.Contains(out, "no damage found") {
		t.Errorf("the data folder: %s", out)
	}
}

// TestPartialRestore checks that the intact part of a damaged backup can be restored, and that damage is
// reported.
func TestPartialRestore(t *testing.T) {
	t.Parallel()
	identity, recipient := backupKeys(t)
	server := livetest.Start(t, livetest.Config{})
	finished(t, server, "Ada")
	data, to := server.DataDir(), filepath.Join(t.TempDir(), "backups")
	mustRun(t, "backup", to, "--data", data, "--recipient", recipient)
	before, err := filepath.Glob(filepath.Join(to, "blobs", "objects+", "*", "*"))
	if err != nil {
		t.Fatal(err)
	}
	finished(t, server, "Grace")
	mustRun(t, "backup", to, "--data", data, "--recipient", recipient)
	after, err := filepath.Glob(filepath.Join(to, "blobs", "objects+", "*", "*"))
	if err != nil {
		t.Fatal(err)
	}
	lost := ""
	for _, object := range after { // a part of the database is larger than any of the files
		if stat, err := os.Stat(object); err == nil && stat.Size() < 5000 && !slices.Contains(before, object) {
			lost = object
		}
	}
	if err := os.Remove(lost); err != nil {
		t.Fatal(err)
	}
	folder := filepath.Join(t.TempDir(), "restored")
	if status, out, messages := execute(t, "restore", to, "--data", folder, "--identity", identity); status != exitFault || !strings.Contains(messages, "--partial") {
		t.Errorf("an incomplete backup: status %d\n%s%s", status, out, messages)
	}
	if status, out, messages := execute(t, "restore", to, "--check", "--json"); status != exitFault || !strings.Contains(out, "is missing") {
		t.Errorf("checking an incomplete backup: status %d\n%s%s", status, out, messages)
	}
	status, out, messages := execute(t, "restore", to, "--data", folder, "--identity", identity, "--partial", "--json")
	var restored restoredBackup
	if err := json.Unmarshal([]byte(out), &restored); err != nil || status != exitFault || restored.Damaged != 1 {
		t.Errorf("a partial restore: status %d, %v\n%s%s", status, err, out, messages)
	}
	if out := mustRun(t, "restore", to, "--data", folder+"2", "--identity", identity, "--number", "1"); !strings.Contains(out, "of 1 import: no damage found") {
		t.Errorf("the intact backup: %s", out)
	}
}
