package imports_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

// setting is a row of the table of settings: a name, valid values and invalid values.
type setting struct {
	name         string
	takes, never []any
}

// settingsTable is the table of the 18 settings.
func settingsTable() []setting {
	flag := func(name string) setting {
		return setting{name, []any{true, false}, []any{nil, "true", 1, []any{}}}
	}
	return []setting{
		{"importIdentifier", []any{"", "contacts"}, []any{nil, 7, "a\nb"}},
		{"title", []any{"", "Add <b>contacts</b>"}, []any{nil, 7, []any{}}},
		flag("allowInvalidSubmit"),
		{"invalidDataBehavior", []any{"BLOCK_SUBMIT", "INCLUDE_INVALID_ROWS", "REMOVE_INVALID_ROWS", "INCLUDE_INVALID_ROWS_AND_VALUES"},
			[]any{nil, "", "block_submit", "KEEP", true}},
		flag("backendSync"),
		{"backendSyncMode", []any{"DISABLED", "FULL_DATA", "MAPPINGS_ONLY"}, []any{nil, "", "ENABLED", false}},
		flag("manualInputDisabled"), flag("manualInputOnly"), flag("allowCustomFields"), flag("passThroughUnmappedColumns"),
		{"maxRecords", []any{nil, 1.0, 1000000.0}, []any{"5", 1.5, -1, 0, true, 1e30}},
		flag("developmentMode"), flag("displayEncoding"),
		{"styleOverrides", []any{m{}, m{"global": m{"textColor": "red", "x": []any{1.0}}}}, []any{nil, "red", []any{}}},
		{"maxFileSize", []any{1.0, 1048576.0, 1073741824.0}, []any{nil, "1", 0, -1, 1.5, 1073741825}},
		{"webhookUrl", []any{nil, "https://example.org/hook"}, []any{"", 7, "example.org/hook", "ftp://example.org/", "javascript:alert(1)", "https://a:b@example.org/"}},
		{"needsReviewWebhookUrl", []any{nil, "http://example.org:8080/hook?x=1"}, []any{"", 7, "//example.org", "file:///etc/passwd"}},
		{"initialData", []any{nil, []any{}, []any{m{"email": "a@example.org"}}, []any{[]any{"a@example.org", nil}}}, []any{m{}, "x", []any{"x"}, []any{7}}},
	}
}

// TestSettingsTable checks for each setting that valid values are accepted and returned,
// and that invalid values are rejected.
func TestSettingsTable(t *testing.T) {
	each(t, func(c client) {
		table := settingsTable()
		if len(table) != 18 {
			c.T.Fatalf("%d settings", len(table))
		}
		for _, s := range table {
			for _, value := range s.takes {
				given := m{s.name: value}
				id := c.create(inline(people(), settings(given))).String("schema_id")
				got := c.Call("GET", schemasPath+id+"/", nil).Object()["settings"]
				if diff := cmp.Diff(given, got); diff != "" {
					c.T.Errorf("%s: %s", s.name, diff)
				}
			}
			for _, value := range s.never {
				c.refused(inline(people(), settings(m{s.name: value})), 400, "settings")
			}
		}
	})
}

// TestSettingsAreClosed checks that undocumented settings and settings of the embedded
// importer are rejected, with and without a saved schema.
func TestSettingsAreClosed(t *testing.T) {
	each(t, func(c client) {
		saved := c.saveSchema(people(), m{}, m{})
		for _, name := range []string{"allowEmptySubmit", "initialFile", "uploadStep", "matchingStep", "matchValuesStep", "reviewStep",
			"autoMapHeaders", "delimiter", "locale", "templateDownloadFilename", "browserExcelParsing", "batchRowHookBatchSize",
			"textOverrides", "xmlParsingOptions", "savePartialSession", "sessionId", "hydrationId", "backendOverride",
			"alternateDomain", "version", "max_records", "MaxRecords", "", "a.b"} {
			c.refused(inline(people(), settings(m{name: nil})), 400, "settings")
			c.refused(m{"schema_id": saved, "settings": m{name: true}}, 400, "settings")
		}
		for _, value := range []any{[]any{}, "x", 7, true} {
			c.refused(inline(people(), m{"settings": value}), 400, "settings")
		}
		c.refused(inline(people(), settings(m{"manualInputDisabled": true, "manualInputOnly": true})), 400, "settings")
	})
}
