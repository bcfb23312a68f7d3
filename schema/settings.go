package schema

import (
	"net/url"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/internal/jsonschema"
)

// SettingsShape is the closed table of the 18 settings.
func SettingsShape() *jsonschema.Schema {
	return objectShape("The settings of an import. A setting that is not there has its default.",
		optional("importIdentifier", withDefault(nameShape("Groups imports of one kind."), "")),
		optional("title", withDefault(nameShape("The title that the person who reviews sees."), "")),
		optional("allowInvalidSubmit", boolShape("The old spelling of invalidDataBehavior: true means INCLUDE_INVALID_ROWS, false REMOVE_INVALID_ROWS. It yields to invalidDataBehavior.", false)),
		optional("invalidDataBehavior", withDefault(enumShape("What becomes of rows with an error. BLOCK_SUBMIT sends the import to review; REMOVE_INVALID_ROWS drops the rows; INCLUDE_INVALID_ROWS keeps them with null in each invalid cell; INCLUDE_INVALID_ROWS_AND_VALUES keeps them with the raw text.",
			string(intray.BlockSubmit), string(intray.IncludeInvalidRows), string(intray.RemoveInvalidRows), string(intray.IncludeInvalidValues)),
			string(intray.RemoveInvalidRows))),
		optional("backendSync", boolShape("The old spelling of backendSyncMode: true means FULL_DATA. It concerns imports in a browser only.", false)),
		optional("backendSyncMode", withDefault(enumShape("What an import in a browser stores on the server. Other imports always store everything.",
			"DISABLED", "FULL_DATA", "MAPPINGS_ONLY"), "DISABLED")),
		optional("manualInputDisabled", boolShape("Hides typing rows by hand in a browser. Not together with manualInputOnly.", false)),
		optional("manualInputOnly", boolShape("Takes rows typed by hand in a browser only. Not together with manualInputDisabled.", false)),
		optional("allowCustomFields", boolShape("Lets the person who maps columns make a field of a column that feeds none.", false)),
		optional("passThroughUnmappedColumns", boolShape("Gives each row the cells of the columns that feed no field, under $unmapped, by column index.", false)),
		optional("maxRecords", nullable(integerShape("The most data rows that are taken; further rows are dropped with a warning. null means no limit.", 1))),
		optional("developmentMode", boolShape("Marks imports as trials.", false)),
		optional("displayEncoding", boolShape("Offers a choice of encodings in a browser.", true)),
		optional("styleOverrides", newShape(jsonschema.Map, "Styles for the importer in a browser.")),
		optional("maxFileSize", withDefault(fileSizeShape(), intray.MaxFileSize)),
		optional("webhookUrl", nullable(addressShape("Is told of each completed import: a form POST of uploadId."))),
		optional("needsReviewWebhookUrl", nullable(addressShape("Is told of each import that waits for a person: a form POST of headlessImportId."))),
		optional("initialData", nullable(listShape("Rows for an import in a browser: objects by field key, or arrays in field order.", initialRowShape()))),
	)
}

func fileSizeShape() *jsonschema.Schema {
	s := integerShape("The most bytes that a file may have, at most 1 GiB.", 1)
	s.Max = jsonschema.Bound(intray.MaxFileSize)
	return s
}

func addressShape(doc string) *jsonschema.Schema {
	return &jsonschema.Schema{Kind: jsonschema.String, Description: doc + " An absolute http or https address, at most 2048 characters.",
		MinLength: 1, MaxLength: 2048, NoControl: true}
}

func initialRowShape() *jsonschema.Schema {
	return &jsonschema.Schema{Kind: jsonschema.OneOf, Choices: []*jsonschema.Schema{newShape(jsonschema.Map, ""), newShape(jsonschema.Array, "")}}
}

// readSettings reads the settings that an import obeys. Settings of other kinds of
// imports are only checked.
func (p *parser) readSettings(m map[string]any) intray.Settings {
	s := intray.DefaultSettings()
	s.ImportIdentifier = stringMember(m, "importIdentifier")
	s.Title = stringMember(m, "title")
	s.InvalidDataBehavior = invalidDataBehavior(m)
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
