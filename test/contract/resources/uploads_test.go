package resources_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/intraydata/intray/test/apitest"
)

func (c client) metadata(upload string) m {
	c.T.Helper()
	return c.Call("GET", uploadPath+upload+"/metadata/", nil).WantStatus(http.StatusOK).Object()
}

// listed returns the only upload in the list of an organization.
func (c client) listed() m {
	c.T.Helper()
	list, _ := c.Call("GET", uploadsPath, nil).WantStatus(http.StatusOK).Object()["data"].([]any)
	if len(list) != 1 {
		c.T.Fatalf("the list has %d uploads, want 1", len(list))
	}
	return list[0].(m)
}

// TestUploadFields checks the properties of an upload of a file with valid and invalid rows.
func TestUploadFields(t *testing.T) {
	const file = "email,name\na@example.org,Anna\nnot an address,Ben\n,Cleo\nd@example.org,Dan\nbroken@,Eve\n"
	apitest.RunOnDatabases(t, func(t *testing.T, s *apitest.Site) {
		c := fresh(t, s)
		user := m{"id": "7", "name": "Ünal", "email": "u@example.org", "companyId": "c1", "companyName": "Company"}
		done := c.importFile(file, m{"importIdentifier": "contacts", "maxRecords": 4}, m{"import_metadata": m{"user": user}})
		got := c.metadata(done.upload)
		raw := got["raw_upload"].(m)
		if file2 := c.get(raw["download_url"].(string)).WantStatus(http.StatusOK).Text(); file2 != file || raw["filename"] != "contacts.csv" || raw["storage_key"] == "" {
			t.Errorf("raw_upload is %v with the file %q", raw, file2)
		}
		delete(raw, "download_url")
		listed := c.listed()
		if diff := cmp.Diff(got, listed); diff != "" {
			t.Errorf("the upload differs in the list: %s", diff)
		}
		checkAccount(t, got, user)
		if got["id"] == done.id || got["id"] != done.upload || got["storage_key"] == "" {
			t.Errorf("the ids of upload and import: %v and %v", got["id"], done.id)
		}
		checkRowErrors(t, got["errors"].([]any))
	})
}

