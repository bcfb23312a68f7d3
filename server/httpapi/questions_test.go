package httpapi

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/engine"
	"github.com/intraydata/intray/internal/wire"
	"github.com/intraydata/intray/server/model"
)

// TestReadingsOnTheWire checks that the readings of examples are encoded along with the
// examples, and that a question stored without readings still has its examples.
func TestReadingsOnTheWire(t *testing.T) {
	const choice = `{"Value":"DMY","Examples":["03/04/2026 is 2026-04-03"]%s}`
	const wire = `{"value":"DMY","label":"DMY","reason":"","examples":["03/04/2026 is 2026-04-03"]%s}`
	for title, c := range map[string]struct{ stored, want string }{
		"stored with readings":    {`,"Readings":[{"Raw":"03/04/2026","Value":"2026-04-03"}]`, `,"readings":[{"raw":"03/04/2026","value":"2026-04-03"}]`},
		"stored without readings": {"", ""},
	} {
		t.Run(title, func(t *testing.T) {
			var q intray.Question
			check(t, json.Unmarshal(fmt.Appendf(nil, `{"ID":"format:born","Choices":[`+choice+`]}`, c.stored), &q))
			imp := model.Import{Status: model.NeedsReview, Outcome: &model.Outcome{Outcome: engine.Outcome{Questions: []intray.Question{q}}}}
			got, err := json.Marshal(wireQuestions(imp).Questions[0].Choices)
			check(t, err)
			if diff := cmp.Diff("["+fmt.Sprintf(wire, c.want)+"]", string(got)); diff != "" {
				t.Error(diff)
			}
			again, err := json.Marshal(q)
			check(t, err)
			var restored intray.Question
			check(t, json.Unmarshal(again, &restored))
			if diff := cmp.Diff(q.Choices[0].Readings, restored.Choices[0].Readings); diff != "" {
				t.Errorf("stored and restored: %s", diff)
			}
		})
	}
}

