package wire

// WidgetSetup is what the widget needs to show an importer.
type WidgetSetup struct {
	_           struct{}       `doc:"What the widget needs to show an importer."`
	Session     string         `json:"session" doc:"The token of the session, valid for 12 hours."`
	Title       string         `json:"title" doc:"The title in the settings of the schema. May be empty."`
	MaxFileSize int64          `json:"maxFileSize" doc:"In bytes."`
	ManualInput string         `json:"manualInput" schema:"manual_input" doc:"Whether people can, must or must not type the rows."`
	SyncMode    string         `json:"syncMode" schema:"sync_mode" doc:"What remains on the server after the rows were handed over."`
	Settings    map[string]any `json:"settings" doc:"The merged settings, without URLs."`
	Styles      map[string]any `json:"styleOverrides" doc:"As in the settings of the schema."`
	Fields      []LinkField    `json:"fields"`
	Saved       *SavedImport   `json:"saved" doc:"The import that the session of the hydration token keeps."`
}

// SavedImport is an import that a session keeps.
type SavedImport struct {
	_ struct{} `doc:"An import that a person can continue."`
	StartedImport
	Filename string `json:"originalFilename" doc:"Empty if the page provided the rows."`
	Step     string `json:"step" doc:"The step in which the person was: table, columns, cells or confirm. Empty if it was not recorded."`
}

// PageHookCall is a call to hooks of the page that embeds an importer.
type PageHookCall struct {
	_       struct{} `doc:"A call to hooks of the page that embeds an importer."`
	Call    int64    `json:"call" doc:"Identifies the call. 0 if there is none."`
	Content string   `json:"content" doc:"The call as JSON."`
}

// ReviewMetadata describes the rows that a review hands over.
type ReviewMetadata struct {
	_ struct{} `doc:"Describes the rows of a review."`
	ResultMetadata
	Errors []Notice `json:"errors" doc:"The problems of cells and rows, at most 1,000."`
}
