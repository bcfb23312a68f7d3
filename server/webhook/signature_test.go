package webhook

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	standard "github.com/standard-webhooks/standard-webhooks/libraries/go"
	"pgregory.net/rapid"

	"github.com/intraydata/intray/server/secrets"
)

// The example of the published libraries' tests.
const (
	knownSecret    = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
	knownID        = "msg_p5jXN8AQM9LWM0D4loKWxJek"
	knownBody      = `{"test": 2432232314}`
	knownTime      = 1614265330
	knownSignature = "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE="
)

func known() (Message, time.Time, secrets.Secret) {
	m := Message{ID: knownID, Body: Body{ContentType: "application/json", Bytes: []byte(knownBody)}}
	return m, time.Unix(knownTime, 999), secrets.NewSecret(knownSecret)
}

func TestSign(t *testing.T) {
	m, at, secret := known()
	other := secretOf(counting(24))
	head, err := Sign(m, at, secret, other)
	if err != nil {
		t.Fatal(err)
	}
	if head.Get("webhook-id") != knownID || head.Get("webhook-timestamp") != "1614265330" || len(head) != 3 {
		t.Errorf("got %v", head)
	}
	first, second, two := strings.Cut(head.Get("webhook-signature"), " ")
	if first != knownSignature || !two || second == first || !strings.HasPrefix(second, "v1,") {
		t.Errorf("got the signatures %q", head.Get("webhook-signature"))
	}
	for _, s := range []secrets.Secret{secret, other} {
		if err := Verify(head, m.Bytes, at, s); err != nil {
			t.Errorf("a receiver with one of two secrets: %v", err)
		}
	}
}

func TestSignRefuses(t *testing.T) {
	m, at, secret := known()
	if _, err := Sign(m, at); err == nil {
		t.Error("signed without a secret")
	}
	if _, err := Sign(m, at, secret, secrets.NewSecret("whsec_")); err == nil {
		t.Error("signed with half a secret")
	}
	for _, id := range []string{"", "a.b", "a b", "a\nb", "ä", "a:b", strings.Repeat("a", 129)} {
		m.ID = id
		if _, err := Sign(m, at, secret); err == nil {
			t.Errorf("signed a message with the id %q", id)
		}
	}
}

func TestVerify(t *testing.T) {
	m, at, secret := known()
	cases := []struct {
		name   string
		change func(h http.Header) (body string, now time.Time)
		want   error
	}{
		{"as it was", func(http.Header) (string, time.Time) { return knownBody, at }, nil},
		{"five minutes later", func(http.Header) (string, time.Time) { return knownBody, at.Add(Tolerance) }, nil},
		{"five minutes earlier", func(http.Header) (string, time.Time) { return knownBody, at.Add(-Tolerance) }, nil},
		{"later", func(http.Header) (string, time.Time) { return knownBody, at.Add(Tolerance + time.Second) }, ErrStale},
		{"earlier", func(http.Header) (string, time.Time) { return knownBody, at.Add(-Tolerance - time.Second) }, ErrStale},
		{"body", func(http.Header) (string, time.Time) { return knownBody + " ", at }, ErrForged},
		{"id", with(headerID, "msg_other", at), ErrForged},
		{"time", with(headerTime, "1614265331", at), ErrForged},
		{"no id", with(headerID, "", at), ErrUnsigned},
		{"no time", with(headerTime, "", at), ErrUnsigned},
		{"time of the far past", with(headerTime, "-9223372036854775808", at), ErrStale},
		{"time of the far future", with(headerTime, "9223372036854775807", at), ErrStale},
		{"no number", with(headerTime, "1614265330.5", at), ErrUnsigned},
		{"no signature", with(headerSignature, "", at), ErrUnsigned},
		{"other version", with(headerSignature, "v1a,"+knownSignature[3:], at), ErrForged},
		{"no version", with(headerSignature, knownSignature[3:], at), ErrForged},
		{"no base64", with(headerSignature, "v1,!", at), ErrForged},
		{"empty signature", with(headerSignature, "v1, v1,", at), ErrForged},
		{"part of it", with(headerSignature, "v1,g0hM9SsE", at), ErrForged},
		{"last of many", with(headerSignature, "v1,AAAA v2,AAAA junk "+knownSignature, at), nil},
	}
	for _, c := range cases {
		head, err := Sign(m, at, secret)
		if err != nil {
			t.Fatal(err)
		}
		body, now := c.change(head)
		if err := Verify(head, []byte(body), now, secret); !errors.Is(err, c.want) || (err == nil) != (c.want == nil) {
			t.Errorf("%s: got %v, want %v", c.name, err, c.want)
		}
	}
	head, _ := Sign(m, at, secret)
	if err := Verify(head, m.Bytes, at); !errors.Is(err, ErrForged) {
		t.Errorf("without a secret: %v", err)
	}
	if err := Verify(head, m.Bytes, at, secrets.NewSecret("wrong")); err == nil || errors.Is(err, ErrForged) {
		t.Errorf("with a secret that is none: %v", err)
	}
}

