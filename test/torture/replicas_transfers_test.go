package torture

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/user"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/intraydata/intray/test/livetest"
)

// transfers are the files of a connector on an SFTP server that can be restarted.
type transfers struct {
	r         *replicas
	in, out   string
	connector string
	listener  *livetest.Listener
	count     int

	mu sync.Mutex
	// processes are the processes of the SFTP server, which has one for each connection.
	processes []int
}

// newTransfers creates a connector that imports files, and uploads the results to another folder.
func newTransfers(r *replicas) *transfers {
	r.t.Helper()
	me, err := user.Current()
	if err != nil {
		r.t.Fatal(err)
	}
	f := &transfers{r: r, in: r.t.TempDir(), out: r.t.TempDir()}
	login, host := livetest.NewSSHKey(r.t), livetest.NewSSHKey(r.t)
	started := make(chan int)
	go func() {
		for pid := range started {
			f.mu.Lock()
			f.processes = append(f.processes, pid)
			f.mu.Unlock()
		}
	}()
	r.t.Cleanup(func() { close(started) })
	f.listener = livetest.NewListener(r.t, livetest.OpenSSH{
		Config: func() livetest.SSHDConfig {
			return livetest.SSHDConfig{AuthorizedKey: login.PublicKey(), HostKeys: []livetest.SSHKey{host}}
		},
		Attr:    &syscall.SysProcAttr{Setpgid: true},
		Started: started,
	}.Handler(r.t))
	server := r.list[0]
	credential := server.Call(r.t, "POST", "/api/v1/headless/sftp/credentials/", map[string]any{
		"hostname": "127.0.0.1", "port": f.listener.Port, "user": me.Username, "auth_type": "KEY", "private_key": login.Private,
	}).WantStatus(http.StatusCreated).String("id")
	saved := server.Call(r.t, "POST", "/api/v1/schemas/", map[string]any{"name": "Arriving", "fields": schema["fields"], "settings": map[string]any{}, "hooks": map[string]any{}}).WantStatus(http.StatusCreated).String("id")
	f.connector = server.Call(r.t, "POST", "/api/v1/headless/sftp/connectors/", map[string]any{
		"credentials": credential, "schema": saved, "directory": f.in, "file_regex": `^in-\d+\.csv$`,
		"schedule": map[string]any{"type": "every_n_minutes", "minutes": 5}, "deliver_to": map[string]any{"directory": f.out, "format": "csv"},
	}).WantStatus(http.StatusCreated).String("id")
	return f
}

// restart ends the SFTP server with all connections, and starts it again after a delay.
func (f *transfers) restart(down time.Duration) {
	f.r.t.Helper()
	f.listener.Stop()
	f.mu.Lock()
	for _, pid := range f.processes {
		_ = syscall.Kill(-pid, syscall.SIGKILL) // most of them have ended
	}
	f.processes = nil
	f.mu.Unlock()
	time.Sleep(down)
	f.listener.Start()
}

// run starts a run of the connector. It also makes failed uploads due again.
func (f *transfers) run() {
	f.r.call(func(s *livetest.Server) *http.Request {
		return s.Request(f.r.t, "POST", "/api/v1/headless/sftp/connectors/"+f.connector+"/run/", nil)
	}, http.StatusOK)
}

// addFiles adds files one after the other, and runs the connector.
func (f *transfers) addFiles(count int) {
	f.count = count
	for number := range count {
		arrive(f.r.t, f.in, number)
		f.run()
		time.Sleep(200 * time.Millisecond)
	}
}

// check waits until all files are imported and all results are uploaded. Each must be so exactly
// once. check returns the ids of the imports.
func (f *transfers) check() (ids []string) {
	f.r.t.Helper()
	f.awaitUploads()
	imported := map[string]int{}
	for _, item := range f.listed("/api/v1/headless/imports/") {
		if name, _ := item["original_filename"].(string); strings.HasPrefix(name, "in-") {
			imported[name]++
			ids = append(ids, item["id"].(string))
			if item["status"] != "SUCCESSFUL" {
				f.r.t.Errorf("the import of %s is %s", name, item["status"])
			}
		}
	}
	delivered := map[string]int{}
	for _, item := range f.listed("/api/v1/headless/sftp/connectors/" + f.connector + "/deliveries/") {
		delivered[item["import_id"].(string)]++
		if item["status"] != "DELIVERED" {
			f.r.t.Errorf("a result has not been uploaded: %v", item)
		}
	}
	for number := range f.count {
		if name := fmt.Sprintf("in-%04d.csv", number); imported[name] != 1 {
			f.r.t.Errorf("%s was imported %d times", name, imported[name])
		}
	}
	for _, id := range ids {
		if delivered[id] != 1 {
			f.r.t.Errorf("the result of import %s is listed %d times", id, delivered[id])
		}
	}
	if len(delivered) != f.count || len(imported) != f.count {
		f.r.t.Errorf("%d results and %d imports are listed, want %d", len(delivered), len(imported), f.count)
	}
	checkUploadedOnce(f.r.t, f.r.list[0], f.out, f.count)
	return ids
}

