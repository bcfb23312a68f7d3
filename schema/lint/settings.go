package lint

import (
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/intraydata/intray"
)

// checkSettings checks the settings, including written settings that the schema does not contain.
func (l *linter) checkSettings(written map[string]any) {
	s := l.schema.Settings
	l.checkAddress("webhookUrl", s.WebhookURL)
	l.checkAddress("needsReviewWebhookUrl", s.NeedsReviewWebhookURL)
	if s.MaxFileSize > 0 && s.MaxFileSize < smallFile {
		l.warn(l.settingAt("maxFileSize"), "file_size_tiny", intray.NewMessage("lint.file_size_tiny", intray.Params{"size": s.MaxFileSize}))
	}
	l.checkOldSpelling(written, "allowInvalidSubmit", "invalidDataBehavior", func(on bool) string {
		if on {
			return string(intray.IncludeInvalidRows)
		}
		return string(intray.RemoveInvalidRows)
	})
	l.checkOldSpelling(written, "backendSync", "backendSyncMode", func(on bool) string {
		if on {
			return "FULL_DATA"
		}
		return "DISABLED"
	})
	l.checkBrowserOnly(written)
	rows, _ := written["initialData"].([]any)
	l.checkInitialRows(rows)
}

func (l *linter) checkAddress(name, text string) {
	if u, err := url.Parse(text); err == nil && u.Scheme == "http" {
		l.warn(l.settingAt(name), "webhook_unencrypted", intray.NewMessage("webhook.unencrypted", nil))
	}
}

// smallFile is the smallest plausible maximum file size, in bytes.
const smallFile = 1024

// checkOldSpelling reports a setting that is present under both its old and its new name.
func (l *linter) checkOldSpelling(written map[string]any, old, name string, meaning func(on bool) string) {
	on, isOld := written[old].(bool)
	value, isNew := written[name].(string)
	switch {
	case !isOld || !isNew:
	case meaning(on) == value:
		l.info(l.settingAt(old), "setting_repeated", intray.NewMessage("lint.setting_repeated", intray.Params{"setting": old, "current": name}))
	default:
		l.warn(l.settingAt(old), "setting_overruled",
			intray.NewMessage("lint.setting_overruled", intray.Params{"setting": old, "value": strconv.FormatBool(on), "meaning": meaning(on), "current": name, "current_value": value}))
	}
}

// checkBrowserOnly lists the settings that imports through the API ignore.
func (l *linter) checkBrowserOnly(written map[string]any) {
	var idle []string
	for _, name := range []string{"backendSync", "backendSyncMode", "manualInputDisabled", "manualInputOnly", "displayEncoding", "initialData"} {
		if value, there := written[name]; there && value != nil {
			idle = append(idle, name)
		}
	}
	if len(idle) > 0 {
		l.info(l.settingAt(""), "setting_for_browsers", intray.NewMessage("lint.settings_for_browsers", intray.Params{"settings": listed(idle, len(idle))}))
	}
}

// checkInitialRows reports cells of initialData that belong to no field.
func (l *linter) checkInitialRows(rows []any) {
	unknown := map[string]bool{}
	var names []string
	objects, longest := 0, -1
	for n, row := range rows {
		switch row := row.(type) {
		case map[string]any:
			objects++
			for key := range row {
				if _, known := l.keys[key]; !known && !unknown[key] {
					unknown[key] = true
					names = append(names, key)
				}
			}
		case []any:
			if longest < 0 && len(row) > len(l.schema.Fields) {
				longest = n
			}
		}
	}
	if len(names) > 0 {
		slices.Sort(names)
		var keys []intray.Message
		for _, key := range names {
			keys = append(keys, quoted(key))
		}
		l.warn(l.settingAt("initialData"), "initial_row_unknown", intray.NewMessage("lint.initial_cells_without_field", intray.Params{"keys": listed(keys, len(keys))}))
	}
	if longest >= 0 {
		l.warn(l.settingAt(indexed("initialData", longest)), "initial_row_unknown", intray.NewMessage("lint.initial_row_too_long", intray.Params{"n": len(l.schema.Fields)}))
	}
	if objects > 0 && objects < len(rows) {
		l.warn(l.settingAt("initialData"), "initial_rows_mixed", intray.NewMessage("lint.initial_rows_mixed", nil))
	}
}

// checkHooks checks hooks without running them.
func (l *linter) checkHooks() {
	for n, h := range l.schema.Hooks.Column {
		i, there := l.keys[h.Field]
		if !there {
			continue
		}
		if f := l.schema.Fields[i]; f.ManyToOne && !f.Hidden {
			l.info(l.hookAt(n), "hook_for_each_column", intray.NewMessage("lint.hook_for_each_column", intray.Params{"field": shorten(h.Field)}))
		}
		if first := firstHook(l.schema.Hooks.Column[:n], h); first >= 0 {
			l.warn(l.hookAt(n), "hook_repeated", intray.NewMessage("lint.hook_repeated", intray.Params{"path": indexed("hooks.columnHooks", first)}))
		}
	}
}

func firstHook(before []intray.ColumnHook, h intray.ColumnHook) int {
	return slices.IndexFunc(before, func(b intray.ColumnHook) bool {
		return b.Field == h.Field && strings.TrimSpace(b.Source) == strings.TrimSpace(h.Source)
	})
}

func (l *linter) hookAt(n int) location {
	return location{len(l.schema.Fields) + 1, n, fmt.Sprintf("hooks.columnHooks[%d]", n)}
}
