package server

import (
	"log/slog"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/intraydata/intray/server/model"
	"github.com/intraydata/intray/server/queue"
	"github.com/intraydata/intray/server/sqlstore"
)

func TestParseQuotas(t *testing.T) {
	const org = "0b5f9a4c-7a55-4a52-9d0a-000000000001"
	got, err := ParseQuotas(" imports=5, stored-bytes = 0,," + strings.ToUpper(org) + ":imports=7 ")
	want := model.Quotas{ForAll: map[model.Quota]int64{"imports": 5, "stored-bytes": 0}, ByOrg: map[string]map[model.Quota]int64{org: {"imports": 7}}}
	if diff := cmp.Diff(want, got); diff != "" || err != nil {
		t.Errorf("error %v, unexpected quotas (-want +got):\n%s", err, diff)
	}
	for org, limits := range map[string][2]int64{"": {5, 10_000}, "other": {5, 10_000}, org: {7, 10_000}} {
		if got := [2]int64{want.Limit(org, model.ImportQuota), want.Limit(org, model.SchemaQuota)}; got != limits {
			t.Errorf("limits of %q: %v, want %v", org, got, limits)
		}
	}
	for text, word := range map[string]string{
		"":                             "",
		"webhooks=1":                   "the names are imports, queued-imports",
		"imports":                      `"imports" is not a limit such as imports=1000`,
		"imports=-1":                   "not a limit",
		"imports=1e6":                  "not a limit",
		"imports=1,imports=2":          "set twice",
		"default:imports=1":            `"default" is not the ID of an organization`,
		org + ":x=1":                   `"x" is not the name`,
		"imports=99999999999999999999": "not a limit",
	} {
		_, err := ParseQuotas(text)
		if (err == nil) != (word == "") || err != nil && !strings.Contains(err.Error(), word) {
			t.Errorf("%q: error %v, want %q", text, err, word)
		}
	}
}

// TestQuotaMetrics checks the metrics of two organizations, one of which has its own limit.
func TestQuotaMetrics(t *testing.T) {
	store, err := sqlstore.Open(t.Context(), sqlstore.Config{Path: filepath.Join(t.TempDir(), "intray.db"), Queue: queue.Config{Node: "node"}})
	must(t, err)
	defer func() { must(t, store.Close()) }()
	must(t, store.Update(t.Context(), func(tx model.Tx) error {
		for _, org := range []string{"a", "b"} {
			if err := tx.Accounts.InsertOrg(t.Context(), model.Org{ID: org, Name: org}); err != nil {
				return err
			}
			if err := tx.Sessions.Insert(t.Context(), model.Session{ID: org, Org: org, File: model.File{Key: "k", Size: 7}}); err != nil {
				return err
			}
		}
		return tx.Imports.Insert(t.Context(), model.Import{ID: "i", Org: "a", Status: model.Running})
	}))
	var log strings.Builder
	m := newMetrics("v1")
	refuse := m.countOverQuota(slog.New(slog.NewTextHandler(&log, nil)))
	quotas := model.Quotas{ForAll: map[model.Quota]int64{model.SessionQuota: 10}, ByOrg: map[string]map[model.Quota]int64{"b": {model.SessionQuota: 2}}}
	m.observeStore(store, quotas, quotas.Limit, slog.New(slog.DiscardHandler))
	refuse("a", model.SessionQuota)
	refuse("b", model.SessionQuota)
	values := gather(t, m)
	for name, want := range map[string]float64{
		"intray_quota_used sessions": 2, "intray_quota_limit sessions": 10, "intray_quota_highest_use_ratio sessions": 0.5, "intray_quota_refusals_total sessions": 2,
		"intray_imports RUNNING": 1, "intray_imports PENDING": 0, "intray_imports FAILED": 0,
		"intray_quota_used stored-bytes": 14, "intray_quota_limit stored-bytes": 0, "intray_quota_limit event-streams": 500, "intray_quota_used queued-imports": 1,
	} {
		if got, ok := values[name]; !ok || got != want {
			t.Errorf("%s is %g, want %g", name, got, want)
		}
	}
	if text := log.String(); strings.Count(text, "\n") != 1 || !strings.Contains(text, "quota=sessions org=a") {
		t.Errorf("the log is %q", text)
	}
}
