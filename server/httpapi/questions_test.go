package httpapi

import (
	"encoding/json"
	"strings"

	"github.com/google/go-cmp/cmp"
)

// remembered answers questions, looks at what is remembered of them, and forgets
// it.
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
		Results  []learnedMapping
	}
	check(s.T, json.Unmarshal(first.Body.Bytes(), &page))
	if page.Count != 2 || page.Next == nil || page.Previous != nil || len(page.Results) != 1 || page.Results[0].Value != nil || page.Results[0].Text != "LAND" {
		s.Fatalf("the first page is %s", first.Body)
	}
	check(s.T, json.Unmarshal(s.do("GET", *page.Next, "").Body.Bytes(), &page))
	code := "DE"
	want := []learnedMapping{{Kind: "value", Field: "land", Text: "Nirgends", Value: &code, RememberedDate: page.Results[0].RememberedDate}}
	if diff := cmp.Diff(want, page.Results); diff != "" || page.Next != nil || page.Previous == nil || !strings.HasSuffix(want[0].RememberedDate, "Z") {
		s.Errorf("the second page: %s%+v", diff, page)
	}

	for _, method := range []string{"GET", "DELETE"} {
		for _, missing := range []string{path, path + "?import_identifier="} {
			if w := s.send(method, missing, ""); w.Code != 400 || !strings.Contains(w.Body.String(), `"import_identifier":["is missing`) {
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
