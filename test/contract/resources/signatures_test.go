package resources_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/intraydata/intray/test/apitest"
)

// rights contains one signed URL or token of each kind.
type rights struct {
	upload, download, raw, review, hydration string
	importID, waitingID                      string
}

func tokenOf(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return ""
	}
	return u.Query().Get("token")
}

func (c client) makeRights() rights {
	c.T.Helper()
	waiting := c.Call("POST", importsPath, m{"fields": contacts()}).WantStatus(http.StatusCreated)
	done := c.importFile("email,name\nanna@example.org,Anna\n", m{})
	_, review, _ := strings.Cut(done.reply.String("review_url"), "#")
	raw := c.Call("GET", uploadPath+done.upload+"/metadata/", nil).WantStatus(http.StatusOK).Object()["raw_upload"].(map[string]any)
	return rights{
		upload: waiting.String("upload"), waitingID: waiting.String("id"), importID: done.id, review: review,
		download:  c.Call("GET", uploadPath+done.upload+"/url/", nil).WantStatus(http.StatusOK).String("presigned_url"),
		raw:       raw["download_url"].(string),
		hydration: c.Call("POST", sessionsPath+"auth/", nil).WantStatus(http.StatusCreated).String("hydrationId"),
	}
}

func reviewPath(id string) string { return "/api/review/v1/" + id + "/session/" }

// TestRightsSurviveRestart checks that tokens signed before the program was killed still work.
func TestRightsSurviveRestart(t *testing.T) {
	apitest.RunOnFreshDatabases(t, nil, func(t *testing.T, s *apitest.Site) {
		c := backend(t, s)
		r := c.makeRights()
		kept := c.once("before", sessionsPath+"auth/", "").WantStatus(http.StatusCreated)
		c.Call("PUT", statePath, m{"a": 1}, "X-Hydration-Id", r.hydration).WantStatus(http.StatusOK)
		s.Kill()
		s.Restart()
		c.get(r.download).WantStatus(http.StatusOK)
		c.get(r.raw).WantStatus(http.StatusOK)
		c.PutFile(r.upload, "email\na@example.org\n").WantStatus(http.StatusOK)
		c.Call("GET", statePath, nil, "X-Hydration-Id", r.hydration).WantStatus(http.StatusOK)
		c.Call("POST", reviewPath(r.importID), nil, "Authorization", "Bearer "+r.review).WantStatus(http.StatusOK)
		if again := c.once("before", sessionsPath+"auth/", "").WantStatus(http.StatusCreated); again.Text() != kept.Text() {
			t.Errorf("before the restart %s, after it %s", kept.Body, again.Body)
		}
	})
}

// TestRightsServeOnePurpose checks that each token is rejected where a different kind of
// token is required.
func TestRightsServeOnePurpose(t *testing.T) {
	apitest.RunOnDatabases(t, func(t *testing.T, s *apitest.Site) {
		c := fresh(t, s)
		r := c.makeRights()
		tokens := map[string]string{
			"upload": tokenOf(r.upload), "download": tokenOf(r.download), "raw": tokenOf(r.raw), "review": r.review, "hydration": r.hydration,
		}
		uploadID := strings.Split(strings.TrimPrefix(r.download, s.URL+"/download/"), "?")[0]
		for name, token := range tokens {
			if token == "" {
				t.Fatalf("no token for %s", name)
			}
			if name != "upload" {
				c.PutFile("/upload/"+r.waitingID+"?token="+token, "x").WantStatus(http.StatusForbidden)
			}
			c.PutFile("/upload/"+r.importID+"?token="+token, "x").WantStatus(http.StatusForbidden)
			if name != "download" && name != "raw" {
				c.get("/download/" + uploadID + "?token=" + token).WantStatus(http.StatusForbidden)
			}
			c.get("/download/" + r.waitingID + "?token=" + token).WantStatus(http.StatusForbidden)
			if name != "hydration" {
				c.Call("GET", statePath, nil, "X-Hydration-Id", token).WantStatus(http.StatusForbidden)
			}
			if name != "review" {
				c.Call("POST", reviewPath(r.importID), nil, "Authorization", "Bearer "+token).WantStatus(http.StatusForbidden)
			}
			c.Call("POST", reviewPath(r.waitingID), nil, "Authorization", "Bearer "+token).WantStatus(http.StatusForbidden)
			client{s.Client(t, token)}.Call("GET", schemasPath, nil).WantStatus(http.StatusUnauthorized)
		}
		c.PutFile(r.upload, "email\na@example.org\n").WantStatus(http.StatusOK)
	})
}

// TestAlteredSignatures checks that tokens altered at any of many positions are rejected.
func TestAlteredSignatures(t *testing.T) {
	apitest.RunOnDatabases(t, func(t *testing.T, s *apitest.Site) {
		c := fresh(t, s)
		r := c.makeRights()
		for _, altered := range alterations(tokenOf(r.upload)) {
			c.PutFile("/upload/"+r.waitingID+"?token="+url.QueryEscape(altered), "x").WantStatus(http.StatusForbidden)
		}
		at, _, _ := strings.Cut(r.download, "?")
		for _, altered := range alterations(tokenOf(r.download)) {
			c.get(at + "?token=" + url.QueryEscape(altered)).WantStatus(http.StatusForbidden)
		}
		for _, altered := range alterations(r.hydration) {
			c.Call("GET", statePath+"?hydrationId="+url.QueryEscape(altered), nil).WantStatus(http.StatusForbidden)
		}
	})
}

func alterations(token string) []string {
	all := []string{"", "x", token + "A", token[1:], token[:len(token)-1], strings.ToLower(token), token + ".", "." + token, strings.Replace(token, ".", "", 1)}
	for i := 0; i < len(token); i += 7 {
		letter := "A"
		if token[i] == 'A' {
			letter = "B"
		}
		all = append(all, token[:i]+letter+token[i+1:])
	}
	return all
}
