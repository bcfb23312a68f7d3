package resources_test

import (
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/intraydata/intray/test/apitest"
)

// values are valid and invalid values of a property.
type values struct{ good, bad []any }

var (
	flags   = values{[]any{true, false}, []any{"true", 1, nil, m{}}}
	words   = values{[]any{"", "a title", "ü 漢 🙂"}, []any{1, nil, true, []any{}}}
	address = values{[]any{nil, "https://example.org/hook", "http://example.org:8080/a?b=c"}, []any{1, "", "example.org", "ftp://example.org", "https://anna:pw@example.org/", "javascript:alert(1)"}}
)

// settings returns the settings in the contract, with valid and invalid values.
func settings() map[string]values {
	return map[string]values{
		"importIdentifier":   words,
		"title":              words,
		"allowInvalidSubmit": flags,
		"invalidDataBehavior": {
			[]any{"BLOCK_SUBMIT", "INCLUDE_INVALID_ROWS", "REMOVE_INVALID_ROWS", "INCLUDE_INVALID_ROWS_AND_VALUES"},
			[]any{"block_submit", "", nil, 1, "KEEP"},
		},
		"backendSync":                flags,
		"backendSyncMode":            {[]any{"DISABLED", "FULL_DATA", "MAPPINGS_ONLY"}, []any{"full_data", "", nil, true}},
		"manualInputDisabled":        flags,
		"manualInputOnly":            flags,
		"allowCustomFields":          flags,
		"passThroughUnmappedColumns": flags,
		"maxRecords":                 {[]any{nil, 1, 1000000}, []any{"1", 1.5, -1, true}},
		"developmentMode":            flags,
		"displayEncoding":            flags,
		"styleOverrides":             {[]any{m{}, m{"global": m{"primaryTextColor": "black"}}}, []any{nil, []any{}, "x"}},
		"maxFileSize":                {[]any{1, 1 << 30}, []any{nil, 0, -1, "1", 1.5, 1<<30 + 1}},
		"webhookUrl":                 address,
		"needsReviewWebhookUrl":      address,
		"initialData":                {[]any{nil, []any{}, []any{m{"email": "a@example.org"}}, []any{[]any{"a@example.org", "Anna"}}}, []any{m{}, "x", []any{1}}},
	}
}

func settingNames() []string { return slices.Sorted(maps.Keys(settings())) }

const hook = "(record, mode) => ({row: {}})"

// hooks returns the hooks in the contract, with valid and invalid values.
func hooks() map[string]values {
	texts := values{[]any{[]any{}, []any{hook}, []any{hook, "function (a, b) { return a }"}}, []any{hook, nil, []any{1}, m{}, []any{""}}}
	return map[string]values{
		"rowHooks":             texts,
		"bulkRowHooks":         texts,
		"rowDeleteHooks":       texts,
		"beforeFinishCallback": {[]any{hook, "async (rows) => { return {cancel: true} }"}, []any{nil, 1, []any{hook}}},
		"columnHooks": {
			[]any{[]any{}, []any{m{"fieldName": "email", "callback": hook}}},
			[]any{hook, nil, []any{hook}, []any{m{"callback": hook}}, []any{m{"fieldName": "email"}}, []any{m{"fieldName": 1, "callback": hook}},
				[]any{m{"fieldName": "email", "callback": hook, "more": 1}}, []any{m{"fieldName": "absent", "callback": hook}}},
		},
		"stepHooks": {
			[]any{[]any{m{"type": "UPLOAD_STEP", "callback": hook}}, []any{m{"type": "REVIEW_STEP", "callback": hook}}, []any{m{"type": "REVIEW_STEP_POST_HOOKS", "callback": hook}}},
			[]any{nil, []any{m{"type": "REVIEW_STEP_PRE_SUBMIT", "callback": hook}}, []any{m{"type": "UPLOAD_STEP"}}, []any{m{"callback": hook}}, []any{m{"type": "UPLOAD_STEP", "callback": hook, "more": 1}}},
		},
	}
}

