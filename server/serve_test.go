package server

import (
	"bytes"
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"encoding/json"
	"encoding/pem"
	"io"
	"log/slog"
	"math/big"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/intraydata/intray/server/auth"
	"github.com/intraydata/intray/server/model"
)

func TestMain(m *testing.M) {
	if os.Getenv(serveVariable) != "" {
		os.Exit(serveAlone())
	}
	goleak.VerifyTestMain(m)
}

// lines collects the log lines of a service.
type lines struct {
	mu   sync.Mutex
	text bytes.Buffer
	more chan struct{}
}

func (l *lines) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	select {
	case l.more <- struct{}{}:
	default:
	}
	return l.text.Write(p)
}

func (l *lines) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}

// served is a service that runs in the test process.
type served struct {
	t        *testing.T
	out, log *lines
	url      string
	stop     context.CancelFunc
	ended    chan error
	client   *http.Client
}

func serve(t *testing.T, cfg Config) *served {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	s := &served{t: t, out: &lines{more: make(chan struct{}, 1)}, log: &lines{more: make(chan struct{}, 1)}, stop: cancel, ended: make(chan error, 1), client: &http.Client{Transport: &http.Transport{}}}
	cfg.Out, cfg.Log = s.out, slog.New(slog.NewTextHandler(s.log, nil))
	go func() { s.ended <- Serve(ctx, cfg) }()
	address := regexp.MustCompile(`Intray listens on (\S+)( \(all addresses\))?\n`)
	for {
		if found := address.FindStringSubmatch(s.out.String()); found != nil {
			s.url = found[1]
			return s
		}
		select {
		case <-s.out.more:
		case err := <-s.ended:
			t.Fatalf("the service ended: %v\n%s", err, s.log)
		case <-time.After(30 * time.Second):
			t.Fatalf("the service did not start: %s", s.log)
		}
	}
}

// awaitLog waits until the log contains the given text.
func (s *served) awaitLog(text string) {
	s.t.Helper()
	late := time.After(30 * time.Second)
	for !strings.Contains(s.log.String(), text) {
		select {
		case <-s.log.more:
		case <-late:
			s.t.Fatalf("the log does not contain %q:\n%s", text, s.log)
		}
	}
}

// end stops the service and returns its error.
func (s *served) end() error {
	s.t.Helper()
	s.client.CloseIdleConnections()
	s.stop()
	return <-s.ended
}

// ask sends a request with an API key and returns the status and the body of the response.
func (s *served) ask(method, path, key, body string) (int, string) {
	s.t.Helper()
	if !strings.HasPrefix(path, "http") {
		path = s.url + path
	}
	r, err := http.NewRequestWithContext(s.t.Context(), method, path, strings.NewReader(body))
	must(s.t, err)
	r.Header.Set("X-Service-License-Key", key)
	r.Header.Set("Content-Type", "application/json")
	answer, err := s.client.Do(r)
	must(s.t, err)
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	must(s.t, err)
	return answer.StatusCode, string(text)
}

func (s *served) object(method, path, key, body string, want int) map[string]any {
	s.t.Helper()
	status, text := s.ask(method, path, key, body)
	var doc map[string]any
	if err := json.Unmarshal([]byte(text), &doc); status != want || err != nil {
		s.t.Fatalf("%s %s: status %d, want %d: %s", method, path, status, want, text)
	}
	return doc
}

