package torture

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/intraydata/intray/test/livetest"
)

// damageTest damages stored files of a running server, and checks everything that the server
// delivers from them.
type damageTest struct {
	*testing.T
	server *livetest.Server
	random *rand.Rand
	// folder contains the stored files: the folder blobs, or a bucket.
	folder string
	// subjects are the imports and sessions whose files are damaged.
	subjects []*subject
	// intact counts, by kind of file and damage, how often the server delivered all data, and
	// refused how often it did not. broken counts the responses that ended early.
	intact, refused map[string]int
	broken          int
}

// subject is an import or session with the data that the server delivers from its files.
type subject struct {
	name, id string
	// outputs maps names to the paths of GET requests, and want to their bodies.
	outputs map[string]func() *http.Request
	want    map[string][]byte
}

// storedFile is a stored file.
type storedFile struct {
	path string
	// kind is raw, result, stage, run (the rows of the run before a review was submitted), edits
	// or session.
	kind string
}

// TestDamagedFiles flips bits in stored files, cuts them and deletes them. No response may
// contain other data than before, and whatever can be rebuilt must be delivered.
func TestDamagedFiles(t *testing.T) {
	databases(t, func(t *testing.T, args []string) {
		server := livetest.Start(t, livetest.Config{Args: args})
		damageFiles(t, server, filepath.Join(server.DataDir(), "blobs"), share(2000))
	})
	t.Run("postgres-s3", func(t *testing.T) {
		database := livetest.Postgres(t)
		address, folder := bucketServer(t).Bucket(t)
		server := livetest.Start(t, livetest.Config{Args: []string{"--database-url", database, "--blob-url", address}})
		damageFiles(t, server, folder, share(200))
	})
}

// damageFiles damages files in a folder a number of times.
func damageFiles(t *testing.T, server *livetest.Server, folder string, total int) {
	d := &damageTest{T: t, random: seeded(t), server: server, folder: folder, intact: map[string]int{}, refused: map[string]int{}}
	d.addFinished("plain", 400)
	d.addFinished("large", 2_200)
	d.addReview("submitted", true)
	d.addReview("review", false)
	d.addSession()
	for i := range total {
		if i%25 == 24 { // closes the rows under review, so that they are read again
			d.server.Kill()
			d.server.Restart()
		}
		if i%50 == 49 {
			d.damageBeforeRun()
			continue
		}
		d.damageAndCheck()
	}
	for _, kind := range []string{"raw", "result", "stage", "run", "edits", "session"} {
		for _, damage := range damageNames {
			name := kind + " " + damage
			t.Logf("%-16s intact %4d, refused %4d", name, d.intact[name], d.refused[name])
		}
	}
	t.Logf("%d files damaged, %d responses ended early", total, d.broken)
}

// addFinished imports a file with the given number of rows, some of them invalid.
func (d *damageTest) addFinished(name string, rows int) {
	d.Helper()
	id, address := d.server.CreateImport(d, schema)
	file := table(1, rows)
	if name == "large" { // the result is larger than what the server verifies before the first byte
		file = bytes.ReplaceAll(file, []byte("file 1"), []byte("file "+strings.Repeat("1", 4000)))
	}
	file = append(file, "invalid,nobody\nalso invalid,nobody\n"...)
	d.server.Upload(d, address, file).WantStatus(http.StatusOK)
	if got := d.server.AwaitImport(d, id); got.String("status") != "SUCCESSFUL" {
		d.Fatal(got.Text())
	}
	d.addDownloads(name, id)
}

