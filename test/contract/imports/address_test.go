package imports_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/intraydata/intray/test/apitest"
)

// alterText returns variants of text in which one character is replaced with 0, or with 1 if it
// is 0. The characters at multiples of step, except dashes, are replaced in turn.
func alterText(text string, step int) []string {
	var list []string
	for at := 0; at < len(text); at += step {
		if text[at] == '-' {
			continue
		}
		for _, other := range []byte("01") {
			if text[at] != other {
				list = append(list, text[:at]+string(other)+text[at+1:])
				break
			}
		}
	}
	return list
}

// otherCase returns variants of text in which the case of one letter is changed.
func otherCase(text string) []string {
	var list []string
	for at := range text {
		if changed := string(text[at] ^ 0x20); strings.EqualFold(changed, text[at:at+1]) && changed != text[at:at+1] {
			list = append(list, text[:at]+changed+text[at+1:])
		}
	}
	return list
}

// TestUploadAddressAltered checks that an upload URL whose token or id is altered is rejected.
func TestUploadAddressAltered(t *testing.T) {
	each(t, func(c client) {
		made := c.create(inline(people()))
		id, address := made.String("id"), made.String("upload")
		token := c.address(address).Query().Get("token")
		if token == "" {
			c.T.Fatalf("no token in %s", address)
		}
		at := strings.TrimSuffix(c.Site.URL, "/") + c.address(address).Path
		tokens := append(alterText(token, 1), token[:len(token)-1], token+"A", token+"=", token+".", "."+token, "", strings.ToUpper(token), token+token)
		tokens = append(tokens, otherCase(token)[:20]...)
		for _, other := range tokens {
			c.refusedAddress(at + "?token=" + url.QueryEscape(other))
		}
		for _, other := range alterText(id, 1) {
			c.refusedAddress(strings.Replace(address, id, other, 1))
		}
		c.refusedAddress(at)
		c.checkAwaits(id)
	})
}

// TestSignedAddressOtherSpelling checks the status if the id in a signed URL is spelled
// differently. An id that is not a UUID returns 404. A UUID in a different spelling returns
// 403, because it does not match the signature.
func TestSignedAddressOtherSpelling(t *testing.T) {
	each(t, func(c client) {
		e := c.run(inline(people()), goodFile).want("SUCCESSFUL")
		made := c.create(inline(people()))
		id, uploadID := made.String("id"), e.metadata()["id"].(string)
		address := e.Call("GET", importsPath+e.id+"/url/", nil).String("presigned_url")
		for _, spelling := range []struct {
			of     func(id string) string
			status int
		}{
			{strings.ToUpper, http.StatusForbidden},
			{func(id string) string { return otherCase(id)[0] }, http.StatusForbidden},
			{func(id string) string { return strings.Replace(id, "-", "A", 1) }, http.StatusNotFound},
			{func(id string) string { return strings.ReplaceAll(id, "-", "") }, http.StatusNotFound},
			{func(id string) string { return "%7B" + id + "%7D" }, http.StatusNotFound},
		} {
			upload := strings.Replace(made.String("upload"), id, spelling.of(id), 1)
			if got := c.PutFile(upload, goodFile); got.Status != spelling.status {
				c.T.Errorf("the upload %s: status %d, want %d: %.200s", upload, got.Status, spelling.status, got.Body)
			}
			download := strings.Replace(address, uploadID, spelling.of(uploadID), 1)
			if got := c.WithoutKey().Call("GET", download, nil); got.Status != spelling.status {
				c.T.Errorf("the download %s: status %d, want %d: %.200s", download, got.Status, spelling.status, got.Body)
			}
		}
		c.checkAwaits(id)
	})
}

// refusedAddress checks that a URL that the server never issued does not accept a file.
func (c client) refusedAddress(address string) {
	c.T.Helper()
	if got := c.PutFile(address, goodFile); got.Status != http.StatusForbidden {
		c.T.Errorf("the address %.70s…: status %d: %.100s", address, got.Status, got.Body)
	}
}

