package fieldguide

// settingEntry contains what the page shows about a setting in addition to its table.
type settingEntry struct {
	// scope states which imports the setting affects.
	scope string
	// accepted and rejected contain values as JSON.
	accepted, rejected []string
}

const (
	allImports     = "all imports"
	browserImports = "browser imports"
)

// settingEntries returns the entries of all settings, by name.
func settingEntries() map[string]settingEntry {
	return map[string]settingEntry{
		"importIdentifier":   {scope: allImports, accepted: []string{`"crm contacts"`}, rejected: []string{`7`}},
		"title":              {scope: allImports, accepted: []string{`"Add contacts"`}, rejected: []string{`null`}},
		"allowInvalidSubmit": {scope: allImports, accepted: []string{`true`, `false`}, rejected: []string{`"yes"`}},
		"invalidDataBehavior": {scope: allImports,
			accepted: []string{`"BLOCK_SUBMIT"`, `"REMOVE_INVALID_ROWS"`, `"INCLUDE_INVALID_ROWS"`, `"INCLUDE_INVALID_ROWS_AND_VALUES"`},
			rejected: []string{`"IGNORE"`}},
		"backendSync":                {scope: browserImports, accepted: []string{`true`}, rejected: []string{`1`}},
		"backendSyncMode":            {scope: browserImports, accepted: []string{`"DISABLED"`, `"FULL_DATA"`, `"MAPPINGS_ONLY"`}, rejected: []string{`"ALL"`}},
		"manualInputDisabled":        {scope: browserImports, accepted: []string{`true`}, rejected: []string{`null`}},
		"manualInputOnly":            {scope: browserImports, accepted: []string{`true`}, rejected: []string{`"no"`}},
		"allowCustomFields":          {scope: allImports, accepted: []string{`true`}, rejected: []string{`0`}},
		"passThroughUnmappedColumns": {scope: allImports, accepted: []string{`true`}, rejected: []string{`[2]`}},
		"maxRecords":                 {scope: allImports, accepted: []string{`1`, `null`}, rejected: []string{`0`}},
		"developmentMode":            {scope: allImports, accepted: []string{`true`}, rejected: []string{`"on"`}},
		"displayEncoding":            {scope: browserImports, accepted: []string{`false`}, rejected: []string{`"utf-8"`}},
		"styleOverrides":             {scope: allImports, accepted: []string{`{"global": {"primaryTextColor": "#222"}}`}, rejected: []string{`"blue"`}},
		"maxFileSize":                {scope: allImports, accepted: []string{`1048576`}, rejected: []string{`0`, `1073741825`}},
		"webhookUrl":                 {scope: allImports, accepted: []string{`"https://example.org/done"`, `null`}, rejected: []string{`"/done"`, `"https://me:secret@example.org/"`}},
		"needsReviewWebhookUrl":      {scope: allImports, accepted: []string{`"https://example.org/review"`, `null`}, rejected: []string{`"ftp://example.org/"`}},
		"initialData": {scope: browserImports,
			accepted: []string{`[{"name": "Dan"}]`, `[["Dan", "dan@example.org"]]`, `null`}, rejected: []string{`["Dan"]`}},
	}
}