// addDownloads adds a finished import, whose outputs are the received file and the result in each
// format.
func (d *damageTest) addDownloads(name, id string) {
	d.Helper()
	s := &subject{name: name, id: id, outputs: map[string]func() *http.Request{}}
	formats := []string{"json", "csv", "ndjson", "xlsx", "parquet"}
	if name == "large" { // the other formats would take too long
		formats = formats[:2]
	}
	for _, format := range formats {
		s.outputs[format] = func() *http.Request {
			address := d.server.Call(d, "GET", "/api/v1/headless/imports/"+id+"/url/?format="+format, nil).WantStatus(http.StatusOK).String("presigned_url")
			return d.server.Request(d, "GET", address, nil, "X-Service-License-Key", "")
		}
	}
	metadata := d.server.Call(d, "GET", "/api/v1/headless/imports/"+id+"/", nil).WantStatus(http.StatusOK).Object()["result_metadata"].(map[string]any)
	s.outputs["raw"] = func() *http.Request {
		upload := d.server.Call(d, "GET", "/api/v1/upload/"+metadata["id"].(string)+"/metadata/", nil).WantStatus(http.StatusOK).Object()
		return d.server.Request(d, "GET", upload["raw_upload"].(map[string]any)["download_url"].(string), nil, "X-Service-License-Key", "")
	}
	d.add(s)
}

// addReview imports a file whose rows are under review, and makes a small and a large change. It
// submits the review if submit is set.
func (d *damageTest) addReview(name string, submit bool) {
	d.Helper()
	id, address := d.server.CreateImport(d, map[string]any{"fields": schema["fields"], "settings": map[string]any{"invalidDataBehavior": "BLOCK_SUBMIT"}})
	d.server.Upload(d, address, append(table(2, 3000), "invalid,nobody\n"...)).WantStatus(http.StatusOK)
	if got := d.server.AwaitImport(d, id); got.String("status") != "NEEDS_REVIEW" {
		d.Fatal(got.Text())
	}
	cookie := d.openReview(id)
	path := "/api/review/v1/" + id
	call := func(what string, body any) {
		d.Helper()
		d.server.Call(d, "POST", path+what, body, "X-Service-License-Key", "", "Cookie", cookie).WantStatus(http.StatusOK)
	}
	call("/edits/", `{"op":"small","kind":"fill","where":{"rows":["3000"]},"keys":["email"],"text":"somebody@example.org"}`)
	call("/edits/", `{"op":"large","kind":"replace","keys":["name"],"find":"row","with":"line"}`)
	if submit {
		call("/submit/", nil)
		d.addDownloads(name, id)
		return
	}
	s := &subject{name: name, id: id, outputs: map[string]func() *http.Request{}}
	for _, query := range []string{"table/", "counts/", "rows/?from=0&count=1000", "rows/?from=2500&count=1000", "rows/?show=all&search=line+2999"} {
		s.outputs[query] = func() *http.Request {
			return d.server.Request(d, "GET", path+"/"+query, nil, "X-Service-License-Key", "", "Cookie", cookie)
		}
	}
	d.add(s)
}

// openReview returns the cookie for the review of an import.
func (d *damageTest) openReview(id string) string {
	d.Helper()
	link, err := url.Parse(d.server.Call(d, "GET", "/api/v1/headless/imports/"+id+"/", nil).WantStatus(http.StatusOK).String("review_url"))
	if err != nil {
		d.Fatal(err)
	}
	opened := d.server.Call(d, "POST", "/api/review/v1/"+id+"/session/", nil, "X-Service-License-Key", "", "Authorization", "Bearer "+link.Fragment).WantStatus(http.StatusOK)
	cookie, _, _ := strings.Cut(opened.Header.Get("Set-Cookie"), ";")
	return cookie
}

// addSession adds a session with a file.
func (d *damageTest) addSession() {
	d.Helper()
	const path = "/api/widget/session/v2/"
	made := d.server.Call(d, "POST", path+"auth/", nil).WantStatus(http.StatusCreated)
	token := made.String("hydrationId")
	request := func(method string, body any) *http.Request {
		return d.server.Request(d, method, path+"file/", body, "X-Service-License-Key", "", "X-Hydration-Id", token, "Content-Type", "text/csv")
	}
	d.server.Do(d, request("PUT", table(3, 200))).WantStatus(http.StatusOK)
	d.add(&subject{name: "session", id: made.String("sessionId"), outputs: map[string]func() *http.Request{"file": func() *http.Request { return request("GET", nil) }}})
}

// add requests all outputs of a subject and adds it.
func (d *damageTest) add(s *subject) {
	d.Helper()
	s.want = map[string][]byte{}
	for name, request := range s.outputs {
		s.want[name] = withoutView(d.server.Do(d, request()).WantStatus(http.StatusOK).Body)
	}
	d.subjects = append(d.subjects, s)
}

