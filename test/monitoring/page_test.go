package monitoring

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/intraydata/intray/test/livetest"
)

const (
	pageFile      = "docs/monitoring.md"
	dashboardFile = "deploy/grafana/intray.json"
)

// metric is a metric with its type and its labels, sorted and joined by commas.
type metric struct{ kind, labels string }

var (
	typeLine  = regexp.MustCompile(`(?m)^# TYPE (\S+) (\S+)$`)
	labelName = regexp.MustCompile(`(\w+)="`)
)

// used returns the metrics of a server that has been used in many ways, as text.
func used(t *testing.T) string {
	t.Helper()
	s := start(t, livetest.Config{})
	use(s)
	return s.text()
}

// use imports a file and makes a request with an invalid key.
func use(s *monitored) {
	s.t.Helper()
	s.finish(document("record => record"), badFile, "SUCCESSFUL")
	before := s.scrape().sum("intray_auth_failures_total", "")
	s.Call(s.t, "GET", "/api/v1/headless/imports/", nil, "X-Service-License-Key", "wrong").WantStatus(http.StatusUnauthorized)
	s.await("intray_auth_failures_total", "", before+1)
}

// exposed returns the metrics in a text by name.
func exposed(text string) map[string]metric {
	labels := map[string]map[string]bool{}
	kinds := map[string]string{}
	for _, match := range typeLine.FindAllStringSubmatch(text, -1) {
		kinds[match[1]], labels[match[1]] = match[2], map[string]bool{}
	}
	for line := range strings.Lines(text) {
		match := sampleLine.FindStringSubmatch(strings.TrimSpace(line))
		if match == nil {
			continue
		}
		name := match[1]
		for _, suffix := range []string{"_bucket", "_sum", "_count"} {
			if base := strings.TrimSuffix(name, suffix); kinds[base] == "histogram" {
				name = base
			}
		}
		for _, label := range labelName.FindAllStringSubmatch(match[2], -1) {
			labels[name][label[1]] = true
		}
	}
	all := map[string]metric{}
	for name, kind := range kinds {
		if kind == "histogram" {
			delete(labels[name], "le")
		}
		all[name] = metric{kind, strings.Join(slices.Sorted(maps.Keys(labels[name])), ",")}
	}
	return all
}

var metricRow = regexp.MustCompile("(?m)^\\| `(intray_\\w+)` \\| (\\w+)(?:, shared)? \\| ([^|]*)\\|")

// TestPage checks that docs/monitoring.md lists exactly the metrics that the program exposes, with
// their types and labels, and all alerts with their severities.
func TestPage(t *testing.T) {
	page := read(t, pageFile)
	documented := map[string]metric{}
	for _, row := range metricRow.FindAllStringSubmatch(page, -1) {
		var labels []string
		for label := range strings.SplitSeq(row[3], ",") {
			if label = strings.Trim(label, " `"); label != "" {
				labels = append(labels, label)
			}
		}
		slices.Sort(labels)
		documented[row[1]] = metric{row[2], strings.Join(labels, ",")}
	}
	own := exposed(used(t))
	maps.DeleteFunc(own, func(name string, _ metric) bool { return !strings.HasPrefix(name, "intray_") })
	if len(own) < 40 {
		t.Errorf("the program has only %d metrics", len(own))
	}
	if diff := cmp.Diff(own, documented, cmp.AllowUnexported(metric{})); diff != "" {
		t.Errorf("the metrics in %s differ from those of the program (-program +page):\n%s", pageFile, diff)
	}
	rules := read(t, rulesFile)
	for _, name := range alerts(t) {
		_, rule, _ := strings.Cut(rules, "alert: "+name+"\n")
		_, rest, _ := strings.Cut(rule, "severity: ")
		severity, _, _ := strings.Cut(rest, "}")
		if !strings.Contains(page, "| `"+name+"` | "+severity+" |") {
			t.Errorf("%s does not list %s with the severity %s", pageFile, name, severity)
		}
	}
	if listed := strings.Count(page, "| `Intray"); listed != len(alerts(t)) {
		t.Errorf("%s lists %d alerts, but there are %d", pageFile, listed, len(alerts(t)))
	}
}

// TestLabelsAreBounded checks that the labels of metrics contain nothing that callers choose.
func TestLabelsAreBounded(t *testing.T) {
	allowed := []string{"code", "goversion", "hook", "le", "limit", "method", "operation", "outcome", "quantile", "quota", "reason", "route", "state", "status", "version"}
	text := used(t)
	for _, label := range labelName.FindAllStringSubmatch(text, -1) {
		if !slices.Contains(allowed, label[1]) {
			t.Errorf("the label %s is not known to be bounded", label[1])
		}
	}
	if lines := strings.Count(text, "\n"); lines > 1000 {
		t.Errorf("the metrics have %d lines", lines)
	}
}

