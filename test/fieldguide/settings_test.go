package fieldguide

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/internal/jsonschema"
	"github.com/intraydata/intray/schema"
)

// sample is the import on which settings are tried.
func sample(settings string) trial {
	return trial{
		fields:   "[\n  {\"key\": \"name\", \"label\": \"Name\"},\n  {\"key\": \"email\", \"label\": \"E-mail\", \"type\": \"email\"}\n]",
		settings: settings, header: []string{"Name", "E-mail", "Seat"},
		rows: [][]string{{"Ada", "ada@example.org", "4A"}, {"Bob", "bob@", "4B"}, {"Cy", "cy@example.org", "5A"}},
	}
}

// writeSettings writes the part of the page about settings.
func writeSettings(t *testing.T, b *strings.Builder) {
	t.Helper()
	plainRun := sample("").run(t)
	b.WriteString("The examples run over these fields and rows. The second row has an error, and no field takes the column `Seat`:\n\n")
	snippet(b, sample("").fields)
	var rows [][]string
	for _, row := range sample("").rows {
		rows = append(rows, []string{input(row[0]), input(row[1]), input(row[2])})
	}
	table(b, sample("").header, rows)
	b.WriteString("Without settings the result is:\n\n```json\n" + strings.Join(plainRun.lines, "\n") + "\n```\n\n")
	entries := settingEntries()
	for _, p := range schema.SettingsShape().Properties {
		e, there := entries[p.Name]
		if !there || len(e.taken) == 0 {
			t.Errorf("the setting %s has no entry", p.Name)
			continue
		}
		fmt.Fprintf(b, "### %s\n\n%s\n\n", p.Name, e.says)
		properties(b, "Setting", []jsonschema.Property{p})
		var rows [][]string
		for _, value := range e.taken {
			rows = append(rows, []string{setTo(p.Name, value), settingEffect(t, e, p.Name, value, plainRun)})
		}
		for _, value := range e.refused {
			rows = append(rows, []string{setTo(p.Name, value), "refused: " + refusal(t, p.Name, value)})
		}
		table(b, []string{"Setting", "Result"}, rows)
	}
	if n := len(schema.SettingsShape().Properties); len(entries) != n {
		t.Errorf("%d settings have an entry, and there are %d", len(entries), n)
	}
}

func setTo(name, value string) string { return code(fmt.Sprintf("%q: %s", name, value)) }

// settingEffect runs the sample with a setting and tells what is otherwise than without.
func settingEffect(t *testing.T, e settingEntry, name, value string, plainRun found) string {
	t.Helper()
	f := sample(fmt.Sprintf("{%q: %s}", name, value)).run(t)
	if cmp.Equal(f.lines, plainRun.lines) && cmp.Equal(f.Notices, plainRun.Notices) {
		return "the rows as without it"
	}
	if e.browser {
		t.Errorf("%s: %s changes the import, and is told to be for a browser only", name, value)
	}
	var effects []string
	for _, line := range f.lines {
		effects = append(effects, code(line))
	}
	if len(f.lines) == 0 {
		effects = append(effects, "the import waits for a person")
	}
	for _, n := range slices.Concat(f.Notices, f.Listed) {
		if n.Level == intray.LevelError && len(f.lines) > 0 || slices.ContainsFunc(plainRun.Notices, func(o intray.Notice) bool { return o.Text == n.Text }) {
			continue // that the row has an error is known
		}
		effects = append(effects, n.Level.String()+": "+n.Text.String())
	}
	return strings.Join(effects, "<br>")
}

// refusal gives why a setting is not taken.
func refusal(t *testing.T, name, value string) string {
	t.Helper()
	tr := sample("")
	_, issues := schema.Parse(schema.Doc{Fields: decoded(t, tr.fields), Settings: decoded(t, fmt.Sprintf("{%q: %s}", name, value))})
	if len(issues) == 0 {
		t.Errorf("the setting %s: %s is taken", name, value)
		return ""
	}
	return plain(issues[0].Message.String())
}

// writeRefused writes which settings there are not.
func writeRefused(t *testing.T, b *strings.Builder) {
	t.Helper()
	b.WriteString("What is not on this page is refused, with a message that names it: a mistyped name never passes in silence. Importers that run in a browser know further settings, about what a person sees there and how. The API refuses them, too: an import that a program makes has no use for them, and taking them would promise what does not happen. They are ")
	for i, name := range browserSettings {
		if i > 0 {
			b.WriteString([]string{", ", " and "}[max(0, i+2-len(browserSettings))])
		}
		b.WriteString(code(name))
		if why := refusal(t, name, "{}"); !strings.HasPrefix(why, unknown) {
			t.Errorf("%s is refused with %q", name, why)
		}
	}
	b.WriteString(". Each is told in the same way:\n\n```text\nsettings.locale: " + unknown + "; known are importIdentifier, title, …\n```\n")
}

const unknown = "is not a known property"

// browserSettings are settings of importers in a browser that the API does not
// take.
var browserSettings = []string{"allowEmptySubmit", "alternateDomain", "autoMapHeaders", "backendOverride", "batchRowHookBatchSize",
	"browserExcelParsing", "delimiter", "hydrationId", "initialFile", "locale", "matchValuesStep", "matchingStep", "reviewStep",
	"savePartialSession", "sessionId", "templateDownloadFilename", "textOverrides", "uploadStep", "version", "xmlParsingOptions"}

// TestEverySettingHasItsExample wants each of the values that a setting may only
// have to be tried.
func TestEverySettingHasItsExample(t *testing.T) {
	for _, p := range schema.SettingsShape().Properties {
		for _, value := range p.Schema.Enum {
			if !slices.Contains(settingEntries()[p.Name].taken, fmt.Sprintf("%q", value)) {
				t.Errorf("the setting %s has no example with %s", p.Name, value)
			}
		}
	}
}
