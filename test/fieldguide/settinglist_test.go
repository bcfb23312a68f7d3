package fieldguide

// settingEntry is what the page says of a setting beside its table.
type settingEntry struct {
	says string
	// browser says that only an import in a browser obeys the setting.
	browser bool
	// taken and refused are values in JSON.
	taken, refused []string
}

const (
	everyImport = "Every import obeys it."
	kept        = "It is kept with the import and changes no row."
	inBrowser   = "Only an import in a browser obeys it. The API checks it and keeps it with the schema."
)

// settingEntries are the entries of all settings.
func settingEntries() map[string]settingEntry {
	return map[string]settingEntry{
		"importIdentifier":   {says: kept + " Lists of uploads name it.", taken: []string{`"crm contacts"`}, refused: []string{`7`}},
		"title":              {says: kept, taken: []string{`"Add contacts"`}, refused: []string{`null`}},
		"allowInvalidSubmit": {says: everyImport, taken: []string{`true`, `false`}, refused: []string{`"yes"`}},
		"invalidDataBehavior": {says: everyImport,
			taken:   []string{`"BLOCK_SUBMIT"`, `"REMOVE_INVALID_ROWS"`, `"INCLUDE_INVALID_ROWS"`, `"INCLUDE_INVALID_ROWS_AND_VALUES"`},
			refused: []string{`"IGNORE"`}},
		"backendSync":                {says: inBrowser, browser: true, taken: []string{`true`}, refused: []string{`1`}},
		"backendSyncMode":            {says: inBrowser, browser: true, taken: []string{`"DISABLED"`, `"FULL_DATA"`, `"MAPPINGS_ONLY"`}, refused: []string{`"ALL"`}},
		"manualInputDisabled":        {says: inBrowser, browser: true, taken: []string{`true`}, refused: []string{`null`}},
		"manualInputOnly":            {says: inBrowser, browser: true, taken: []string{`true`}, refused: []string{`"no"`}},
		"allowCustomFields":          {says: "It is for persons who map columns. An import by a program has the fields of its schema.", taken: []string{`true`}, refused: []string{`0`}},
		"passThroughUnmappedColumns": {says: everyImport, taken: []string{`true`}, refused: []string{`[2]`}},
		"maxRecords":                 {says: everyImport, taken: []string{`1`, `null`}, refused: []string{`0`}},
		"developmentMode":            {says: kept, taken: []string{`true`}, refused: []string{`"on"`}},
		"displayEncoding":            {says: inBrowser, browser: true, taken: []string{`false`}, refused: []string{`"utf-8"`}},
		"styleOverrides":             {says: inBrowser, browser: true, taken: []string{`{"global": {"primaryTextColor": "#222"}}`}, refused: []string{`"blue"`}},
		"maxFileSize":                {says: "Every upload obeys it: a larger file is refused before it is read.", taken: []string{`1048576`}, refused: []string{`0`, `1073741825`}},
		"webhookUrl":                 {says: kept, taken: []string{`"https://example.org/done"`, `null`}, refused: []string{`"/done"`, `"https://me:secret@example.org/"`}},
		"needsReviewWebhookUrl":      {says: kept, taken: []string{`"https://example.org/review"`, `null`}, refused: []string{`"ftp://example.org/"`}},
		"initialData": {says: inBrowser + " An import by the API takes its rows from `initial_data` of the request.", browser: true,
			taken: []string{`[{"name": "Dan"}]`, `[["Dan", "dan@example.org"]]`, `null`}, refused: []string{`["Dan"]`}},
	}
}
