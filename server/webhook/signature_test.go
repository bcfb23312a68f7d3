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
	"slices"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/intraydata/intray/server/secrets"
)

// This example is in the tests of all published Standard Webhooks libraries.
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
	alone, err := Sign(m, at, other)
	if err != nil {
		t.Fatal(err)
	}
	want := http.Header{headerID: {knownID}, headerTime: {"1614265330"}, headerSignature: {knownSignature + " " + alone.Get(headerSignature)}}
	if diff := cmp.Diff(want, head); diff != "" {
		t.Errorf("the headers (-want +got):\n%s", diff)
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

// jsCase is one message for testdata/verify.js.
type jsCase struct {
	Secret  string            `json:"secret"`
	Headers map[string]string `json:"headers"`
	Body    string            `json:"body"`
}

// nodeModules is the environment variable with the path of the folder that contains
// the npm package standardwebhooks.
const nodeModules = "INTRAY_TEST_NODE_MODULES"

// The published JavaScript library verifies the same messages with the same results.
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
	for i, c := range cases {
		if ours := strings.Fields(c.Headers[headerSignature]); !slices.Contains(ours, theirs[i]) {
			t.Errorf("the library's signature of %q is %s, want one of %s", c.Body, theirs[i], ours)
		}
	}
}

// counting returns n bytes: 0, 1, 2 and so on.
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

func TestSecretFormat(t *testing.T) {
	m, at, _ := known()
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
		_, err := Sign(m, at, secrets.NewSecret(c.text))
		if (err == nil) != c.ok {
			t.Errorf("%s: got %v, want ok %v", c.name, err, c.ok)
		}
		if err != nil && len(c.text) > 10 && strings.Contains(err.Error(), c.text[6:]) {
			t.Errorf("%s: the error shows the secret: %v", c.name, err)
		}
	}
}
