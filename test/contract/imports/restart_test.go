package imports_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/intraydata/intray/test/apitest"
	"github.com/intraydata/intray/test/livetest"
)

// TestAnsweredIsDurable kills the program as soon as it has responded. After the restart,
// it must finish the accepted work.
func TestAnsweredIsDurable(t *testing.T) {
	eachFresh(t, func(c client) {
		made := c.create(inline(people()))
		c.PutFile(made.String("upload"), goodFile).WantStatus(http.StatusOK)
		c.Site.Kill()
		c.Site.Restart()
		c.await(made.String("id")).want("SUCCESSFUL")
		rows := c.create(withRows(people(), `[{"email":"a@example.org"}]`))
		c.Site.Kill()
		c.Site.Restart()
		c.await(rows.String("id")).want("SUCCESSFUL")
	})
}

// TestAddressesSurviveRestart checks that URLs signed before a restart still work.
func TestAddressesSurviveRestart(t *testing.T) {
	eachFresh(t, func(c client) {
		made := c.create(inline(people()))
		done := c.run(inline(people()), goodFile).want("SUCCESSFUL")
		result := c.Call("GET", importsPath+done.id+"/url/", nil).WantStatus(http.StatusOK).String("presigned_url")
		c.Site.Kill()
		c.Site.Restart()
		c.WithoutKey().Call("GET", result, nil).WantStatus(http.StatusOK)
		c.review(done.id, c.address(done.doc["review_url"]).Fragment).WantStatus(http.StatusOK)
		c.PutFile(made.String("upload"), goodFile).WantStatus(http.StatusOK)
		c.await(made.String("id")).want("SUCCESSFUL")
	})
}

// TestServerCapsFileSize checks that no schema can raise the server's file size limit.
func TestServerCapsFileSize(t *testing.T) {
	eachFresh(t, func(c client) {
		for _, s := range []m{{}, {"maxFileSize": 1 << 30}, {"maxFileSize": 1001}} {
			made := c.create(inline(people(), settings(s)))
			c.PutFile(made.String("upload"), strings.Repeat("x", 1001)).WantStatus(http.StatusRequestEntityTooLarge)
			c.PutFile(made.String("upload"), "email\n"+strings.Repeat("x", 1000-len("email\n"))).WantStatus(http.StatusOK)
		}
	}, "--max-file-size", "1000")
}

// TestAddressesBeginWithTheBase checks that all URLs begin with the base URL of the server.
func TestAddressesBeginWithTheBase(t *testing.T) {
	t.Parallel()
	const base = "https://intray.example.org"
	s := apitest.Start(t, apitest.SQLite, livetest.Config{Args: []string{"--base-url", base}})
	c := backend(t, s)
	doc := c.create(inline(people())).Object()
	id := doc["id"].(string)
	for key, want := range map[string]string{"upload": base + "/upload/" + id, "review_url": base + "/review/" + id} {
		if got := doc[key].(string); !strings.HasPrefix(got, want) {
			t.Errorf("%s is %s", key, got)
		}
	}
	c.create(inline(people()))
	page := c.Call("GET", importsPath+"?limit=1", nil).Object()
	if next, _ := page["next"].(string); !strings.HasPrefix(next, base+importsPath) {
		t.Errorf("next is %v", page["next"])
	}
}