func checkAccount(t *testing.T, got, user m) {
	t.Helper()
	for name, want := range map[string]any{
		"import_identifier": "contacts", "upload_status": "PROCESSED", "total_num_rows": 4.0, "user": user,
		"invalid_row_indexes": []any{1.0, 2.0}, "field_order": []any{"email", "name"},
	} {
		if diff := cmp.Diff(want, got[name]); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
}

// checkRowErrors checks that the list contains the errors of rows 1 and 2, which are not in
// the result.
func checkRowErrors(t *testing.T, list []any) {
	t.Helper()
	if len(list) != 2 {
		t.Fatalf("there are %d errors, want 2: %v", len(list), list)
	}
	for i, e := range list {
		found := e.(m)
		if found["type"] != "VALIDATION" || found["rowIndex"] != float64(i+1) || found["fieldKey"] != "email" || found["message"] == "" {
			t.Errorf("error %d is %v", i, found)
		}
	}
	if value := list[0].(m)["value"]; value != "not an address" {
		t.Errorf("the raw text is %v", value)
	}
}

// TestUploadOfNobody checks an upload without a user or identifier.
func TestUploadOfNobody(t *testing.T) {
	apitest.RunOnDatabases(t, func(t *testing.T, s *apitest.Site) {
		c := backend(t, s)
		for _, metadata := range []any{nil, m{}, m{"user": nil}, m{"user": m{}}} {
			got := c.metadata(c.importFile("email\na@example.org\n", m{}, m{"import_metadata": metadata}).upload)
			empty := m{"id": "", "name": "", "email": "", "companyId": "", "companyName": ""}
			if diff := cmp.Diff(empty, got["user"]); diff != "" || got["import_identifier"] != "" {
				t.Errorf("with %v the user is %v and the identifier %q", metadata, got["user"], got["import_identifier"])
			}
		}
	})
}

// TestUploadStatus checks the status of uploads for each outcome of an import.
func TestUploadStatus(t *testing.T) {
	apitest.RunOnDatabases(t, func(t *testing.T, s *apitest.Site) {
		c := fresh(t, s)
		for status, call := range map[string]struct {
			file, upload string
			settings     m
		}{
			"SUCCESSFUL":   {"email\na@example.org\n", "PROCESSED", m{}},
			"FAILED":       {"", "FAILED", m{}},
			"NEEDS_REVIEW": {"email\nnobody\n", "PROCESSING", m{"invalidDataBehavior": "BLOCK_SUBMIT"}},
		} {
			done := c.importFile(call.file, call.settings)
			if done.status != status || done.upload == "" {
				t.Errorf("the import is %s with the upload %q, want %s: %s", done.status, done.upload, status, done.reply.Body)
				continue
			}
			if got := c.metadata(done.upload)["upload_status"]; got != call.upload {
				t.Errorf("the upload of a %s import is %v, want %s", status, got, call.upload)
			}
			want := http.StatusConflict
			if status == "SUCCESSFUL" {
				want = http.StatusOK
			}
			c.Call("GET", uploadPath+done.upload+"/url/", nil).WantStatus(want)
		}
		if got := c.listed()["upload_status"]; got != "PROCESSED" {
			t.Errorf("the list has an upload that is %v", got)
		}
	})
}

// TestUploadResult checks that the result URL of an upload returns the result.
func TestUploadResult(t *testing.T) {
	apitest.RunOnDatabases(t, func(t *testing.T, s *apitest.Site) {
		c := backend(t, s)
		done := c.importFile("email,name\na@example.org,Anna\n", m{})
		reply := c.Call("GET", uploadPath+done.upload+"/url/", nil).WantStatus(http.StatusOK)
		if len(reply.Object()) != 1 || !strings.HasPrefix(reply.String("presigned_url"), s.URL+"/") {
			t.Errorf("the answer is %s", reply.Body)
		}
		rows := c.get(reply.String("presigned_url")).WantStatus(http.StatusOK)
		if diff := cmp.Diff([]any{m{"email": "a@example.org", "name": "Anna"}}, rows.Array()); diff != "" {
			t.Error(diff)
		}
	})
}

// TestDeletedUpload checks that the URLs of a deleted upload return 404, and that its files
// are deleted.
func TestDeletedUpload(t *testing.T) {
	apitest.RunOnDatabases(t, func(t *testing.T, s *apitest.Site) {
		c := fresh(t, s)
		kept := c.importFile("email\nkept@example.org\n", m{})
		marker := unique("marker") + "@example.org"
		done := c.importFile("email\n"+strings.ToLower(marker)+"\n", m{})
		result := c.Call("GET", uploadPath+done.upload+"/url/", nil).WantStatus(http.StatusOK).String("presigned_url")
		raw := c.metadata(done.upload)["raw_upload"].(m)["download_url"].(string)
		if reply := c.Call("POST", uploadPath+done.upload+"/delete/", nil).WantStatus(http.StatusOK); len(reply.Body) != 0 {
			t.Errorf("200 has the body %s", reply.Body)
		}
		for _, path := range []string{"/metadata/", "/url/"} {
			c.Call("GET", uploadPath+done.upload+path, nil).WantStatus(http.StatusNotFound)
		}
		c.Call("POST", uploadPath+done.upload+"/delete/", nil).WantStatus(http.StatusNotFound)
		c.get(result).WantStatus(http.StatusNotFound)
		c.get(raw).WantStatus(http.StatusNotFound)
		if got := c.listed()["id"]; got != kept.upload {
			t.Errorf("the list has %v, want %s", got, kept.upload)
		}
		apitest.Eventually(t, "the files of the upload are gone", func() bool {
			for _, path := range filesWith(t, s, strings.ToLower(marker)) {
				if !strings.Contains(path, "intray.db") {
					return false
				}
			}
			return true
		})
	})
}

// TestUploadBeforeItsEnd checks that the upload of an import that has not ended cannot be
// deleted.
func TestUploadBeforeItsEnd(t *testing.T) {
	apitest.RunOnDatabases(t, func(t *testing.T, s *apitest.Site) {
		c := backend(t, s)
		done := c.importFile("email\nnobody\n", m{"invalidDataBehavior": "BLOCK_SUBMIT"})
		c.Call("POST", uploadPath+done.upload+"/delete/", nil).WantStatus(http.StatusConflict)
		c.metadata(done.upload)
	})
}

// TestRemovedOperation checks that an operation that the reference product removed returns
// 410.
func TestRemovedOperation(t *testing.T) {
	apitest.RunOnDatabases(t, func(t *testing.T, s *apitest.Site) {
		backend(t, s).Call("GET", uploadPath+absent+"/data/?start=0&end=10", nil).WantStatus(http.StatusGone)
	})
}

// TestUploadCaps checks how many invalid rows and errors an upload lists.
func TestUploadCaps(t *testing.T) {
	apitest.RunOnDatabases(t, func(t *testing.T, s *apitest.Site) {
		c := fresh(t, s)
		var file strings.Builder
		file.WriteString("email\n")
		const bad = 10050
		for i := range bad {
			fmt.Fprintf(&file, "bad%d\n", i)
		}
		done := c.importFile(file.String(), m{})
		for name, got := range map[string]struct {
			upload          m
			indexes, errors int
		}{
			"list": {c.listed(), 1000, 10}, "metadata": {c.metadata(done.upload), 10000, 1000},
		} {
			indexes, errors := got.upload["invalid_row_indexes"].([]any), got.upload["errors"].([]any)
			if len(indexes) != got.indexes || len(errors) != got.errors || got.upload["total_num_rows"] != float64(bad) {
				t.Errorf("the %s has %d indexes, %d errors and %v rows", name, len(indexes), len(errors), got.upload["total_num_rows"])
			}
			if last := indexes[len(indexes)-1]; last != float64(len(indexes)-1) {
				t.Errorf("the last index of the %s is %v", name, last)
			}
		}
	})
}
