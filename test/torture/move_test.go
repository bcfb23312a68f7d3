package torture

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/intraydata/intray/test/livetest"
)

// TestMove kills the server of a data folder while imports run, changes are reviewed and a file is half
// received, and moves everything to PostgreSQL and a bucket. The move is killed at random times and run
// again. Afterwards, nothing is missing, and everything continues.
func TestMove(t *testing.T) {
	const rows = 50
	random := seeded(t)
	bucketServer(t)
	server := livetest.Start(t, livetest.Config{})
	r := &replicas{t: t, list: []*livetest.Server{server}}
	review := &reviewedImport{}
	if review.prepare(r); !review.open(r) {
		t.FailNow()
	}
	review.changeName(r, 1)
	review.addRow(r, "added before the move")
	half := sendPart(t, server, rows)
	ids := make([]string, share(1000))
	for i := range ids {
		var address string
		ids[i], address = server.CreateImport(t, schema)
		server.Upload(t, address, table(i, rows)).WantStatus(http.StatusOK)
	}
	server.Kill()
	database := livetest.Postgres(t)
	address, folder := bucketServer(t).Bucket(t)
	move := []string{"move", "--data", server.DataDir(), "--database-url", database, "--blob-url", address}
	kills, files := share(20), len(filesIn(t, filepath.Join(server.DataDir(), "blobs", "blobs")))
	killed, out := 0, ""
	for ; killed < kills && out == ""; killed++ {
		// The first half is killed while files are moved, and the rest at any time afterwards.
		moved := min(files*(killed+1)/(kills/2+1), files-1)
		out = killCommand(t, move, func() bool { return len(filesIn(t, folder)) >= moved }, time.Duration(random.IntN(1+len(ids)))*time.Millisecond)
		if killed == 0 {
			checkMoving(t, server.DataDir(), database, address)
		}
	}
	if out == "" {
		var messages string
		if out, messages, _ = livetest.Run(t, t.TempDir(), nil, move...); messages != "" {
			t.Log(messages)
		}
	} else if killed--; killed < kills/2 {
		t.Errorf("the move was complete after %d of %d kills", killed, kills)
	}
	if !strings.Contains(out, "no damage found") {
		t.Fatalf("the move: %s", out)
	}
	t.Logf("%d imports, %d kills; %s", len(ids), killed, strings.TrimSpace(out))

	if err := os.RemoveAll(filepath.Join(server.DataDir(), "blobs")); err != nil {
		t.Fatal(err)
	}
	moved := livetest.Start(t, livetest.Config{Data: server.DataDir(), Args: []string{"--database-url", database, "--blob-url", address}})
	r.list = []*livetest.Server{moved}
	checkImports(t, moved, ids, rows)
	half.finish(server, moved)
	review.changeName(r, 2)
	review.submit(r)
	review.check(r)
}

// filesIn returns the files in a folder and its subfolders.
func filesIn(t *testing.T, folder string) (list []string) {
	t.Helper()
	err := filepath.WalkDir(folder, func(name string, entry fs.DirEntry, err error) error {
		if errors.Is(err, fs.ErrNotExist) { // it was renamed in the meantime
			return nil
		}
		if err == nil && !entry.IsDir() {
			list = append(list, name)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return list
}

// killCommand starts a command, and kills it some time after a condition is met. If the command ends before,
// killCommand returns its output.
func killCommand(t *testing.T, args []string, met func() bool, later time.Duration) (out string) {
	t.Helper()
	command := exec.CommandContext(t.Context(), livetest.BuildBinary(t), args...)
	var stdout, stderr bytes.Buffer
	command.Stdout, command.Stderr = &stdout, &stderr
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- command.Wait() }()
	hasEnded := func(within time.Duration) bool {
		select {
		case err := <-ended:
			if err != nil {
				t.Fatalf("intray %s: %v\n%s", args[0], err, stderr.String())
			}
			return true
		case <-time.After(within):
			return false
		}
	}
	for !met() {
		if hasEnded(5 * time.Millisecond) {
			return stdout.String()
		}
	}
	if hasEnded(later) {
		return stdout.String()
	}
	_ = command.Process.Kill()
	<-ended
	return ""
}

// checkMoving checks that no server starts with either database while a move is not complete, and that the
// target is refused for other data.
func checkMoving(t *testing.T, data, database, bucket string) {
	t.Helper()
	for _, one := range []struct {
		args []string
		want string
	}{
		{[]string{"serve", "--data", data}, "intray move --cancel"},
		{[]string{"serve", "--data", data, "--database-url", database, "--blob-url", bucket}, "run intray move again"},
		{[]string{"move", "--data", data, "--database-url", database}, "with the same settings"},
	} {
		ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
		out, err := exec.CommandContext(ctx, livetest.BuildBinary(t), one.args...).CombinedOutput()
		cancel()
		if err == nil || !strings.Contains(string(out), one.want) {
			t.Errorf("intray %s: %v, want a message with %q\n%s", strings.Join(one.args, " "), err, one.want, out)
		}
	}
}

// partSent is a resumable upload of which the first part has been received.
type partSent struct {
	t           *testing.T
	id, address string
	file        []byte
	rows        int
}

// partNumber is the number of the table that a partSent sends.
const partNumber = 2_000_000

func sendPart(t *testing.T, server *livetest.Server, rows int) *partSent {
	t.Helper()
	id, upload := server.CreateImport(t, schema)
	p := &partSent{t: t, id: id, file: table(partNumber, rows), rows: rows}
	created := server.Call(t, "POST", upload, nil, "X-Service-License-Key", "", "Tus-Resumable", "1.0.0", "Upload-Length", strconv.Itoa(len(p.file))).WantStatus(http.StatusCreated)
	p.address = created.Header.Get("Location")
	p.patch(server, 0, len(p.file)/2)
	return p
}

func (p *partSent) patch(server *livetest.Server, from, to int) {
	p.t.Helper()
	server.Call(p.t, "PATCH", p.address, p.file[from:to], "X-Service-License-Key", "", "Tus-Resumable", "1.0.0",
		"Upload-Offset", strconv.Itoa(from), "Content-Type", "application/offset+octet-stream").WantStatus(http.StatusNoContent)
}

// finish sends the rest to another server, and checks the result.
func (p *partSent) finish(before, now *livetest.Server) {
	p.t.Helper()
	p.address = strings.Replace(p.address, before.URL, now.URL, 1)
	found := now.Call(p.t, "HEAD", p.address, nil, "X-Service-License-Key", "", "Tus-Resumable", "1.0.0").WantStatus(http.StatusOK)
	if got := found.Header.Get("Upload-Offset"); got != fmt.Sprint(len(p.file)/2) {
		p.t.Fatalf("the server has received %s bytes, want %d", got, len(p.file)/2)
	}
	p.patch(now, len(p.file)/2, len(p.file))
	now.AwaitImport(p.t, p.id)
	checkResult(p.t, now, p.id, partNumber, p.rows)
}