func TestPromtoolAcceptsMetrics(t *testing.T) {
	needPromtool(t)
	promtool(t, used(t), "check", "metrics")
}

// panel is a panel of a dashboard.
type panel struct {
	ID                       int
	Type, Title, Description string
	GridPos                  struct{ H, W, X, Y int }
	Targets                  []struct{ Expr, LegendFormat string }
	FieldConfig              struct{ Defaults struct{ Unit string } }
	Datasource               struct{ UID string }
}

// panels returns the panels of the dashboard.
func panels(t *testing.T) []panel {
	t.Helper()
	var dashboard struct{ Panels []panel }
	if err := json.Unmarshal([]byte(read(t, dashboardFile)), &dashboard); err != nil {
		t.Fatal(err)
	}
	return dashboard.Panels
}

func TestDashboardPanels(t *testing.T) {
	ids := map[int]bool{}
	for _, p := range panels(t) {
		if p.Title == "" || ids[p.ID] {
			t.Errorf("the panel %d %q has no title, or its ID is used twice", p.ID, p.Title)
		}
		ids[p.ID] = true
		if p.GridPos.X+p.GridPos.W > 24 {
			t.Errorf("the panel %q is outside of the grid", p.Title)
		}
		if p.Type == "row" {
			continue
		}
		if p.Description == "" || p.FieldConfig.Defaults.Unit == "" || p.Datasource.UID != "${datasource}" || len(p.Targets) == 0 {
			t.Errorf("the panel %q lacks a description, a unit, the selected data source or a query", p.Title)
		}
	}
	if len(ids) < 20 {
		t.Errorf("the dashboard has only %d panels", len(ids))
	}
}

// expressions returns the PromQL expressions of the dashboard, with values for its variables, and of
// the alert rules.
func expressions(t *testing.T) (ofDashboard []string, ofRules string) {
	t.Helper()
	variables := strings.NewReplacer("$__rate_interval", "5m", "$job", ".*", "$instance", ".*")
	for _, p := range panels(t) {
		for _, target := range p.Targets {
			ofDashboard = append(ofDashboard, variables.Replace(target.Expr))
		}
	}
	for _, match := range regexp.MustCompile(`(?ms)^        expr: (.*?)^        (?:for|labels):`).FindAllStringSubmatch(read(t, rulesFile), -1) {
		ofRules += match[1]
	}
	return ofDashboard, ofRules
}

var (
	quoted     = regexp.MustCompile(`"[^"]*"`)
	metricName = regexp.MustCompile(`\b(?:intray|go|process)_\w+`)
)

// TestExpressionsUseMetrics checks that the program exposes every metric that the dashboard and the
// alert rules use, and that the dashboard shows every metric.
func TestExpressionsUseMetrics(t *testing.T) {
	ofDashboard, ofRules := expressions(t)
	if strings.Count(ofRules, "\n") < len(alerts(t)) {
		t.Fatalf("not all expressions of the rules were found:\n%s", ofRules)
	}
	metrics := exposed(used(t))
	shown := map[string]bool{}
	for _, expression := range append(ofDashboard, ofRules) {
		for _, name := range metricName.FindAllString(quoted.ReplaceAllString(expression, ""), -1) {
			for _, suffix := range []string{"_bucket", "_sum", "_count"} {
				if base := strings.TrimSuffix(name, suffix); metrics[base].kind == "histogram" {
					name = base
				}
			}
			if shown[name] = true; metrics[name].kind == "" {
				t.Errorf("the program does not expose %s, which is used in %s", name, expression)
			}
		}
	}
	for name := range metrics {
		if strings.HasPrefix(name, "intray_") && !shown[name] {
			t.Errorf("neither the dashboard nor an alert rule uses %s", name)
		}
	}
}

// TestDashboardExpressions checks that each expression of the dashboard returns something.
func TestDashboardExpressions(t *testing.T) {
	needPromtool(t)
	s := start(t, livetest.Config{Args: []string{"--quota", "stored-bytes=1000000"}})
	use(s)
	before := s.scrape()
	use(s)
	ofDashboard, _ := expressions(t)
	var tests []any
	for _, expression := range ofDashboard {
		tests = append(tests, m{"expr": "count(" + expression + ") > bool 0", "eval_time": fmt.Sprint(lead+ramp, "m"), "exp_samples": []any{m{"labels": "{}", "value": 1}}})
	}
	promtoolTest(t, history([]scrape{before, s.scrape()}), tests)
}