var viewToken = regexp.MustCompile(`"view":"[^"]*"`)

// withoutView removes the name of a view from a response, because each view has a new name.
func withoutView(body []byte) []byte { return viewToken.ReplaceAll(body, nil) }

// filesOf returns the stored files of a subject. It omits rows that were replaced by rebuilt ones.
func (d *damageTest) filesOf(s *subject) (files []storedFile) {
	d.Helper()
	latest := map[string]string{} // by kind: the folder of the rows in use
	newest := map[string]int64{}
	check := func(err error) {
		if err != nil {
			d.Fatal(err)
		}
	}
	check(filepath.WalkDir(d.folder, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || !strings.Contains(path, s.id) {
			return err
		}
		info, err := entry.Info()
		if err != nil {
			return err
		}
		kind := kindOfFile(path)
		files = append(files, storedFile{path, kind})
		if base := filepath.Base(path); (base == "manifest.json" || base == "stage.parquet") && (kind == "run" || kind == "stage") && info.ModTime().UnixNano() > newest[kind] {
			newest[kind], latest[kind] = info.ModTime().UnixNano(), filepath.Dir(path)
		}
		return nil
	}))
	submitted := latest["stage"] != ""
	used := files[:0]
	for _, f := range files {
		if !submitted && f.kind == "run" {
			f.kind = "stage"
			if filepath.Dir(f.path) != latest["run"] {
				continue
			}
		} else if latest[f.kind] != "" && filepath.Dir(f.path) != latest[f.kind] {
			continue
		}
		used = append(used, f)
	}
	return used
}

// kindOfFile returns the kind of a stored file. The rows of a run have the kind run,
// and the rows that a submission wrote have the kind stage.
func kindOfFile(path string) string {
	path = strings.ReplaceAll(path, "+/", "/") // the names of folders on disk end with +
	switch {
	case strings.Contains(path, "/sessions/"):
		return "session"
	case strings.Contains(path, "/raw-"):
		return "raw"
	case filepath.Base(path) == "result.json":
		return "result"
	case strings.Contains(path, "/edits/"):
		return "edits"
	case strings.Contains(path, "/final/"):
		return "stage"
	}
	return "run"
}

var damageNames = []string{"flip", "cut", "delete"}

// damageFile damages a file and returns a function that restores it.
func (d *damageTest) damageFile(path, damage string) (restore func()) {
	d.Helper()
	content, err := os.ReadFile(path)
	if err != nil {
		d.Fatal(err)
	}
	write := func(content []byte) {
		if err := os.WriteFile(path, content, 0o600); err != nil {
			d.Fatal(err)
		}
	}
	switch changed := slices.Clone(content); damage {
	case "flip":
		changed[d.random.IntN(len(changed))] ^= 1 << d.random.IntN(8)
		write(changed)
	case "cut":
		write(changed[:d.random.IntN(len(changed))])
	default:
		// The S3 server stores the ETag with the file.
		deleted := filepath.Join(d.TempDir(), "deleted")
		if err := os.Rename(path, deleted); err != nil {
			d.Fatal(err)
		}
		return func() {
			d.makeFolder(path)
			if err := os.Rename(deleted, path); err != nil {
				d.Fatal(err)
			}
		}
	}
	return func() {
		d.makeFolder(path)
		write(content)
	}
}

// makeFolder creates the folder of a file, which the trash may have removed.
func (d *damageTest) makeFolder(path string) {
	d.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		d.Fatal(err)
	}
}