// remembered sends answers to questions, lists the learned mappings and deletes them.
func (s *server) remembered() {
	s.Helper()
	const path = "/api/v1/headless/memory/"
	made := s.do("POST", "/api/v1/headless/imports/", `{"fields":[{"key":"land","label":"Land","type":"country"}],"settings":{"importIdentifier":"a & b","invalidDataBehavior":"BLOCK_SUBMIT"}}`)
	s.do("PUT", s.text(made, "upload"), "LAND,LaNd\nNirgends,x\n", "Content-Type", "text/csv")
	s.runAll()
	s.do("POST", "/api/v1/headless/imports/"+s.text(made, "id")+"/questions/", `{"answers":{"column:land":"0","value:land:Nirgends":"Germany"}}`)
	s.runAll()

	query := "?import_identifier=a+%26+b"
	first := s.do("GET", path+query+"&limit=1", "")
	var page struct {
		Count    int
		Next     *string
		Previous *string
		Results  []wire.LearnedMapping
	}
	check(s.T, json.Unmarshal(first.Body.Bytes(), &page))
	if page.Count != 2 || page.Next == nil || page.Previous != nil || len(page.Results) != 1 || page.Results[0].Value != nil || page.Results[0].Text != "LAND" {
		s.Fatalf("the first page is %s", first.Body)
	}
	check(s.T, json.Unmarshal(s.do("GET", *page.Next, "").Body.Bytes(), &page))
	code := "DE"
	want := []wire.LearnedMapping{{Kind: "value", Field: "land", Text: "Nirgends", Value: &code, RememberedDate: page.Results[0].RememberedDate}}
	if diff := cmp.Diff(want, page.Results); diff != "" || page.Next != nil || page.Previous == nil || !strings.HasSuffix(want[0].RememberedDate, "Z") {
		s.Errorf("the second page: %s%+v", diff, page)
	}

	exported := s.do("GET", path+"lexicon/"+query, "").Body.String()
	date := page.Results[0].RememberedDate
	wantLexicon := `{"columns":[{"field":"land","header":"LAND","remembered_date":"` + date + `"}],"values":[{"field":"land","text":"Nirgends","value":"DE","remembered_date":"` + date + `"}]}`
	if diff := cmp.Diff(wantLexicon, exported); diff != "" {
		s.Errorf("lexicon (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(exported, s.do("PUT", path+"lexicon/?import_identifier=copy", exported).Body.String()); diff != "" {
		s.Errorf("imported lexicon (-want +got):\n%s", diff)
	}
	for _, wrong := range []string{`{"columns":[{"field":"","header":"x"}]}`, `{"values":[{"field":"a","text":"x"}]}`, `{"columns":[{"field":"a","header":"x","remembered_date":"soon"}]}`, `{"x":1}`} {
		if w := s.send("PUT", path+"lexicon/"+query, wrong); w.Code != 400 {
			s.Errorf("a lexicon %s: status %d, %s", wrong, w.Code, w.Body)
		}
	}

	for _, method := range []string{"GET", "DELETE"} {
		for _, missing := range []string{path, path + "?import_identifier="} {
			if w := s.send(method, missing, ""); w.Code != 400 || !strings.Contains(w.Body.String(), `"import_identifier":["is required`) {
				s.Errorf("%s %s: status %d, %s", method, missing, w.Code, w.Body)
			}
		}
	}
	s.do("DELETE", path+query, "")
	s.do("DELETE", path+query, "")
	if left := s.do("GET", path+query, "").Body.String(); left != `{"count":0,"next":null,"previous":null,"results":[]}` {
		s.Errorf("after it was forgotten: %s", left)
	}
}

// TestMisplacedQuotesQuestion checks that quotes that may be misplaced are a question in the API and on the
// review page, and that an answer through either decides how many rows there are.
func TestMisplacedQuotesQuestion(t *testing.T) {
	for answer, rows := range map[string]string{"quotes": `"total":2`, "text": `"total":3`} {
		s := newServer(t, nil)
		id, path, cookie := s.underReview("E-Mail,Country,Phone 1\nx,\"DE,1\ny,FR\",2\nnobody,XX,4\n")
		api := "/api/v1/headless/imports/" + id + "/questions/"
		for _, asked := range []string{s.do("GET", api, "").Body.String(), s.do("GET", path+"/questions/", "", "Cookie", cookie).Body.String()} {
			for _, want := range []string{`"id":"misplaced_quotes"`, `"type":"REPAIRED_ROW"`, `"label":"lines 2 to 3 are one record"`, `"label":"lines 2 to 3 are 2 records"`, `"examples":["x | \"DE | 1","y | FR\" | 2"]`} {
				if !strings.Contains(asked, want) {
					t.Errorf("the questions lack %s:\n%s", want, asked)
				}
			}
		}
		if w := s.send("POST", api, `{"answers":{"misplaced_quotes":"none"}}`); w.Code != http.StatusBadRequest {
			t.Errorf("status %d %s", w.Code, w.Body)
		}
		s.do("POST", path+"/questions/", `{"answers":{"misplaced_quotes":"`+answer+`"}}`, "Cookie", cookie)
		s.runAll()
		if got := s.do("GET", path+"/rows/", "", "Cookie", cookie).Body.String(); !strings.Contains(got, rows) {
			t.Errorf("%s: the rows are %s, want %s", answer, got, rows)
		}
		layout := s.do("GET", path+"/layout/", "", "Cookie", cookie).Body.String()
		if !strings.Contains(layout, `"choice":"quoting of lines","value":"`+answer+`"`) || !strings.Contains(layout, `"answer":"misplaced_quotes"`) {
			t.Errorf("%s: the layout is %s", answer, layout)
		}
		other := map[string]string{"quotes": "text", "text": "quotes"}[answer]
		if got := s.do("POST", path+"/layout/", `{"answers":{"misplaced_quotes":"`+other+`"}}`, "Cookie", cookie).Body.String(); !strings.Contains(got, `"status":"PENDING"`) {
			t.Errorf("the answer is %s", got)
		}
		s.runAll()
	}
}
