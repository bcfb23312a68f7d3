package imports_test

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/intraydata/intray/test/apitest"
)

// TestResultMetadata checks every key of result_metadata.
func TestResultMetadata(t *testing.T) {
	const file = "Name,phone,email\nA,1,a@example.org\nB,2,nobody\n"
	user := m{"id": "7", "name": "Anna", "email": "", "companyId": "", "companyName": ""}
	each(t, func(c client) {
		e := c.run(inline(people(), settings(m{"importIdentifier": "contacts"}), m{"original_filename": "people.csv", "import_metadata": m{"user": m{"id": "7", "name": "Anna"}}}), file)
		metadata := e.want("SUCCESSFUL").metadata()
		sum := sha256.Sum256([]byte(file))
		source, id := metadata["source"].(m), metadata["id"].(string)
		delete(metadata, "source")
		delete(metadata, "id")
		mapped := func(header any, index any) m {
			return m{"fileHeader": header, "fileHeaderIndex": index, "isCustom": false, "manyToOne": false}
		}
		want := m{
			"filename": "people.csv", "importIdentifier": "contacts", "user": user, "rawHeaders": []any{"Name", "phone", "email"},
			"fields":      m{"email": mapped("email", 2.0), "name": mapped("Name", 0.0), "town": mapped(nil, nil)},
			"numDataRows": 2.0, "numOutputRows": 1.0, "numRowsWithError": 1.0, "rowsWithError": []any{1.0},
			"sha256": hex.EncodeToString(sum[:]),
		}
		if diff := cmp.Diff(want, metadata); diff != "" {
			c.T.Error(diff)
		}
		if upload := c.Call("GET", uploadPath+id+"/metadata/", nil).Object(); upload["id"] != id || id == e.id {
			c.T.Errorf("the id is not that of an upload: %s", show(upload))
		}
		c.checkSource(source, "format", "encoding", "delimiter", "header row")
	})
}

// checkSource checks that source contains the given choices about the file, each with its
// evidence.
func (c client) checkSource(source m, choices ...string) {
	c.T.Helper()
	for _, choice := range choices {
		if source[choice] == nil {
			c.T.Errorf("source lacks %q: %v", choice, keysOf(source))
		}
	}
	for choice, made := range source {
		doc, _ := made.(m)
		value, _ := doc["value"].(string)
		reason, _ := doc["reason"].(string)
		code, _ := doc["reasonCode"].(string)
		params, _ := doc["reasonParams"].(m)
		if value == "" || reason == "" || code == "" || params == nil || len(doc) != 4 {
			c.T.Errorf("source %q is %v", choice, made)
		}
	}
}

// TestResultMetadataOfOtherEnds checks result_metadata of imports that fail, need a review
// or have minimal data.
func TestResultMetadataOfOtherEnds(t *testing.T) {
	keys := []string{"fields", "filename", "id", "importIdentifier", "numDataRows", "numOutputRows", "numRowsWithError", "rawHeaders", "rowsWithError", "sha256", "source", "user"}
	each(t, func(c client) {
		for status, file := range map[string]string{"FAILED": "", "NEEDS_REVIEW": "phone\n1\n", "SUCCESSFUL": goodFile} {
			metadata := c.run(inline(people()), file).want(status).metadata()
			if diff := cmp.Diff(keys, keysOf(metadata)); diff != "" {
				c.T.Errorf("%s: %s", status, diff)
			}
			for key, want := range (m{"filename": nil, "importIdentifier": "", "user": nil}) {
				if metadata[key] != want {
					c.T.Errorf("%s: %s is %v", status, key, metadata[key])
				}
			}
			if fields := keysOf(metadata["fields"].(m)); !slices.Equal(fields, []string{"email", "name", "town"}) {
				c.T.Errorf("%s: fields are %v", status, fields)
			}
		}
		rows := c.await(c.create(withRows(people(), `[{"email":"a@example.org"}]`)).String("id"))
		c.checkSource(rows.metadata()["source"].(m), "format", "encoding", "header row")
		sum := sha256.Sum256([]byte(`[{"email":"a@example.org"}]`))
		if got := rows.metadata()["sha256"]; got != hex.EncodeToString(sum[:]) {
			c.T.Errorf("the sha256 of initial_data is %v", got)
		}
	})
}