// TestTokensServeOnePurpose checks that a token is rejected where a different kind of
// token, or the token of a different import, is required.
func TestTokensServeOnePurpose(t *testing.T) {
	each(t, func(c client) {
		one := c.run(inline(people()), goodFile).want("SUCCESSFUL")
		other := c.run(inline(people()), goodFile).want("SUCCESSFUL")
		awaits := c.create(inline(people())).Object()
		result := one.Call("GET", importsPath+one.id+"/url/", nil).String("presigned_url")
		file := one.uploadDoc()["raw_upload"].(m)["download_url"].(string)
		tokens := map[string]string{
			"upload":        c.tokenOf(awaits["upload"].(string)),
			"other upload":  c.tokenOf(one.doc["upload"].(string)),
			"review":        c.address(awaits["review_url"].(string)).Fragment,
			"result":        c.tokenOf(result),
			"file":          c.tokenOf(file),
			"other result":  c.tokenOf(other.Call("GET", importsPath+other.id+"/url/", nil).String("presigned_url")),
			"session":       c.hydration(),
			"key":           c.Key,
			"empty":         "",
			"own review":    c.address(one.doc["review_url"].(string)).Fragment,
			"other review":  c.address(other.doc["review_url"].(string)).Fragment,
			"other own url": c.tokenOf(other.uploadDoc()["raw_upload"].(m)["download_url"].(string)),
		}
		for name, token := range tokens {
			if name != "upload" {
				c.refusedAddress(withToken(awaits["upload"].(string), token))
			}
			if name != "result" && name != "file" {
				c.refusedDownload(withToken(result, token))
			}
			if name != "own review" {
				c.refusedReview(one.id, token)
			}
			c.refusedReview(unknownID, token)
		}
		c.checkAwaits(awaits["id"].(string))
		// Each token works for its purpose.
		c.WithoutKey().Call("GET", result, nil).WantStatus(http.StatusOK)
		c.WithoutKey().Call("GET", file, nil).WantStatus(http.StatusOK)
		c.review(one.id, tokens["own review"]).WantStatus(http.StatusOK)
	})
}

func (e ended) uploadDoc() m {
	e.T.Helper()
	return e.Call("GET", uploadPath+e.metadata()["id"].(string)+"/metadata/", nil).WantStatus(http.StatusOK).Object()
}

func (c client) tokenOf(address string) string {
	c.T.Helper()
	return c.address(address).Query().Get("token")
}

// hydration returns a hydration token.
func (c client) hydration() string {
	c.T.Helper()
	return c.Call("POST", "/api/widget/session/v2/auth/", nil).WantStatus(http.StatusCreated).String("hydrationId")
}

func withToken(address, token string) string {
	bare, _, _ := strings.Cut(address, "?")
	return bare + "?token=" + url.QueryEscape(token)
}

func (c client) refusedDownload(address string) {
	c.T.Helper()
	if got := c.WithoutKey().Call("GET", address, nil); got.Status != http.StatusForbidden {
		c.T.Errorf("the download %s: status %d: %.200s", address, got.Status, got.Body)
	}
}

func (c client) refusedReview(id, token string) {
	c.T.Helper()
	want := http.StatusForbidden
	if token == "" {
		want = http.StatusUnauthorized
	}
	if got := c.openReview(id, token); got.Status != want {
		c.T.Errorf("the review of %s with the token %q: status %d: %.200s", id, token, got.Status, got.Body)
	}
}

// TestDownloadAddressAltered checks that the download URL of a result is rejected if its
// token or id is altered.
func TestDownloadAddressAltered(t *testing.T) {
	each(t, func(c client) {
		e := c.run(inline(people()), goodFile).want("SUCCESSFUL")
		address := e.Call("GET", importsPath+e.id+"/url/", nil).String("presigned_url")
		token := c.tokenOf(address)
		for _, other := range append(alterText(token, 3), token[:len(token)-1], token+"A", "") {
			c.refusedDownload(withToken(address, other))
		}
		id := e.metadata()["id"].(string)
		for _, other := range append(alterText(id, 5), e.id) {
			c.refusedDownload(strings.Replace(address, id, other, 1))
		}
	})
}

// TestAddressMethods checks that signed URLs return 405 for unsupported methods.
func TestAddressMethods(t *testing.T) {
	each(t, func(c client) {
		made := c.create(inline(people()))
		upload, review := made.String("upload"), c.address(made.String("review_url"))
		for _, method := range []string{"GET", "DELETE"} {
			c.WithoutKey().Call(method, upload, nil).WantStatus(http.StatusMethodNotAllowed)
		}
		for _, method := range []string{"PUT", "POST", "DELETE"} {
			c.WithoutKey().Call(method, c.Site.URL+review.Path, "x").WantStatus(http.StatusMethodNotAllowed)
		}
		for _, method := range []string{"PUT", "POST"} {
			c.WithoutKey().Call(method, reviewPath+made.String("id")+"/", "x").WantStatus(http.StatusMethodNotAllowed)
		}
		c.checkAwaits(made.String("id"))
	})
}

// TestUploadAddressIsFresh checks that retrieving an import later returns a different upload
// URL, and that both the earlier and the later URL work.
func TestUploadAddressIsFresh(t *testing.T) {
	each(t, func(c client) {
		made := c.create(inline(people()))
		apitest.Eventually(c.T, "a retrieve signs another URL", func() bool {
			return c.get(made.String("id")).String("upload") != made.String("upload")
		})
		c.PutFile(made.String("upload"), goodFile).WantStatus(http.StatusOK)
		second := c.create(inline(people()))
		c.PutFile(c.get(second.String("id")).String("upload"), goodFile).WantStatus(http.StatusOK)
	})
}
