package apiclients_test

import (
	"fmt"
	"io"
	"iter"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/intraydata/intray/test/apitest"
)

// pipedream replays components/dromo of PipedreamHQ/pipedream: dromo.app.mjs, the actions
// create-headless-import (version 1.0.3) and list-schema-id-options (0.0.1), and the sources
// import-needs-review and new-data-row-imported (0.0.2).
//
// The component sends all requests with axios, and the key with all of them, even to signed URLs. It
// does not read results: the sources emit imports as they are in the list. It uses no webhooks.
type pipedream struct{ program }

func newPipedream(p program) pipedream {
	p.always = []string{"Accept", "application/json, text/plain, */*", "User-Agent", "axios/1.7.4", keyHeader, p.key}
	return pipedream{p}
}

// option is an option of the property schemaId.
type option struct{ Label, Value string }

// schemaOptions returns an option for each schema. The response must be an array, without pages.
func (p pipedream) schemaOptions() (options []option) {
	p.t.Helper()
	for _, s := range decode[[]struct{ ID, Name string }](p.t, p.send("GET", p.api+"/schemas/", nil)) {
		options = append(options, option{s.Name, s.ID})
	}
	return options
}

func (p pipedream) create(schema, filename string) (id, upload string) {
	p.t.Helper()
	body := encode(p.t, object{"schema_id": schema, "original_filename": filename})
	made := decode[struct{ ID, Upload string }](p.t, p.send("POST", p.api+"/headless/imports/", body, "Content-Type", jsonType))
	return made.ID, made.Upload
}

// createImport is the action that creates an import. It streams the file, so the request has no
// Content-Length, and ends when the import has received its file.
func (p pipedream) createImport(schema, filename, file string) string {
	p.t.Helper()
	id, upload := p.create(schema, filename)
	p.send("PUT", rebuildQuery(p.t, upload), io.MultiReader(strings.NewReader(file)), "Content-Type", "application/octet-stream")
	apitest.Eventually(p.t, "import "+id+" has its file", func() bool {
		return decode[struct{ Status string }](p.t, p.send("GET", p.api+"/headless/imports/"+id+"/", nil)).Status != "AWAITING_UPLOAD"
	})
	return id
}

// rebuildQuery returns an address as @pipedream/platform and axios send it: the parameters of the
// query are split at & and =, decoded, and encoded again, with some characters left as they are.
func rebuildQuery(t testing.TB, address string) string {
	t.Helper()
	base, query, some := strings.Cut(address, "?")
	if !some {
		return address
	}
	encoder := strings.NewReplacer("%3A", ":", "%24", "$", "%2C", ",", "%5B", "[", "%5D", "]")
	parameters := strings.Split(query, "&")
	for i, parameter := range parameters {
		parts := strings.Split(parameter, "=")
		if len(parts) != 2 {
			t.Fatalf("the client cannot split %q", address)
		}
		for j, part := range parts {
			text, err := url.PathUnescape(part)
			if err != nil {
				t.Fatal(err)
			}
			parts[j] = encoder.Replace(url.QueryEscape(text))
		}
		parameters[i] = strings.Join(parts, "=")
	}
	return base + "?" + strings.Join(parameters, "&")
}

// listedImport is an import in a list.
type listedImport struct {
	ID, Status string
	Filename   string    `json:"original_filename"`
	Modified   time.Time `json:"modified_date"`
}

// imports pages through the imports until a page is not full. pages counts the requests.
func (p pipedream) imports(pages *int) iter.Seq[listedImport] {
	const limit = 100
	return func(yield func(listedImport) bool) {
		for offset := 0; ; offset += limit {
			address := fmt.Sprintf("%s/headless/imports/?limit=%d&offset=%d", p.api, limit, offset)
			page := decode[struct{ Results []listedImport }](p.t, p.send("GET", address, nil))
			*pages++
			if page.Results == nil {
				p.t.Fatal("the page has no array of results")
			}
			for _, one := range page.Results {
				if !yield(one) {
					return
				}
			}
			if len(page.Results) != limit {
				return
			}
		}
	}
}

// source is a source of the component. It emits each import with a status once.
type source struct {
	pipedream
	status string
	// last is the time of the latest change that the source has seen, in milliseconds.
	last    int64
	emitted map[string]bool
}

// poll returns the events of one run: the ID and name of each import that is emitted. It fails the
// test if the number of pages is different.
func (s *source) poll(wantPages int) (events [][2]string) {
	s.t.Helper()
	last, pages := s.last, 0
	for one := range s.imports(&pages) {
		changed := one.Modified.UnixMilli()
		if changed > s.last && one.Status == s.status && !s.emitted[one.ID] {
			s.emitted[one.ID] = true
			events = append(events, [2]string{one.ID, one.Filename})
		}
		last = max(last, changed)
	}
	if s.last = last; pages != wantPages {
		s.t.Errorf("the source reads %d pages, want %d", pages, wantPages)
	}
	return events
}

// TestPipedream lists schemas, creates imports and polls both sources before, between and after
// changes, with a list that fills one page exactly and then has a second page.
func TestPipedream(t *testing.T) {
	each(t, func(p program) {
		app := newPipedream(p)
		if none := app.schemaOptions(); len(none) != 0 {
			p.t.Errorf("without schemas, the options are %v", none)
		}
		schema, name := p.saveSchema()
		if diff := cmp.Diff([]option{{name, schema}}, app.schemaOptions()); diff != "" {
			p.t.Error(diff)
		}
		review := source{app, "NEEDS_REVIEW", 0, map[string]bool{}}
		complete := source{app, "SUCCESSFUL", 0, map[string]bool{}}
		expect := func(s *source, pages int, want ...[2]string) {
			p.t.Helper()
			if diff := cmp.Diff(want, s.poll(pages)); diff != "" {
				p.t.Errorf("the events of %s: %s", s.status, diff)
			}
		}
		expect(&review, 1)
		expect(&complete, 1)

		valid := [2]string{app.createImport(schema, "valid.csv", validFile), "valid.csv"}
		invalid := [2]string{app.createImport(schema, "invalid.csv", invalidFile), "invalid.csv"}
		reader := poc{p, schema}
		for _, id := range []string{valid[0], invalid[0]} {
			reader.poll(id)
		}
		for range 98 {
			app.create(schema, "later.csv")
		}
		expect(&review, 2, invalid)
		expect(&complete, 2, valid)
		expect(&review, 2)
		expect(&complete, 2)

		app.create(schema, "later.csv")
		open := p.openImporter(p.rehydrate(invalid[0]))
		open.fix("ben@example.org")
		open.submit()
		expect(&review, 2)
		expect(&complete, 2, invalid)
		expect(&complete, 2)
		for _, id := range []string{valid[0], invalid[0]} {
			if diff := cmp.Diff(validRows(), reader.result(id)); diff != "" {
				p.t.Errorf("the rows: %s", diff)
			}
		}
	})
}