// TestManyErrors checks that only the first errors are listed, together with the total number
// of errors.
func TestManyErrors(t *testing.T) {
	const rows = 30_000
	each(t, func(c client) {
		var file strings.Builder
		file.WriteString("email,name\n")
		for i := range rows {
			fmt.Fprintf(&file, "nobody %d,A\n", i)
		}
		e := c.run(inline(people(), settings(m{"invalidDataBehavior": "INCLUDE_INVALID_ROWS"})), file.String()).want("SUCCESSFUL")
		metadata := e.metadata()
		listed := metadata["rowsWithError"].([]any)
		if len(listed) != 10_000 || listed[0] != 0.0 || listed[9_999] != 9_999.0 || metadata["numRowsWithError"] != float64(rows) || metadata["numOutputRows"] != float64(rows) {
			c.T.Errorf("%d rows are listed, of %v", len(listed), metadata["numRowsWithError"])
		}
		notices := e.notices()
		if len(notices) != 1001 {
			c.T.Fatalf("%d notices", len(notices))
		}
		last := notices[1000]
		if last["type"] != "TRUNCATED" || last["total"] != float64(rows) {
			c.T.Errorf("the last notice is %s", show(last))
		}
		for i, n := range notices[:1000] {
			if n["type"] != "VALIDATION" || n["rowIndex"] != float64(i) || n["value"] != fmt.Sprintf("nobody %d", i) || n["total"] != nil {
				c.T.Fatalf("notice %d is %s", i, show(n))
			}
		}
	})
}

// TestErrorsAtTheLimit checks the notices if exactly as many rows have errors as can be
// listed, and if one more has an error.
func TestErrorsAtTheLimit(t *testing.T) {
	each(t, func(c client) {
		for _, rows := range []int{1000, 1001} {
			e := c.run(inline(people()), "email\na@example.org\n"+strings.Repeat("nobody\n", rows)).want("SUCCESSFUL")
			notices := e.notices()
			if want := min(rows, 1000) + (rows - 1000); len(notices) != want {
				c.T.Errorf("%d errors: %d notices", rows, len(notices))
			}
			if last := notices[len(notices)-1]; (last["type"] == "TRUNCATED") != (rows > 1000) {
				c.T.Errorf("%d errors: the last notice is %s", rows, show(last))
			}
		}
	})
}

// TestErrorElements checks that each notice has the documented properties and no others.
func TestErrorElements(t *testing.T) {
	known := []string{"type", "level", "message", "messageCode", "params", "rowIndex", "fieldKey", "header", "value", "manyToOneIndex", "total"}
	long := strings.Repeat("ü", 100_000)
	each(t, func(c client) {
		e := c.run(inline(people()), "E-MAIL\n"+long+"\n<b>\n,x\n").want("SUCCESSFUL")
		for _, n := range e.notices() {
			for _, key := range keysOf(n) {
				if !slices.Contains(known, key) {
					c.T.Errorf("a notice has %q", key)
				}
			}
		}
		want := m{
			"type": "VALIDATION", "level": "error", "rowIndex": 1.0, "fieldKey": "email", "header": "E-MAIL", "value": "<b>",
			"messageCode": "email.invalid", "params": m{},
		}
		got := with(e.notices()[2], m{"message": nil})
		if e.notices()[0]["type"] == "VALIDATION" {
			got = with(e.notices()[1], m{"message": nil})
		}
		if diff := cmp.Diff(want, got); diff != "" {
			c.T.Error(diff)
		}
	})
}

// TestStates polls an import from its creation to its end. The states must be in order, and
// the results must be null before the end.
func TestStates(t *testing.T) {
	order := []string{"AWAITING_UPLOAD", "PENDING", "RUNNING", "SUCCESSFUL"}
	each(t, func(c client) {
		made := c.create(inline(people()))
		id, modified, at := made.String("id"), made.String("modified_date"), 0
		seen := func() bool {
			doc := c.get(id).Object()
			now := slices.Index(order, doc["status"].(string))
			if now < at || doc["modified_date"].(string) < modified {
				c.T.Fatalf("from %s to %s", order[at], show(doc))
			}
			if at, modified = now, doc["modified_date"].(string); now < 3 && (doc["result_metadata"] != nil || doc["import_errors"] != nil) {
				c.T.Errorf("before the end: %s", show(doc))
			}
			return now == 3
		}
		if seen() {
			c.T.Fatal("it ended without a file")
		}
		c.PutFile(made.String("upload"), "email,name\n"+strings.Repeat("a@example.org,A\n", 100_000)).WantStatus(200)
		apitest.Eventually(c.T, "it ends", seen)
	})
}