func TestServe(t *testing.T) {
	cfg := good()
	cfg.Data, cfg.Listen = filepath.Join(t.TempDir(), "data"), "127.0.0.1:0"
	s := serve(t, cfg)
	key := regexp.MustCompile(`bk_\S{43}`).FindString(s.out.String())
	if key == "" || !strings.Contains(s.out.String(), "fk_") {
		t.Fatalf("the keys were not printed: %s", s.out)
	}
	for path, want := range map[string]int{"/healthz": 200, "/readyz": 200, "/openapi.json": 200, "/": 200, "/metrics": 404, "/nothing": 404} {
		if got, _ := s.ask("GET", path, "", ""); got != want {
			t.Errorf("%s: status %d, want %d", path, got, want)
		}
	}
	imp := s.object("POST", "/api/v1/headless/imports/", key, `{"fields":[{"key":"email","label":"E-Mail","type":"email"}],"initial_data":[{"email":"ada@example.org"}]}`, 201)
	id, _ := imp["id"].(string)
	for end := time.Now().Add(30 * time.Second); ; {
		doc := s.object("GET", "/api/v1/headless/imports/"+id+"/", key, "", 200)
		if doc["status"] == "SUCCESSFUL" {
			break
		}
		if time.Now().After(end) {
			t.Fatalf("the import did not end: %v", doc)
		}
	}
	address, _ := s.object("GET", "/api/v1/headless/imports/"+id+"/url/", key, "", 200)["presigned_url"].(string)
	if status, text := s.ask("GET", address, "", ""); status != 200 || strings.TrimSpace(text) != `[{"email":"ada@example.org"}]` {
		t.Errorf("the result: status %d, %s", status, text)
	}

	spooled := filepath.Join(cfg.Data, "spool", "rows-of-the-first")
	must(t, os.WriteFile(spooled, nil, 0o600))
	second := cfg
	second.Out, second.Log = io.Discard, slog.New(slog.DiscardHandler)
	if err := Serve(t.Context(), second); err == nil || !strings.Contains(err.Error(), "another intray serves") {
		t.Errorf("a second service on the folder: error %v", err)
	}
	if _, err := os.Stat(spooled); err != nil {
		t.Errorf("the rejected second service removed spooled files of the first: %v", err)
	}
	if err := s.end(); err != nil {
		t.Errorf("the service ended with %v", err)
	}

	s = serve(t, cfg)
	if strings.Contains(s.out.String(), "bk_") {
		t.Error("the keys were printed again")
	}
	s.object("GET", "/api/v1/headless/imports/"+id+"/", key, "", 200)
	if _, err := os.Stat(spooled); !os.IsNotExist(err) {
		t.Errorf("spooled files of an earlier process remain: %v", err)
	}
	if err := s.end(); err != nil {
		t.Errorf("the service ended with %v", err)
	}
}

// TestServeExposesProfilesWithTheMetrics checks that only the address of the metrics serves
// profiles. The command line must not be served, because it can contain passwords.
func TestServeExposesProfilesWithTheMetrics(t *testing.T) {
	cfg := good()
	cfg.Data, cfg.Listen, cfg.MetricsListen = filepath.Join(t.TempDir(), "data"), "127.0.0.1:0", freeAddress(t)
	s := serve(t, cfg)
	for address, want := range map[string]int{
		"/debug/pprof/": 404, "/debug/pprof/heap": 404,
		"http://" + cfg.MetricsListen + "/debug/pprof/":                  200,
		"http://" + cfg.MetricsListen + "/debug/pprof/heap":              200,
		"http://" + cfg.MetricsListen + "/debug/pprof/profile?seconds=1": 200,
		"http://" + cfg.MetricsListen + "/debug/pprof/cmdline":           404,
	} {
		if got, _ := s.ask("GET", address, "", ""); got != want {
			t.Errorf("%s: status %d, want %d", address, got, want)
		}
	}
}

