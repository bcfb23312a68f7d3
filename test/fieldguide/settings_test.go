package fieldguide

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/schema"
)

// sample returns the import of the examples, with the given settings.
func sample(settings string) trial {
	return trial{
		fields:   "[\n  {\"key\": \"name\", \"label\": \"Name\"},\n  {\"key\": \"email\", \"label\": \"E-mail\", \"type\": \"email\"}\n]",
		settings: settings, header: []string{"Name", "E-mail", "Seat"},
		rows: [][]string{{"Ada", "ada@example.org", "4A"}, {"Bob", "bob@", "4B"}, {"Cy", "cy@example.org", "5A"}},
	}
}

// writeSettings writes the section about settings.
func writeSettings(t *testing.T, b *strings.Builder) {
	t.Helper()
	props := schema.SettingsShape().Properties
	entries := settingEntries()
	var rows [][]string
	for _, p := range props {
		rows = append(rows, []string{code(p.Name), typeOf(p.Schema), defaultOf(p), entries[p.Name].scope, plain(p.Schema.Description)})
	}
	table(b, []string{"Setting", "Type", "Default", "Applies to", "Description"}, rows)
	b.WriteString("Settings for browser imports have no effect on other imports. The API still validates and stores these settings.\n\n")
	b.WriteString("The examples use these fields and rows. The second row has an error, and the column `Seat` matches no field:\n\n")
	snippet(b, sample("").fields)
	rows = nil
	for _, row := range sample("").rows {
		rows = append(rows, []string{input(row[0]), input(row[1]), input(row[2])})
	}
	table(b, sample("").header, rows)
	plainRun := sample("").run(t)
	b.WriteString("Without settings, the result is:\n\n```json\n" + strings.Join(plainRun.lines, "\n") + "\n```\n\nWith settings:\n\n")
	rows = nil
	for _, p := range props {
		e, there := entries[p.Name]
		if !there || len(e.accepted) == 0 {
			t.Errorf("the setting %s has no entry", p.Name)
			continue
		}
		for _, value := range e.accepted {
			rows = append(rows, []string{setTo(p.Name, value), settingEffect(t, e, p.Name, value, plainRun)})
		}
		for _, value := range e.rejected {
			rows = append(rows, []string{setTo(p.Name, value), "rejected: " + rejection(t, p.Name, value)})
		}
	}
	table(b, []string{"Setting", "Result"}, rows)
	if len(entries) != len(props) {
		t.Errorf("%d settings have an entry, and there are %d", len(entries), len(props))
	}
}

func setTo(name, value string) string { return code(fmt.Sprintf("%q: %s", name, value)) }

// settingEffect imports the sample with a setting and describes the difference from plainRun.
func settingEffect(t *testing.T, e settingEntry, name, value string, plainRun found) string {
	t.Helper()
	f := sample(fmt.Sprintf("{%q: %s}", name, value)).run(t)
	if cmp.Equal(f.lines, plainRun.lines) && cmp.Equal(f.Notices, plainRun.Notices) {
		return "same rows"
	}
	if e.scope == browserImports {
		t.Errorf("%s: %s changes the import, although it applies to browser imports only", name, value)
	}
	var effects []string
	for _, line := range f.lines {
		effects = append(effects, code(line))
	}
	if len(f.lines) == 0 {
		effects = append(effects, "needs review")
	}
	for _, n := range slices.Concat(f.Notices, f.Listed) {
		if n.Level == intray.LevelError && len(f.lines) > 0 || slices.ContainsFunc(plainRun.Notices, func(o intray.Notice) bool { return o.Text == n.Text }) {
			continue // this is an error of the sample itself
		}
		effects = append(effects, n.Level.String()+": "+n.Text.String())
	}
	return strings.Join(effects, "<br>")
}

// rejection returns the reason why a setting is rejected.
func rejection(t *testing.T, name, value string) string {
	t.Helper()
	tr := sample("")
	_, issues := schema.Parse(schema.Doc{Fields: decoded(t, tr.fields), Settings: decoded(t, fmt.Sprintf("{%q: %s}", name, value))})
	if len(issues) == 0 {
		t.Errorf("the setting %s: %s is accepted", name, value)
		return ""
	}
	return plain(issues[0].Message.String())
}

// writeRejected writes the section about unknown properties.
func writeRejected(t *testing.T, b *strings.Builder) {
	t.Helper()
	b.WriteString("Intray rejects every property of fields, types, validators and settings that this page does not list, so a mistyped name never goes unnoticed:\n\n```text\nsettings.locale: " + unknown + "; known properties are importIdentifier, title, …\n```\n\nSome browser importers have further settings. Intray does not support them, so the API rejects them as well: ")
	for i, name := range browserSettings {
		if i > 0 {
			b.WriteString([]string{", ", " and "}[max(0, i+2-len(browserSettings))])
		}
		b.WriteString(code(name))
		if why := rejection(t, name, "{}"); !strings.HasPrefix(why, unknown) {
			t.Errorf("%s is rejected with %q", name, why)
		}
	}
	b.WriteString(".\n")
}

const unknown = "is an unknown property"

// browserSettings contains settings of other importers that the API rejects.
var browserSettings = []string{"allowEmptySubmit", "alternateDomain", "autoMapHeaders", "backendOverride", "batchRowHookBatchSize",
	"browserExcelParsing", "delimiter", "hydrationId", "initialFile", "locale", "matchValuesStep", "matchingStep", "reviewStep",
	"savePartialSession", "sessionId", "templateDownloadFilename", "textOverrides", "uploadStep", "version", "xmlParsingOptions"}

// TestEverySettingHasItsExample checks that every value of every enumeration has an example.
func TestEverySettingHasItsExample(t *testing.T) {
	for _, p := range schema.SettingsShape().Properties {
		for _, value := range p.Schema.Enum {
			if !slices.Contains(settingEntries()[p.Name].accepted, fmt.Sprintf("%q", value)) {
				t.Errorf("the setting %s has no example with %s", p.Name, value)
			}
		}
	}
}