func hookNames() []string { return slices.Sorted(maps.Keys(hooks())) }

// trySchema saves a schema with one part replaced. It returns the status and the body of
// the response.
func trySchema(c client, part string, value any) (int, m) {
	c.T.Helper()
	body := schemaNamed(unique("schema"))
	body[part] = value
	reply := c.Call("POST", schemasPath, body)
	return reply.Status, reply.Object()
}

func TestSettingsTable(t *testing.T) {
	apitest.RunOnDatabases(t, func(t *testing.T, s *apitest.Site) { checkTable(t, backend(t, s), "settings", settings()) })
}

func TestHooksTable(t *testing.T) {
	apitest.RunOnDatabases(t, func(t *testing.T, s *apitest.Site) { checkTable(t, backend(t, s), "hooks", hooks()) })
}

// checkTable checks that each valid value of each property is accepted, and that each
// invalid value is rejected.
func checkTable(t *testing.T, c client, part string, table map[string]values) {
	t.Helper()
	for name, v := range table {
		for _, good := range v.good {
			status, saved := trySchema(c, part, m{name: good})
			if status != http.StatusCreated {
				t.Errorf("%s %s = %v is rejected: %v", part, name, good, saved)
				continue
			}
			if diff := cmp.Diff(plain(m{name: good}), saved[part]); diff != "" {
				t.Errorf("%s %s changed: %s", part, name, diff)
			}
		}
		for _, bad := range v.bad {
			status, refused := trySchema(c, part, m{name: bad})
			if messages, _ := refused[part].([]any); status != http.StatusBadRequest || len(messages) == 0 {
				t.Errorf("%s %s = %v: %d %v", part, name, bad, status, refused)
			}
		}
	}
}

// TestAllSettingsTogether checks that all settings can be saved at once, and that
// manualInputDisabled and manualInputOnly cannot both be true.
func TestAllSettingsTogether(t *testing.T) {
	apitest.RunOnDatabases(t, func(t *testing.T, s *apitest.Site) {
		all := m{}
		for name, v := range settings() {
			all[name] = v.good[len(v.good)-1]
		}
		if status, saved := trySchema(backend(t, s), "settings", all); status != http.StatusCreated {
			t.Errorf("%d %v", status, saved)
		}
		all["manualInputDisabled"], all["manualInputOnly"] = true, true
		if status, saved := trySchema(backend(t, s), "settings", all); status != http.StatusBadRequest {
			t.Errorf("both ways of input are disabled: %d %v", status, saved)
		}
	})
}

// TestSettingsOfTheEmbeddedImporter checks that settings that only the embedded importer
// has are rejected.
func TestSettingsOfTheEmbeddedImporter(t *testing.T) {
	apitest.RunOnDatabases(t, func(t *testing.T, s *apitest.Site) {
		for _, name := range []string{
			"allowEmptySubmit", "initialFile", "uploadStep", "matchingStep", "matchValuesStep", "reviewStep", "autoMapHeaders", "delimiter",
			"locale", "templateDownloadFilename", "browserExcelParsing", "batchRowHookBatchSize", "textOverrides", "xmlParsingOptions",
			"savePartialSession", "sessionId", "hydrationId", "backendOverride", "alternateDomain", "version",
		} {
			status, refused := trySchema(backend(t, s), "settings", m{name: m{}})
			if messages, _ := refused["settings"].([]any); status != http.StatusBadRequest || len(messages) != 1 || !strings.Contains(messages[0].(string), name) {
				t.Errorf("%s: %d %v", name, status, refused)
			}
		}
	})
}

// plain returns a value as decoding it from JSON would: with integers as float64.
func plain(value any) any {
	switch v := value.(type) {
	case int:
		return float64(v)
	case []any:
		list := make([]any, len(v))
		for i := range v {
			list[i] = plain(v[i])
		}
		return list
	case m:
		object := m{}
		for name := range v {
			object[name] = plain(v[name])
		}
		return object
	}
	return value
}
