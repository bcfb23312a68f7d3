// Package monitoring tests the alert rules, the dashboard and the documentation of the metrics
// against the metrics of the built program. The tests cause what each alert warns about.
package monitoring

import (
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/intraydata/intray/test/livetest"
)

func TestMain(m *testing.M) {
	status := m.Run()
	livetest.Cleanup()
	os.Exit(status)
}

type m = map[string]any

// monitored is a server that serves metrics.
type monitored struct {
	*livetest.Server
	t       *testing.T
	metrics string
	// imports are the IDs of the imports that were sent.
	imports []string
}

// start starts a server that may connect to the loopback interface.
func start(t *testing.T, cfg livetest.Config) *monitored {
	t.Helper()
	address := livetest.FreeAddress(t)
	cfg.Args = append(cfg.Args, "--metrics-listen", address, "--egress-allow", "127.0.0.0/8")
	s := &monitored{Server: livetest.Start(t, cfg), t: t, metrics: "http://" + address + "/metrics"}
	t.Cleanup(s.checkLog)
	return s
}

// sample is one line of a scrape.
type sample struct {
	name, labels string
	value        float64
}

// scrape contains the metrics of a server at one time. It is nil for a server that is down.
type scrape []sample

var sampleLine = regexp.MustCompile(`^([a-z_]+)(?:\{(.*)\})? (\S+)$`)

// text returns the metrics as text.
func (s *monitored) text() string {
	s.t.Helper()
	return s.Call(s.t, "GET", s.metrics, nil).WantStatus(http.StatusOK).Text()
}

func (s *monitored) scrape() scrape {
	s.t.Helper()
	var all scrape
	for line := range strings.Lines(s.text()) {
		if line = strings.TrimSpace(line); strings.HasPrefix(line, "#") {
			continue
		}
		match := sampleLine.FindStringSubmatch(line)
		if match == nil {
			s.t.Fatalf("the line %q of the metrics cannot be parsed", line)
		}
		value, err := strconv.ParseFloat(match[3], 64)
		if err != nil {
			s.t.Fatal(err)
		}
		all = append(all, sample{match[1], match[2], value})
	}
	return all
}

// sum returns the sum of the samples of a metric whose labels contain a text.
func (s scrape) sum(name, labels string) float64 {
	sum := 0.0
	for _, one := range s {
		if one.name == name && strings.Contains(one.labels, labels) {
			sum += one.value
		}
	}
	return sum
}

// awaitLog waits until the log contains a message.
func (s *monitored) awaitLog(message string) {
	s.t.Helper()
	for end := time.Now().Add(time.Minute); time.Now().Before(end); time.Sleep(100 * time.Millisecond) {
		if len(s.linesSoFar(message)) > 0 {
			return
		}
	}
	s.t.Fatalf("the log lacks %q:\n%s", message, s.Stderr())
}

// await scrapes until the sum of the samples of a metric is at least a value. It returns the last
// scrape.
func (s *monitored) await(name, labels string, atLeast float64) scrape {
	s.t.Helper()
	for end := time.Now().Add(time.Minute); time.Now().Before(end); time.Sleep(100 * time.Millisecond) {
		if now := s.scrape(); now.sum(name, labels) >= atLeast {
			return now
		}
	}
	s.t.Fatalf("%s{%s} did not reach %g within a minute; log:\n%s", name, labels, atLeast, s.Stderr())
	return nil
}

// document returns a schema with a row hook, or without one if hook is "".
func document(hook string) m {
	doc := m{"fields": []any{m{"key": "name", "label": "Name"}, m{"key": "email", "label": "E-mail", "type": "email"}}}
	if hook != "" {
		doc["hooks"] = m{"rowHooks": []string{hook}}
	}
	return doc
}

const (
	cleanFile = "name,email\nAda,ada@example.org\n"
	badFile   = "name,email\nAda,ada@example.org\nBob,nobody\n"
	// endlessHook never returns, and failingHook fails.
	endlessHook = "record => { for (;;); }"
	failingHook = "record => { throw new Error('no'); }"
)

// send creates an import and uploads its file.
func (s *monitored) send(doc m, file string) (id string) {
	s.t.Helper()
	id, address := s.CreateImport(s.t, doc)
	s.imports = append(s.imports, id)
	s.Upload(s.t, address, file).WantStatus(http.StatusOK)
	return id
}

// finish imports a file and checks the status of the import.
func (s *monitored) finish(doc m, file, status string) (id string) {
	s.t.Helper()
	id = s.send(doc, file)
	if got := s.AwaitImport(s.t, id); got.String("status") != status {
		s.t.Fatalf("the import is not %s: %s", status, got.Body)
	}
	return id
}

// needPromtool skips the test if promtool is not installed.
func needPromtool(t *testing.T) {
	t.Helper()
	if _, err := exec.LookPath("promtool"); err != nil {
		t.Skip("SKIPPED: promtool is not installed; it is part of Prometheus")
	}
}

// promtool runs promtool. The test fails if promtool fails.
func promtool(t *testing.T, stdin string, args ...string) {
	t.Helper()
	command := exec.Command("promtool", args...)
	command.Stdin = strings.NewReader(stdin)
	if out, err := command.CombinedOutput(); err != nil {
		t.Errorf("promtool %s: %v\n%s", strings.Join(args, " "), err, out)
	}
}

// format returns a value as a file of promtool contains it.
func format(value float64) string { return strconv.FormatFloat(value, 'f', -1, 64) }

// join returns the labels of a sample, preceded by those that Prometheus adds.
func (s sample) join() string {
	labels := `job="intray",instance="127.0.0.1:9464"`
	if s.labels != "" {
		labels += "," + s.labels
	}
	return fmt.Sprintf("%s{%s}", s.name, labels)
}
