package schema

import (
	"net/url"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/internal/jsonschema"
)

// SettingsShape returns the shape of the 18 settings.
func SettingsShape() *jsonschema.Schema {
	return named("Settings", objectShape("The settings of an import. A missing setting has its default.",
		optional("importIdentifier", withDefault(nameShape("Names the kind of import. Intray reuses people's decisions in later imports with the same identifier."), "")),
		optional("title", withDefault(nameShape("The title of the review page."), "")),
		optional("allowInvalidSubmit", boolShape("Deprecated: use invalidDataBehavior, which takes precedence. The value true means INCLUDE_INVALID_ROWS, and false means REMOVE_INVALID_ROWS.", false)),
		optional("invalidDataBehavior", withDefault(enumShape("Determines what happens to invalid rows. BLOCK_SUBMIT sends the import to review. REMOVE_INVALID_ROWS drops the rows. INCLUDE_INVALID_ROWS keeps them, with null in each invalid cell. INCLUDE_INVALID_ROWS_AND_VALUES keeps them, with the raw text in each invalid cell.",
			string(intray.BlockSubmit), string(intray.IncludeInvalidRows), string(intray.RemoveInvalidRows), string(intray.IncludeInvalidValues)),
			string(intray.RemoveInvalidRows))),
		optional("backendSync", boolShape("Deprecated: use backendSyncMode. The value true means FULL_DATA.", false)),
		optional("backendSyncMode", withDefault(enumShape("The data that a browser import stores on the server. Other imports always store all data.",
			"DISABLED", "FULL_DATA", "MAPPINGS_ONLY"), "DISABLED")),
		optional("manualInputDisabled", boolShape("Hides manual input. Cannot be combined with manualInputOnly.", false)),
		optional("manualInputOnly", boolShape("Allows manual input only. Cannot be combined with manualInputDisabled.", false)),
		optional("allowCustomFields", boolShape("Lets people create fields for columns that match none. The key of such a field is the header of the column, and its type is string.", false)),
		optional("passThroughUnmappedColumns", boolShape("Adds the raw text of unmapped columns to each row, under $unmapped, keyed by column index.", false)),
		optional("maxRecords", nullable(integerShape("The maximum number of data rows. Intray drops further rows with a warning. The value null means no limit.", 1))),
		optional("developmentMode", boolShape("Marks imports as tests.", false)),
		optional("displayEncoding", boolShape("Lets people choose the encoding.", true)),
		optional("styleOverrides", newShape(jsonschema.Map, "Styles of the review page and the browser importer.")),
		optional("maxFileSize", withDefault(fileSizeShape(), intray.MaxFileSize)),
		optional("webhookUrl", nullable(addressShape("The URL to which Intray sends a form POST with uploadId for each completed import."))),
		optional("needsReviewWebhookUrl", nullable(addressShape("The URL to which Intray sends a form POST with headlessImportId for each import that needs review."))),
		optional("initialData", nullable(listShape("Rows for a browser import: objects keyed by field key, or arrays in field order.", initialRowShape()))),
	))
}

func fileSizeShape() *jsonschema.Schema {
	s := integerShape("The maximum size of a file in bytes, at most 1 GiB.", 1)
	s.Max = jsonschema.Bound(intray.MaxFileSize)
	return s
}

func addressShape(doc string) *jsonschema.Schema {
	return &jsonschema.Schema{Kind: jsonschema.String, Description: doc + " The value is an absolute http or https URL of at most 2,048 characters.",
		MinLength: 1, MaxLength: 2048, NoControl: true, Format: "uri"}
}

func initialRowShape() *jsonschema.Schema {
	return &jsonschema.Schema{Kind: jsonschema.OneOf, Choices: []*jsonschema.Schema{newShape(jsonschema.Map, ""), newShape(jsonschema.Array, "")}}
}

// readSettings reads the settings that an import uses. The shape checks the settings that
// only imports in a browser use.
func (p *parser) readSettings(m map[string]any) intray.Settings {
	s := intray.DefaultSettings()
	s.ImportIdentifier = stringMember(m, "importIdentifier")
	s.Title = stringMember(m, "title")
	s.InvalidDataBehavior = invalidDataBehavior(m)
	s.AllowCustomFields = boolMember(m, "allowCustomFields")
	s.PassThroughUnmappedColumns = boolMember(m, "passThroughUnmappedColumns")
	s.MaxRecords, _ = jsonschema.Int64(m["maxRecords"])
	if size, ok := jsonschema.Int64(m["maxFileSize"]); ok {
		s.MaxFileSize = size
	}
	s.DevelopmentMode = boolMember(m, "developmentMode")
	s.WebhookURL = p.readAddress(m, "webhookUrl")
	s.NeedsReviewWebhookURL = p.readAddress(m, "needsReviewWebhookUrl")
	if boolMember(m, "manualInputDisabled") && boolMember(m, "manualInputOnly") {
		p.addIssue("settings.manualInputOnly", intray.NewMessage("schema.no_input_left", nil))
	}
	return s
}

func invalidDataBehavior(m map[string]any) intray.InvalidDataBehavior {
	if b := stringMember(m, "invalidDataBehavior"); b != "" {
		return intray.InvalidDataBehavior(b)
	}
	if boolMember(m, "allowInvalidSubmit") {
		return intray.IncludeInvalidRows
	}
	return intray.RemoveInvalidRows
}

func (p *parser) readAddress(m map[string]any, name string) string {
	given, ok := m[name].(string)
	if !ok {
		return ""
	}
	u, err := url.Parse(given)
	switch {
	case err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Hostname() == "":
		p.addIssue("settings."+name, intray.NewMessage("schema.not_a_url", nil))
	case u.User != nil:
		p.addIssue("settings."+name, intray.NewMessage("webhook.url_with_password", nil))
	}
	return given
}