func with(name, value string, now time.Time) func(http.Header) (string, time.Time) {
	return func(h http.Header) (string, time.Time) {
		h.Set(name, value)
		return knownBody, now
	}
}

// The published library for Go takes what is signed here, and the other way round.
func TestLibraryForGo(t *testing.T) {
	now := time.Now()
	rapid.Check(t, func(t *rapid.T) {
		secret := secretOf(rapid.SliceOfN(rapid.Byte(), 24, 64).Draw(t, "key"))
		old := secretOf(rapid.SliceOfN(rapid.Byte(), 24, 64).Draw(t, "old key"))
		m := Message{ID: rapid.StringMatching(`[A-Za-z0-9_-]{1,128}`).Draw(t, "id")}
		m.Bytes = rapid.SliceOfN(rapid.Byte(), 0, 200).Draw(t, "body")
		hook, err := standard.NewWebhook(secret.Reveal())
		if err != nil {
			t.Fatal(err)
		}
		head, err := Sign(m, now, old, secret)
		if err != nil {
			t.Fatal(err)
		}
		if err := hook.Verify(m.Bytes, head); err != nil {
			t.Errorf("the library says of ours: %v", err)
		}
		theirs, err := hook.Sign(m.ID, now, m.Bytes)
		if err != nil {
			t.Fatal(err)
		}
		head.Set(headerSignature, theirs)
		if err := Verify(head, m.Bytes, now, old, secret); err != nil {
			t.Errorf("of the library's signature: %v", err)
		}
	})
}

// jsCase is one message for testdata/verify.js.
type jsCase struct {
	Secret  string            `json:"secret"`
	Headers map[string]string `json:"headers"`
	Body    string            `json:"body"`
}

// nodeModules names the folder with the npm package standardwebhooks.
const nodeModules = "INTRAY_TEST_NODE_MODULES"

// The published library for JavaScript does as well.
func TestLibraryForJavaScript(t *testing.T) {
	folder := os.Getenv(nodeModules)
	if _, err := os.Stat(filepath.Join(folder, "standardwebhooks")); folder == "" || err != nil {
		t.Skip("SKIPPED: " + nodeModules + " names no folder with the npm package standardwebhooks")
	}
	node, err := exec.LookPath("node")
	if err != nil {
		t.Skip("SKIPPED: node is not installed")
	}
	at := time.Now()
	completed, err := jasmine().Body()
	if err != nil {
		t.Fatal(err)
	}
	secret, old := secretOf(counting(32)), secretOf(bytes.Repeat([]byte{0xff}, 64))
	bodies := []Body{completed, uploadForm(jasmine().UploadID), uploadForm("5"), {Bytes: []byte("Grüße \u2028")}}
	var cases []jsCase
	for _, body := range bodies {
		head, err := Sign(Message{ID: knownID, Body: body}, at, old, secret)
		if err != nil {
			t.Fatal(err)
		}
		headers := map[string]string{}
		for name := range head {
			headers[name] = head.Get(name)
		}
		cases = append(cases, jsCase{secret.Reveal(), headers, string(body.Bytes)})
	}
	asked, err := json.Marshal(cases)
	if err != nil {
		t.Fatal(err)
	}
	run := exec.Command(node, "testdata/verify.js")
	run.Env = append(os.Environ(), "NODE_PATH="+folder)
	run.Stdin, run.Stderr = bytes.NewReader(asked), os.Stderr
	out, err := run.Output()
	if err != nil {
		t.Fatal(err)
	}
	var theirs []string
	if err := json.Unmarshal(out, &theirs); err != nil || len(theirs) != len(cases) {
		t.Fatalf("got %s, %v", out, err)
	}
	for i, body := range bodies {
		head := http.Header{headerID: {knownID}, headerTime: {cases[i].Headers[headerTime]}, headerSignature: {theirs[i]}}
		if err := Verify(head, body.Bytes, at, secret); err != nil {
			t.Errorf("the library's signature %q of %q: %v", theirs[i], body.Bytes, err)
		}
	}
}

