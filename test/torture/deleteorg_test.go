package torture

import (
	"database/sql"
	"fmt"
	"math/rand/v2"
	"net/http"
	"path/filepath"
	"strings"
	"testing"
	"time"

	_ "github.com/jackc/pgx/v5/stdlib" // driver for reading the database

	"github.com/intraydata/intray/test/livetest"
)

// TestDeleteOrgKills kills the deletion of an organization at several points. In between, the organization
// accepts no calls. The next run of the command or a server completes the deletion, and another
// organization loses nothing.
func TestDeleteOrgKills(t *testing.T) {
	databases(t, func(t *testing.T, args []string) {
		const imports, rows = 3, 20
		server := livetest.Start(t, livetest.Config{Args: args})
		kept := make([]string, imports)
		for i := range kept {
			var address string
			kept[i], address = server.CreateImport(t, schema)
			server.Upload(t, address, table(i, rows)).WantStatus(http.StatusOK)
		}
		random := seeded(t)
		for _, name := range []string{"completed-by-command", "completed-by-server"} {
			d := newDoomedOrg(t, server, args, name, random)
			d.killDeletion(share(40))
			if name == "completed-by-command" && d.state() != "" {
				if out, messages, status := d.command("orgs", "delete", name, "--confirm", name, "--text"); status != 0 || !strings.Contains(out, "Deleted the organization") || d.state() != "" {
					t.Errorf("the last deletion: exit status %d: %s%s", status, out, messages)
				}
			}
			server.Restart()
			d.await("the deletion", func() bool { return d.state() == "" })
			d.checkDeleted()
			checkImports(t, server, kept, rows)
		}
	})
}

// doomedOrg is an organization that is deleted.
type doomedOrg struct {
	*testing.T
	server *livetest.Server
	random *rand.Rand
	// flags select the stores of the server.
	flags []string
	db    *sql.DB
	name  string
	// key is an API key of the organization, and upload an upload URL of one of its imports.
	key, upload string
	// ids are its imports.
	ids []string
}

// newDoomedOrg creates an organization with data, disables it, and stops the server.
func newDoomedOrg(t *testing.T, server *livetest.Server, args []string, name string, random *rand.Rand) *doomedOrg {
	t.Helper()
	d := &doomedOrg{T: t, server: server, random: random, flags: append([]string{"--data", server.DataDir()}, args...), name: name}
	driver, database := "sqlite", filepath.Join(server.DataDir(), "intray.db")
	if len(args) > 0 {
		driver, database = "pgx", args[1]
	}
	var err error
	if d.db, err = sql.Open(driver, database); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = d.db.Close() })
	d.mustRun("orgs", "create", name)
	d.key = strings.TrimSpace(d.mustRun("keys", "create", "--org", name, "--kind", "backend"))
	for i := range share(400) {
		body := map[string]any{"fields": schema["fields"], "initial_data": inlineRows(i, 5)}
		made := d.call("POST", "/api/v1/headless/imports/", body).WantStatus(http.StatusCreated)
		d.ids = append(d.ids, made.String("id"))
	}
	d.call("POST", "/api/v1/schemas/", map[string]any{"name": "people", "fields": schema["fields"], "settings": map[string]any{}}).WantStatus(http.StatusCreated)
	made := d.call("POST", "/api/v1/headless/imports/", schema).WantStatus(http.StatusCreated)
	d.ids, d.upload = append(d.ids, made.String("id")), made.String("upload")
	d.await("the imports", func() bool { return d.count("imports", "status = 'SUCCESSFUL'") == len(d.ids)-1 })
	if len(d.files()) == 0 {
		t.Fatal("the organization has no files")
	}
	d.mustRun("orgs", "disable", name)
	d.await("the end of the access", func() bool { return d.call("GET", "/api/v1/schemas/", nil).Status == http.StatusUnauthorized })
	server.Kill()
	return d
}