// damageAndCheck damages one or two files of a subject, checks what the server delivers, and
// restores the files.
func (d *damageTest) damageAndCheck() {
	d.Helper()
	s := d.subjects[d.random.IntN(len(d.subjects))]
	files := d.filesOf(s)
	first := files[d.random.IntN(len(files))]
	damaged := map[string]bool{first.kind: true}
	damage := damageNames[d.random.IntN(len(damageNames))]
	restores := []func(){d.damageFile(first.path, damage)}
	description := fmt.Sprintf("%s of %s (%s) of %s", damage, filepath.Base(first.path), first.kind, s.name)
	if second := files[d.random.IntN(len(files))]; d.random.IntN(3) == 0 && second.path != first.path {
		more := damageNames[d.random.IntN(len(damageNames))]
		restores = append(restores, d.damageFile(second.path, more))
		damaged[second.kind] = true
		description += fmt.Sprintf(" and %s of %s (%s)", more, filepath.Base(second.path), second.kind)
	}
	var missing []string
	for name := range s.outputs {
		delivered := d.isDelivered(s, name, description)
		if !delivered {
			missing = append(missing, name)
		}
		if !delivered && s.mustDeliver(name, damaged) {
			d.Fatalf("%s: %s could be rebuilt, but was not delivered", description, name)
		}
		if delivered && name == "raw" && damaged["raw"] {
			d.Fatalf("%s: the received file was delivered", description)
		}
	}
	if kind := first.kind + " " + damage; len(missing) == 0 {
		d.intact[kind]++
	} else {
		d.refused[kind]++
	}
	for _, restore := range restores {
		restore()
	}
	for _, name := range missing {
		if !d.isDelivered(s, name, description+", restored") {
			d.Fatalf("%s: %s is not delivered after the files were restored", description, name)
		}
	}
}

// mustDeliver reports whether an output can be delivered although files of the given kinds are
// damaged, because the files are not needed or can be rebuilt.
func (s *subject) mustDeliver(output string, damaged map[string]bool) bool {
	switch {
	case s.name == "session":
		return false
	case output == "raw":
		return !damaged["raw"]
	case s.name == "review":
		return !damaged["edits"] && (!damaged["stage"] || !damaged["raw"])
	case output == "json" && !damaged["result"]:
		return true
	case !damaged["stage"]:
		return true
	case s.name == "submitted":
		return !damaged["edits"] && (!damaged["run"] || !damaged["raw"])
	}
	return !damaged["raw"]
}

// isDelivered requests an output, and once more if the response ends early or asks to try again.
// It reports whether the output was delivered. Other data than before fails the test.
func (d *damageTest) isDelivered(s *subject, name, description string) bool {
	d.Helper()
	for range 2 {
		got, err := d.server.TryDo(d, s.outputs[name]())
		switch {
		case err != nil:
			d.broken++
		case got.Status == http.StatusServiceUnavailable:
		case got.Status == http.StatusOK:
			if !bytes.Equal(withoutView(got.Body), s.want[name]) {
				d.Fatalf("%s: other data was delivered as %s", description, name)
			}
			return true
		default:
			var problem struct{ Code string }
			if err := json.Unmarshal(got.Body, &problem); err != nil || !slices.Contains([]string{"file_damaged", "file_missing", "rows_damaged"}, problem.Code) {
				d.Fatalf("%s: %s has status %d: %s", description, name, got.Status, got.Body)
			}
			return false
		}
	}
	return false
}

// damageBeforeRun damages the received file of an import before its second run, which must fail
// with a reason of its own.
func (d *damageTest) damageBeforeRun() {
	d.Helper()
	id, address := d.server.CreateImport(d, schema)
	d.server.Upload(d, address, "Name,Name,E-mail\nA,B,a@example.org\n").WantStatus(http.StatusOK)
	if got := d.server.AwaitImport(d, id); got.String("status") != "NEEDS_REVIEW" {
		d.Fatal(got.Text())
	}
	files := d.filesOf(&subject{id: id})
	at := slices.IndexFunc(files, func(f storedFile) bool { return f.kind == "raw" })
	damage := damageNames[d.random.IntN(len(damageNames))]
	d.damageFile(files[at].path, damage)
	d.server.Call(d, "POST", "/api/v1/headless/imports/"+id+"/questions/", `{"answers":{"column:name":"1"}}`).WantStatus(http.StatusOK)
	got := d.server.AwaitImport(d, id)
	want := "import.original_damaged"
	if damage == "delete" {
		want = "import.original_missing"
	}
	if got.String("status") != "FAILED" || !strings.Contains(got.Text(), `"`+want+`"`) {
		d.Fatalf("after %s of the received file: %s", damage, got.Body)
	}
	d.refused["raw "+damage]++
}
