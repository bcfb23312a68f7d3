package torture

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/intraydata/intray/test/livetest"
)

// hooked is a schema whose hooks change every row and read the clock and random numbers.
var hooked = map[string]any{
	"fields": schema["fields"],
	"hooks": map[string]any{
		"stepHooks": []any{map[string]any{
			"type":     "REVIEW_STEP",
			"callback": `(instance) => instance.addField({key: "stamp", label: "Stamp"}, {after: "name"})`,
		}},
		"rowHooks": []any{
			`({row, index}) => ({row: {name: {value: row.name.value.toUpperCase() + " AT " + index}}})`,
			`({row}) => ({row: {
				email: {value: row.email.value.replace("@example.org", "@example.com")},
				stamp: {value: Date.now() + " " + Math.random() + " " + row.name.value.length},
			}})`,
		},
	},
}

// runtimes runs a test once for each installed hook runtime, with the flags that select it.
// The flags allow an incomplete sandbox.
func runtimes(t *testing.T, test func(t *testing.T, args []string)) {
	needProcesses(t)
	for _, name := range []string{"quickjs", "node"} {
		t.Run(name, func(t *testing.T) {
			if _, err := exec.LookPath(name); name == "node" && err != nil {
				t.Skip("SKIPPED: node is not installed")
			}
			test(t, []string{"--hook-runtime", name, "--hook-sandbox", "best-effort"})
		})
	}
}

const (
	// killsARound is the maximum number of kills per round. It must be less than 10, because
	// an import fails after losing its worker ten times.
	killsARound = 7
	// apart is the minimum time between killing two workers. The rows of a killed worker
	// are retried only a few times before the import fails.
	apart = 500 * time.Millisecond
)

// TestHookKills repeatedly kills the server and its hook workers while hooks process a
// large import. The result must equal that of an undisturbed import, including times and
// random numbers.
func TestHookKills(t *testing.T) {
	runtimes(t, func(t *testing.T, args []string) {
		rows := share(1_000_000)
		services, workers := share(20), share(20)
		random := seeded(t)
		total := killedImport{}
		for round := 0; total.services < services || total.workers < workers || total.results == 0; round++ {
			if round > 6 {
				t.Fatalf("the imports ended before the kills: %+v", total)
			}
			kills := min(killsARound, max(services-total.services, workers-total.workers, 2))
			one := importTwice(t, args, rows, kills, random)
			total.services += one.services
			total.workers += one.workers
			total.results += one.results
			if one.undisturbed < 2*time.Second { // the import is too short for many kills
				rows *= 2
			}
			t.Logf("round %d: undisturbed in %s; %d kills of the service, %d of them at the result, %d of workers",
				round, one.undisturbed.Round(time.Millisecond), one.services, one.results, one.workers)
		}
	})
}

// importTwice creates two copies of an import that awaits its file. It kills processes
// during one of them and checks that the results are equal.
func importTwice(t *testing.T, args []string, rows, kills int, random *rand.Rand) *killedImport {
	t.Helper()
	twins, id, path := newTwinFolders(t, args)
	file := table(0, rows)
	o := &killedImport{t: t, random: random, id: id}

	undisturbed := livetest.Start(t, livetest.Config{Data: twins[0], Args: args})
	undisturbed.Upload(t, path, file).WantStatus(http.StatusOK)
	began := time.Now()
	created := o.await(undisturbed).String("created_date")
	o.undisturbed = time.Since(began)
	want := undisturbed.Result(t, id).Body
	checkHooked(t, want, created, rows)
	stop(t, undisturbed)

	o.server = livetest.Start(t, livetest.Config{Data: twins[1], Args: args})
	o.server.Upload(t, path, file).WantStatus(http.StatusOK)
	o.killRepeatedly(kills)
	o.await(o.server)
	if got := o.server.Result(t, id).Body; !bytes.Equal(got, want) {
		t.Fatalf("the result differs from that without kills: %s", firstDifference(got, want))
	}
	checkUploads(t, o.server, 1)
	stop(t, o.server)
	checkSweptBlobs(t, o.server, blobsIn(t, twins[0]))
	return o
}