// killDeletion kills the command kills times, each time when fewer imports are left. In between, it starts
// the server, and stops it before its first round of maintenance, which is after 2 s. On a busy machine, the
// deletion may be complete before the last kill.
func (d *doomedOrg) killDeletion(kills int) {
	d.Helper()
	args := append([]string{"orgs", "delete", d.name, "--confirm", d.name}, d.flags...)
	killed := 0
	for ; killed < kills && d.state() != ""; killed++ {
		most := len(d.ids) * (kills - killed) / kills
		met := func() bool { return d.state() == "DELETING" && d.count("imports", "id <> ''") <= most }
		if out := killCommand(d.T, args, met, time.Duration(d.random.IntN(5))*time.Millisecond); out != "" {
			break
		}
		d.Logf("killed with %d of %d imports left", d.count("imports", "id <> ''"), len(d.ids))
		if _, messages, status := d.command("orgs", "enable", d.name); status == 0 || !strings.Contains(messages, "is being deleted") {
			d.Errorf("orgs enable: exit status %d: %s", status, messages)
		}
		d.server.Restart()
		d.wantRefused()
		d.server.Kill()
	}
	if killed < (kills+1)/2 {
		d.Errorf("the deletion was complete after %d of %d kills", killed, kills)
	}
}

// wantRefused checks that the organization accepts no calls.
func (d *doomedOrg) wantRefused() {
	d.Helper()
	d.call("GET", "/api/v1/headless/imports/", nil).WantStatus(http.StatusUnauthorized)
	d.call("POST", "/api/v1/headless/imports/", schema).WantStatus(http.StatusUnauthorized)
	if got := d.server.Call(d.T, "PUT", d.upload, table(1, 1), "X-Service-License-Key", ""); got.Status < 400 || got.Status >= 500 {
		d.Errorf("an upload during the deletion: %d %s", got.Status, got.Body)
	}
}

// checkDeleted checks that nothing of the organization is left. The server deletes files whose deletion was
// interrupted.
func (d *doomedOrg) checkDeleted() {
	d.Helper()
	if state := d.state(); state != "" {
		d.Errorf("the organization still exists: %s", state)
	}
	d.wantRefused()
	d.await("the deletion of the files", func() bool { return len(d.files()) == 0 })
	if _, messages, status := d.command("orgs", "delete", d.name, "--confirm", d.name); status == 0 || !strings.Contains(messages, "no organization") {
		d.Errorf("another deletion: exit status %d: %s", status, messages)
	}
}

func (d *doomedOrg) call(method, path string, body any) *livetest.Reply {
	d.Helper()
	return d.server.Call(d.T, method, path, body, "X-Service-License-Key", d.key)
}

// command runs a command on the stores of the server.
func (d *doomedOrg) command(args ...string) (out, messages string, status int) {
	d.Helper()
	return livetest.Run(d.T, d.TempDir(), nil, append(args, d.flags...)...)
}

func (d *doomedOrg) mustRun(args ...string) string {
	d.Helper()
	out, messages, status := d.command(args...)
	if status != 0 {
		d.Fatalf("intray %s: exit status %d: %s", strings.Join(args, " "), status, messages)
	}
	return out
}

// state returns the state of the organization in the database, or "" if it does not exist.
func (d *doomedOrg) state() (state string) {
	d.Helper()
	err := d.db.QueryRowContext(d.Context(), "SELECT state FROM orgs WHERE name = $1", d.name).Scan(&state)
	if err != nil && err != sql.ErrNoRows {
		d.Fatal(err)
	}
	return state
}

// count returns the number of rows of the organization that meet a condition.
func (d *doomedOrg) count(table, condition string) (n int) {
	d.Helper()
	query := fmt.Sprintf("SELECT count(*) FROM %s WHERE org = (SELECT id FROM orgs WHERE name = $1) AND %s", table, condition)
	if err := d.db.QueryRowContext(d.Context(), query, d.name).Scan(&n); err != nil {
		d.Fatal(err)
	}
	return n
}

// files returns the files of the organization's imports.
func (d *doomedOrg) files() (list []string) {
	d.Helper()
	for _, name := range filesIn(d.T, filepath.Join(d.server.DataDir(), "blobs", "blobs")) {
		for _, id := range d.ids {
			if strings.Contains(name, id) {
				list = append(list, name)
			}
		}
	}
	return list
}

// await waits until a condition is met. The test fails after 60 s.
func (d *doomedOrg) await(what string, met func() bool) {
	d.Helper()
	for end := time.Now().Add(time.Minute); !met(); time.Sleep(50 * time.Millisecond) {
		if time.Now().After(end) {
			d.Fatalf("%s: not within 60 s: %s", what, d.server.Stderr())
		}
	}
}
