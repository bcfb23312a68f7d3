package imports_test

import (
	"archive/zip"
	"bytes"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/intraydata/intray/test/livetest"
)

// TestQuestions answers the question of which of two columns contains the name, and checks that
// the import continues.
func TestQuestions(t *testing.T) {
	each(t, func(c client) {
		e := c.run(inline(people()), "email,name,name\na@example.org,A,B\n").want("NEEDS_REVIEW")
		path := importsPath + e.id + "/questions/"
		asked := c.Call("GET", path, nil).WantStatus(http.StatusOK).Object()
		questions := asked["questions"].([]any)
		if len(questions) != 1 {
			c.T.Fatalf("the questions are %s", show(asked))
		}
		first := questions[0].(m)
		if first["id"] != "column:name" || first["type"] != "COLUMN_CONFLICT" || first["fieldKey"] != "name" || first["answer"] != nil || first["anyColumn"] != true {
			c.T.Errorf("the question is %s", show(first))
		}
		choices := first["choices"].([]any)
		if diff := cmp.Diff(m{
			"value": "1", "label": "name (column 2)", "labelCode": "column.label", "labelParams": m{"header": "name", "column": 2.0}, "reason": "", "examples": []any{"A"},
		}, choices[0]); diff != "" {
			c.T.Errorf("the first choice: %s", diff)
		}
		for _, refused := range []m{{}, {"answers": m{}}, {"answers": m{"column:name": 2}}, {"answers": m{"column:name": "9"}}, {"answers": m{"sheet": "A"}}, {"column:name": "2"}} {
			c.Call("POST", path, refused).WantStatus(http.StatusBadRequest)
		}
		again := c.Call("POST", path, m{"answers": m{"column:name": "2"}}).WantStatus(http.StatusOK).Object()
		if again["status"] != "PENDING" || len(again["questions"].([]any)) != 0 || again["answers"].(m)["column:name"] != "2" {
			c.T.Errorf("the answer is %s", show(again))
		}
		e = c.await(e.id).want("SUCCESSFUL")
		if rows := e.rows(); rows != `[{"email":"a@example.org","name":"B","town":null}]` {
			c.T.Errorf("the rows are %s", rows)
		}
		c.Call("POST", path, m{"answers": m{"column:name": "1"}}).WantStatus(http.StatusConflict)
		c.Call("GET", importsPath+"00000000-0000-4000-8000-000000000000/questions/", nil).WantStatus(http.StatusNotFound)
	})
}

// TestSheetQuestion sends an archive with two tables, chooses one of them in the answer, and
// checks that only the rows of that table are imported.
func TestSheetQuestion(t *testing.T) {
	var packed bytes.Buffer
	z := zip.NewWriter(&packed)
	for _, member := range [][2]string{{"towns.csv", "town,country\nUlm,DE\n"}, {"people.csv", "email,name\na@example.org,A\n"}} {
		w, err := z.Create(member[0])
		if err == nil {
			_, err = w.Write([]byte(member[1]))
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	each(t, func(c client) {
		e := c.run(inline(people()), packed.String()).want("NEEDS_REVIEW")
		if e.types() != "SHEET_UNCERTAIN" {
			c.T.Errorf("the notices are %s", e.types())
		}
		c.Call("POST", importsPath+e.id+"/questions/", m{"answers": m{"sheet": "people.csv"}}).WantStatus(http.StatusOK)
		e = c.await(e.id).want("SUCCESSFUL")
		if rows := e.rows(); rows != `[{"email":"a@example.org","name":"A","town":null}]` {
			c.T.Errorf("the rows are %s", rows)
		}
		source := e.metadata()["source"].(m)
		if diff := cmp.Diff(m{"value": "people.csv", "reason": "it was requested", "reasonCode": "sheet.asked_for", "reasonParams": m{}}, source["sheet"]); diff != "" {
			c.T.Error(diff)
		}
	})
}

// TestAnswersDiscard answers a question after a row was changed. The change may be lost
// only if the request allows it.
func TestAnswersDiscard(t *testing.T) {
	fields := []any{field("email", "email"), field("land", "country")}
	each(t, func(c client) {
		e := c.run(inline(fields, settings(m{"invalidDataBehavior": "BLOCK_SUBMIT"})), "email,land\nnobody,XX\n").want("NEEDS_REVIEW")
		path := reviewPath + e.id + "/"
		opened := c.openReview(e.id, c.address(e.doc["review_url"]).Fragment).WantStatus(http.StatusOK)
		visit, _, _ := strings.Cut(opened.Header.Get("Set-Cookie"), ";")
		c.WithoutKey().Call("POST", path+"edits/", m{"op": "1", "kind": "clear", "keys": []any{"email"}}, "Cookie", visit).WantStatus(http.StatusOK)
		post := map[string]func(body m) *livetest.Reply{
			"the page": func(body m) *livetest.Reply {
				return c.WithoutKey().Call("POST", path+"questions/", body, "Cookie", visit)
			},
			"the backend": func(body m) *livetest.Reply { return c.Call("POST", importsPath+e.id+"/questions/", body) },
		}
		for who, post := range post {
			refused := post(m{"answers": m{"value:land:XX": "DE"}}).WantStatus(http.StatusConflict).Object()
			if refused["code"] != "discards_changes" || refused["changes"] != 1.0 {
				c.T.Errorf("the response to %s is %s", who, show(refused))
			}
		}
		taken := post["the backend"](m{"answers": m{"value:land:XX": "DE"}, "discard": true}).WantStatus(http.StatusOK).Object()
		if taken["status"] != "PENDING" {
			c.T.Errorf("the answer is %s", show(taken))
		}
		c.await(e.id).want("NEEDS_REVIEW")
	})
}
