package monitoring

import (
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/intraydata/intray/test/livetest"
)

const (
	rulesFile     = "deploy/prometheus/alerts.yml"
	rulesTestFile = "deploy/prometheus/alerts_test.yml"
	configFile    = "deploy/prometheus/prometheus.yml"
)

// repository returns the path of a file in the repository.
func repository(t *testing.T, name string) string {
	t.Helper()
	return filepath.Join(livetest.RepoRoot(t), filepath.FromSlash(name))
}

func read(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(repository(t, name))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

var alertName = regexp.MustCompile(`(?m)^ +- alert: (\w+)$`)

// alerts returns the names of all alerts.
func alerts(t *testing.T) (names []string) {
	t.Helper()
	for _, match := range alertName.FindAllStringSubmatch(read(t, rulesFile), -1) {
		names = append(names, match[1])
	}
	if len(names) < 15 {
		t.Fatalf("%s has only %d alerts", rulesFile, len(names))
	}
	return names
}

func TestRules(t *testing.T) {
	needPromtool(t)
	promtool(t, "", "check", "config", repository(t, configFile))
	promtool(t, "", "check", "rules", "--lint-fatal", repository(t, rulesFile))
	promtool(t, "", "test", "rules", repository(t, rulesTestFile))
	tested := read(t, rulesTestFile)
	for _, name := range alerts(t) {
		if !strings.Contains(tested, "alertname: "+name+"\n") {
			t.Errorf("%s does not test %s", rulesTestFile, name)
		}
	}
}

// The duration of the parts of a history, in minutes. A counter grows from one scrape to the next
// during ramp. The first and the last scrape apply for longer than the for clause of any alert.
const lead, ramp, tail = 70, 10, 120

// values returns the values of a series, one per minute. A gauge has its new value at once. at
// contains the values in each scrape, or NaN where the series does not exist.
func values(at []float64, grows bool) string {
	hold := func(value float64, minutes int) string {
		if math.IsNaN(value) {
			return fmt.Sprintf("_x%d", minutes)
		}
		return fmt.Sprintf("%s+0x%d", format(value), minutes-1)
	}
	parts := []string{hold(at[0], lead)}
	for i := 1; i < len(at); i++ {
		switch before, now := at[i-1], at[i]; {
		case !grows || math.IsNaN(before) || math.IsNaN(now) || now < before:
			parts = append(parts, hold(now, ramp))
		default:
			parts = append(parts, fmt.Sprintf("%s+%sx%d", format(before), format((now-before)/ramp), ramp-1))
		}
	}
	return strings.Join(append(parts, hold(at[len(at)-1], tail)), " ")
}

// isCounter reports whether the values of a metric only grow.
func isCounter(name string) bool {
	return strings.HasSuffix(name, "_total") || strings.HasSuffix(name, "_bucket") || strings.HasSuffix(name, "_count") || strings.HasSuffix(name, "_sum")
}

// history returns the input series of promtool for scrapes of one server.
func history(scrapes []scrape) (input []m) {
	series := map[string][]float64{}
	set := func(name string, scrape int, value float64) {
		if series[name] == nil {
			series[name] = slices.Repeat([]float64{math.NaN()}, len(scrapes))
		}
		series[name][scrape] = value
	}
	for i, all := range scrapes {
		up := 1.0
		if all == nil {
			up = 0
		}
		set(sample{name: "up"}.join(), i, up)
		for _, one := range all {
			set(one.join(), i, one.value)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(series)) {
		metric, _, _ := strings.Cut(name, "{")
		input = append(input, m{"series": name, "values": values(series[name], isCounter(metric))})
	}
	return input
}

// promtoolTest evaluates expressions with a history. Prometheus evaluates the rules each minute.
func promtoolTest(t *testing.T, history []m, expressions []any) {
	t.Helper()
	text, err := json.Marshal(m{ // JSON is also YAML
		"rule_files": []string{repository(t, rulesFile)}, "evaluation_interval": "1m",
		"tests": []any{m{"interval": "1m", "input_series": history, "promql_expr_test": expressions}},
	})
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "test.yml")
	if err := os.WriteFile(file, text, 0o600); err != nil {
		t.Fatal(err)
	}
	promtool(t, "", "test", "rules", file)
}

// wantAlerts checks which alerts fire at any time, if Prometheus collects the scrapes one after the
// other.
func wantAlerts(t *testing.T, scrapes []scrape, want ...string) {
	t.Helper()
	end := fmt.Sprint(lead+ramp*(len(scrapes)-1)+tail-1, "m")
	firing := []m{}
	for _, name := range want {
		firing = append(firing, m{"labels": fmt.Sprintf("{alertname=%q}", name), "value": 1})
	}
	promtoolTest(t, history(scrapes), []any{m{
		"expr": fmt.Sprintf(`group by (alertname) (max_over_time(ALERTS{alertstate="firing"}[%s]))`, end), "eval_time": end, "exp_samples": firing,
	}})
}