// newTwinFolders creates two data folders that contain the same import.
func newTwinFolders(t *testing.T, args []string) (twins [2]string, id, path string) {
	t.Helper()
	server := livetest.Start(t, livetest.Config{Args: args})
	id, address := server.CreateImport(t, hooked)
	stop(t, server)
	twins = [2]string{server.DataDir(), filepath.Join(t.TempDir(), "twin")}
	err := os.CopyFS(twins[1], os.DirFS(twins[0]))
	if err == nil {
		err = os.Chmod(filepath.Join(twins[1], "master.key"), 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
	_, token, _ := strings.Cut(address, "/upload/")
	return twins, id, "/upload/" + token
}

// checkHooked checks that all hooks processed each row once.
func checkHooked(t *testing.T, result []byte, created string, rows int) {
	t.Helper()
	made, err := time.Parse(time.RFC3339Nano, created)
	if err != nil {
		t.Fatal(err)
	}
	var list []struct{ Name, Email, Stamp string }
	if err := json.Unmarshal(result, &list); err != nil || len(list) != rows {
		t.Fatalf("%d rows, want %d: %v", len(list), rows, err)
	}
	chances := map[string]bool{}
	for i, row := range list {
		name := fmt.Sprintf("FILE 0 ROW %d AT %d", i, i)
		clock, rest, _ := strings.Cut(row.Stamp, " ")
		chance, length, _ := strings.Cut(rest, " ")
		chances[chance] = true
		if row.Name != name || row.Email != fmt.Sprintf("user%d@example.com", i) || clock != fmt.Sprint(made.UnixMilli()) || length != fmt.Sprint(len(name)) {
			t.Fatalf("row %d is %+v; the import was made at %d", i, row, made.UnixMilli())
		}
	}
	if len(chances) < rows*99/100 {
		t.Fatalf("%d distinct random numbers in %d rows", len(chances), rows)
	}
}

func firstDifference(got, want []byte) string {
	at := 0
	for at < min(len(got), len(want)) && got[at] == want[at] {
		at++
	}
	return fmt.Sprintf("%d bytes, want %d; at %d: %.100q, want %.100q", len(got), len(want), at, got[at:], want[at:])
}

// blobsIn returns the size and hash of all blobs in a data folder, including unfinished
// ones. The keys are the names of the blobs, without the parts that differ between runs.
func blobsIn(t *testing.T, data string) map[string]string {
	t.Helper()
	root, all := filepath.Join(data, "blobs"), map[string]string{}
	err := filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		var content []byte
		if err == nil && !entry.IsDir() {
			content, err = os.ReadFile(path)
		}
		if errors.Is(err, fs.ErrNotExist) { // a sweep deleted the file
			return nil
		}
		if err != nil || entry.IsDir() {
			return err
		}
		name := strings.TrimPrefix(path, root+"/")
		all[withoutRun(name)] += fmt.Sprintf("%d bytes, %x; ", len(content), sha256.Sum256(content))
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// withoutRun replaces the run number and the random name of an uploaded file in the name of a
// blob.
func withoutRun(name string) string {
	parts := strings.Split(name, "/")
	for i, part := range parts {
		if strings.HasPrefix(part, "run-") {
			parts[i] = "run"
		}
		if strings.HasPrefix(part, "raw-") {
			parts[i] = "raw"
		}
	}
	return strings.Join(parts, "/")
}

// checkSweptBlobs makes the garbage of a stopped server due for deletion and restarts the
// server. After the sweeps, exactly the blobs in want must remain.
func checkSweptBlobs(t *testing.T, server *livetest.Server, want map[string]string) {
	t.Helper()
	makeDue(t, server.DataDir())
	server.Restart()
	diff := ""
	for end := time.Now().Add(20 * time.Second); time.Now().Before(end); time.Sleep(50 * time.Millisecond) {
		if diff = cmp.Diff(want, blobsIn(t, server.DataDir())); diff == "" {
			stop(t, server)
			return
		}
	}
	t.Fatalf("the blobs after the sweep (-want +got):\n%s", diff)
}