func TestServeExposesMetricsSeparately(t *testing.T) {
	cfg := good()
	cfg.Data, cfg.Listen, cfg.MetricsListen = filepath.Join(t.TempDir(), "data"), "127.0.0.1:0", freeAddress(t)
	s := serve(t, cfg)
	s.ask("GET", "/healthz", "", "")
	s.ask("BREW", "/healthz", "", "")
	status, text := s.ask("GET", "http://"+cfg.MetricsListen+"/metrics", "", "")
	// Requests are counted after their responses, so retry until the last one is counted.
	for end := time.Now().Add(10 * time.Second); !strings.Contains(text, `method="other"`) && time.Now().Before(end); {
		status, text = s.ask("GET", "http://"+cfg.MetricsListen+"/metrics", "", "")
	}
	if status != 200 || !strings.Contains(text, `intray_http_requests_total{method="GET",route="GET /healthz",status="200"}`) {
		t.Errorf("status %d, metrics:\n%.3000s", status, text)
	}
	for _, want := range []string{
		`intray_imports{status="PENDING"} 0`, `intray_quota_limit{quota="imports"} 1e+06`, `intray_quota_used{quota="imports"} 0`,
		`intray_quota_highest_use_ratio{quota="sessions"} 0`, `intray_quota_refusals_total{quota="stored-bytes"} 0`,
		"intray_runs_repeated_total 0", "intray_runs_lost_total 0", "intray_runs_stalled_total 0", "intray_runs_stuck 0",
		"intray_heartbeats_failed_total 0", "intray_damage_found_total 0", "intray_oldest_pending_import_seconds 0", "intray_event_streams 0", "intray_deliveries_waiting 0",
	} {
		if !strings.Contains(text, want+"\n") {
			t.Errorf("the metrics lack %s", want)
		}
	}
	if !regexp.MustCompile(`(?m)^intray_disk_free_bytes [1-9]`).MatchString(text) || !strings.Contains(text, "intray_store_write_wait_seconds_total ") {
		t.Error("the metrics lack the free disk space or the waiting time of writes")
	}
	if strings.Contains(text, "BREW") || !strings.Contains(text, `method="other"`) {
		t.Error("an invented method has its own metric")
	}
	if err := s.end(); err != nil {
		t.Error(err)
	}
}

func TestServeTakesGivenKeysAndWarns(t *testing.T) {
	cfg := good()
	cfg.Data, cfg.Listen = filepath.Join(t.TempDir(), "data"), "0.0.0.0:0"
	cfg.BackendKey, cfg.FrontendKey = "bk_"+strings.Repeat("a", 43), "fk_"+strings.Repeat("b", 43)
	s := serve(t, cfg)
	if !strings.HasPrefix(s.url, "http://localhost:") || !strings.Contains(s.out.String(), s.url+" (all addresses)\n") {
		t.Errorf("the output does not name a URL that can be opened: %s", s.out)
	}
	s.object("GET", "/api/v1/headless/imports/", cfg.BackendKey, "", 200)
	s.object("GET", "/api/v1/headless/imports/", cfg.FrontendKey, "", 403)
	if !strings.Contains(s.log.String(), "unencrypted") {
		t.Errorf("there is no warning of plain HTTP: %s", s.log)
	}
	if strings.Contains(s.log.String(), cfg.BackendKey) {
		t.Error("the log holds a key")
	}
	if err := s.end(); err != nil {
		t.Error(err)
	}
}

// TestShowKeys checks that only generated keys are printed.
func TestShowKeys(t *testing.T) {
	made := []auth.NewKey{{Licence: model.Licence{Kind: model.Backend}, Key: "bk_1"}, {Licence: model.Licence{Kind: model.Frontend}, Key: "fk_2"}}
	for want, cfg := range map[string]Config{
		"two keys. Store them safely: they are shown only once.\n  backend   bk_1\n  frontend  fk_2\n": {},
		"two keys. Store this one safely: it is shown only once.\n  frontend  fk_2\n":                  {BackendKey: "bk_1"},
		"two keys. Store this one safely: it is shown only once.\n  backend   bk_1\n":                  {FrontendKey: "fk_2"},
		"two keys.\n": {BackendKey: "bk_1", FrontendKey: "fk_2"},
	} {
		var out bytes.Buffer
		cfg.Out = &out
		must(t, showKeys(cfg, made))
		if want = "Created the organization \"default\" with " + want; out.String() != want {
			t.Errorf("it printed %q, want %q", out.String(), want)
		}
	}
}