// counting gives the bytes 0, 1, 2 and so on.
func counting(n int) []byte {
	out := make([]byte, n)
	for i := range out {
		out[i] = byte(i)
	}
	return out
}

func secretOf(key []byte) secrets.Secret {
	return secrets.NewSecret("whsec_" + base64.StdEncoding.EncodeToString(key))
}

func TestNewSecret(t *testing.T) {
	secret, err := NewSecret(bytes.NewReader(counting(100)))
	if want := secretOf(counting(32)); err != nil || !secret.Equal(want) {
		t.Errorf("got %s, %v, want %s", secret.Reveal(), err, want.Reveal())
	}
	if err := CheckSecret(secret); err != nil {
		t.Error(err)
	}
	if text := fmt.Sprintf("%v %+v %#v %s", secret, secret, secret, secret); strings.Contains(text, "whsec_") {
		t.Errorf("the secret shows: %s", text)
	}
	for name, random := range map[string]*bytes.Reader{"none": bytes.NewReader(nil), "too little": bytes.NewReader(counting(31))} {
		if secret, err := NewSecret(random); err == nil || !secret.IsZero() {
			t.Errorf("%s: got %v, %v", name, secret, err)
		}
	}
	if _, err := NewSecret(iotest.ErrReader(errors.New("no luck"))); err == nil || !strings.Contains(err.Error(), "no luck") {
		t.Errorf("got %v", err)
	}
}

func TestCheckSecret(t *testing.T) {
	right := base64.StdEncoding.EncodeToString(counting(32))
	cases := []struct {
		name, text string
		ok         bool
	}{
		{"32 bytes", "whsec_" + right, true},
		{"24 bytes", secretOf(counting(24)).Reveal(), true},
		{"64 bytes", secretOf(counting(64)).Reveal(), true},
		{"the specification's own", "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw", true},
		{"23 bytes", secretOf(counting(23)).Reveal(), false},
		{"65 bytes", secretOf(counting(65)).Reveal(), false},
		{"empty", "", false}, {"prefix alone", "whsec_", false}, {"no prefix", right, false},
		{"other prefix", "whsk_" + right, false}, {"capitals", "WHSEC_" + right, false},
		{"no padding", "whsec_" + strings.TrimRight(right, "="), false},
		{"alphabet of addresses", "whsec_" + base64.URLEncoding.EncodeToString(bytes.Repeat([]byte{0xff}, 32)), false},
		{"line break", "whsec_" + right[:10] + "\n" + right[10:], false},
		{"line break at the end", "whsec_" + right + "\n", false},
		{"blank before", " whsec_" + right, false},
		{"stray bits", "whsec_" + strings.TrimSuffix(right, "8=") + "9=", false},
		{"more after the padding", "whsec_" + right + "AAAA", false},
	}
	for _, c := range cases {
		err := CheckSecret(secrets.NewSecret(c.text))
		if (err == nil) != c.ok {
			t.Errorf("%s: got %v, want ok %v", c.name, err, c.ok)
		}
		if err != nil && len(c.text) > 10 && strings.Contains(err.Error(), c.text[6:]) {
			t.Errorf("%s: the error shows the secret: %v", c.name, err)
		}
	}
}