// awaitUploads runs the connector until all results are uploaded.
func (f *transfers) awaitUploads() {
	f.r.t.Helper()
	for end := time.Now().Add(2 * time.Minute); ; time.Sleep(time.Second) {
		f.run()
		results, err := filepath.Glob(filepath.Join(f.out, "in-*"))
		if err != nil {
			f.r.t.Fatal(err)
		}
		waiting := 0
		for _, item := range f.listed("/api/v1/headless/sftp/connectors/" + f.connector + "/deliveries/") {
			if item["status"] != "DELIVERED" {
				waiting++
			}
		}
		if len(results) >= f.count && waiting == 0 {
			return
		}
		if time.Now().After(end) {
			left, _ := os.ReadDir(f.in)
			f.r.t.Fatalf("%d of %d results were uploaded, and %d are waiting", len(results), len(left), waiting)
		}
	}
}

// listed returns the items of a list.
func (f *transfers) listed(path string) (items []map[string]any) {
	f.r.t.Helper()
	for next := true; next; {
		got := f.r.list[0].Call(f.r.t, "GET", fmt.Sprintf("%s?limit=100&offset=%d", path, len(items)), nil).WantStatus(http.StatusOK).Object()
		for _, item := range got["results"].([]any) {
			items = append(items, item.(map[string]any))
		}
		next = got["next"] != nil
	}
	return items
}

// receiverOfEvents receives the webhook messages of all replicas.
type receiverOfEvents struct {
	r       *replicas
	webhook string

	mu sync.Mutex
	// received contains the number of requests for each message.
	received map[string]int
}

func newReceiverOfEvents(r *replicas) *receiverOfEvents {
	r.t.Helper()
	e := &receiverOfEvents{r: r, received: map[string]int{}}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, request *http.Request) {
		var message struct{ Event string }
		if err := json.NewDecoder(request.Body).Decode(&message); err != nil {
			r.t.Errorf("receive a webhook message: %v", err)
		}
		e.mu.Lock()
		e.received[request.Header.Get("Webhook-Id")]++
		e.mu.Unlock()
		w.WriteHeader(http.StatusNoContent)
	}))
	r.t.Cleanup(server.Close)
	e.webhook = webhookAt(r.t, r.list[0], server.URL)
	return e
}

// check waits until all messages are delivered. There must be exactly one about the end of each import.
func (e *receiverOfEvents) check(ids []string) {
	e.r.t.Helper()
	var list []delivery
	waiting := 1
	for end := time.Now().Add(2 * time.Minute); waiting > 0 && time.Now().Before(end); time.Sleep(100 * time.Millisecond) {
		list = deliveriesOf(e.r.t, e.r.list[0], e.webhook)
		waiting = 0
		for _, one := range list {
			if one["status"] != "DELIVERED" {
				waiting++
			}
		}
	}
	completed, repeated := map[string]int{}, 0
	e.mu.Lock()
	defer e.mu.Unlock()
	for _, one := range list {
		if one["event"] == "import_completed" {
			completed[one["import_id"].(string)]++
		}
		n := e.received[one["id"].(string)]
		if n == 0 {
			e.r.t.Errorf("a message was not received: %v", one)
		}
		repeated += max(0, n-1)
	}
	for _, id := range ids {
		if completed[id] != 1 {
			e.r.t.Errorf("there are %d messages about the end of import %s", completed[id], id)
		}
	}
	if len(completed) != len(ids) || waiting > 0 {
		e.r.t.Errorf("messages about %d imports, want %d; %d are waiting", len(completed), len(ids), waiting)
	}
	e.r.t.Logf("%d webhook messages, %d received again", len(list), repeated)
}