func TestServeNeedsItsAddress(t *testing.T) {
	taken := freeAddress(t)
	cfg := good()
	cfg.Data, cfg.Listen = filepath.Join(t.TempDir(), "data"), taken
	first := serve(t, cfg)
	second := cfg
	var out bytes.Buffer
	second.Data, second.Out, second.Log = filepath.Join(t.TempDir(), "data"), &out, slog.New(slog.DiscardHandler)
	if err := Serve(t.Context(), second); err == nil || !strings.Contains(err.Error(), taken) {
		t.Errorf("error %v, want one about %s", err, taken)
	}
	if out.Len() > 0 {
		t.Errorf("a service that never served printed keys: %s", out.String())
	}
	if err := first.end(); err != nil {
		t.Error(err)
	}
}

// certificate creates a certificate for this machine.
func certificate(t *testing.T) (cert, key string) {
	t.Helper()
	secret, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	must(t, err)
	template := &x509.Certificate{SerialNumber: big.NewInt(1), NotAfter: time.Now().Add(time.Hour), IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}}
	public, err := x509.CreateCertificate(rand.Reader, template, template, &secret.PublicKey, secret)
	must(t, err)
	private, err := x509.MarshalPKCS8PrivateKey(secret)
	must(t, err)
	cert, key = filepath.Join(t.TempDir(), "cert.pem"), filepath.Join(t.TempDir(), "key.pem")
	must(t, os.WriteFile(cert, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: public}), 0o600))
	must(t, os.WriteFile(key, pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: private}), 0o600))
	return cert, key
}

func TestServeWithoutTheCertificate(t *testing.T) {
	cfg := good()
	cfg.Data, cfg.Listen, cfg.Out, cfg.Log = t.TempDir(), "127.0.0.1:0", io.Discard, slog.New(slog.DiscardHandler)
	cfg.TLSCert, cfg.TLSKey = "missing.pem", "missing.pem"
	if err := Serve(t.Context(), cfg); err == nil || !strings.Contains(err.Error(), "certificate") {
		t.Errorf("error %v, want one about the certificate", err)
	}
}

func TestMigrateAndAdmin(t *testing.T) {
	cfg := good()
	cfg.Data, cfg.Log = filepath.Join(t.TempDir(), "data"), slog.New(slog.DiscardHandler)
	must(t, Migrate(t.Context(), cfg))
	svc, closeAll, err := OpenAdmin(t.Context(), cfg)
	must(t, err)
	if _, err := svc.CreateOrg(t.Context(), "Alpha"); err != nil {
		t.Error(err)
	}
	must(t, closeAll())
}

// freeAddress returns an unused address of this machine.
func freeAddress(t testing.TB) string {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	must(t, err)
	defer listener.Close()
	return listener.Addr().String()
}

// TestFindingS11KeyEvents checks that the log records changes of API keys, but not the keys.
func TestFindingS11KeyEvents(t *testing.T) {
	cfg := good()
	var log bytes.Buffer
	cfg.Data, cfg.Log = filepath.Join(t.TempDir(), "data"), slog.New(slog.NewTextHandler(&log, nil))
	svc, closeAll, err := OpenAdmin(t.Context(), cfg)
	must(t, err)
	org, err := svc.CreateOrg(t.Context(), "Alpha")
	must(t, err)
	made, err := svc.CreateKey(t.Context(), "Alpha", model.Backend, 0)
	must(t, err)
	must(t, svc.RevokeKey(t.Context(), made.Licence.ID))
	if strings.Contains(log.String(), "expires") {
		t.Errorf("the log contains a time at which a key without expiry expires:\n%s", log.String())
	}
	limited, err := svc.CreateKey(t.Context(), "Alpha", model.Backend, time.Hour)
	must(t, err)
	must(t, closeAll())
	for _, want := range []string{
		`key=` + limited.Licence.ID + ` org=` + org.ID + ` kind=backend expires=20`,
		`msg="organization created" org=` + org.ID,
		`msg="API key created" key=` + made.Licence.ID + ` org=` + org.ID,
		`msg="API key revoked" key=` + made.Licence.ID,
	} {
		if !strings.Contains(log.String(), want) {
			t.Errorf("the log has no %s", want)
		}
	}
	if strings.Contains(log.String(), made.Key) || strings.Contains(log.String(), "Alpha") {
		t.Errorf("the log contains a key or a name:\n%s", log.String())
	}
}
