package wire

import "encoding/json"

// ImportLink is a public link through which people send files.
type ImportLink struct {
	_              struct{}        `doc:"A public link through which people send files."`
	ID             string          `json:"id" schema:"uuid" doc:"Id of the link."`
	SchemaID       string          `json:"schema_id" schema:"uuid" doc:"The saved schema of the imports."`
	Name           string          `json:"name" doc:"For the organization. The people who use the link do not see it."`
	URL            string          `json:"url" schema:"uri" doc:"The address to send to people. Whoever knows it can send files."`
	Status         string          `json:"status" schema:"link_status" doc:"USED_UP means that one of the limits was reached."`
	Page           json.RawMessage `json:"page" schema:"page"`
	ExpiresAt      *string         `json:"expires_at" schema:"time" doc:"null means never."`
	MaxUses        *int64          `json:"max_uses" doc:"null means no limit."`
	Uses           int64           `json:"uses" doc:"Number of received files, without those whose import failed or was deleted before it ended."`
	MaxBytes       *int64          `json:"max_bytes" doc:"null means no limit."`
	BytesReceived  int64           `json:"bytes_received" doc:"Total size of the received files, including those of failed imports."`
	HasPassword    bool            `json:"has_password"`
	HasLogo        bool            `json:"has_logo"`
	ImportMetadata *ImportMetadata `json:"import_metadata"`
	CreatedDate    string          `json:"created_date" schema:"time"`
	ModifiedDate   string          `json:"modified_date" schema:"time"`
}

// ImportMetadata is the import_metadata of an import or an import link.
type ImportMetadata struct {
	User *User `json:"user"`
}

// LinkPage is the content of the page of an import link.
type LinkPage struct {
	_           struct{}       `doc:"What the page of an import link shows."`
	Session     string         `json:"session,omitempty" doc:"The token of the session, valid for 12 hours. Only in the response to opening the link."`
	LinkID      string         `json:"linkId" schema:"uuid"`
	Title       string         `json:"title"`
	Text        string         `json:"text"`
	Company     string         `json:"company"`
	Contact     string         `json:"contact"`
	AccentColor string         `json:"accentColor"`
	ReturnURL   string         `json:"returnUrl"`
	LogoURL     string         `json:"logoUrl" doc:"Empty if there is no logo."`
	MaxFileSize int64          `json:"maxFileSize" doc:"In bytes."`
	ManualInput string         `json:"manualInput" schema:"manual_input" doc:"Whether people can, must or must not type the rows."`
	Styles      map[string]any `json:"styleOverrides" doc:"As in the settings of the schema."`
	Fields      []LinkField    `json:"fields"`
}

// LinkField is an expected field, as the page of an import link describes it.
type LinkField struct {
	Key          string            `json:"key"`
	Label        string            `json:"label"`
	Labels       map[string]string `json:"labels" doc:"The label in other languages, by language tag."`
	Description  string            `json:"description"`
	Descriptions map[string]string `json:"descriptions" doc:"The description in other languages, by language tag."`
	Type         string            `json:"type"`
	Required     bool              `json:"required"`
	Unique       bool              `json:"unique"`
	Example      string            `json:"example" doc:"A value that the field accepts. Empty if there is none."`
	Options      []ReviewOption    `json:"options,omitempty" doc:"For select and multi-select."`
}

// StartedImport is an import that was created through an import link.
type StartedImport struct {
	ID           string `json:"id" schema:"uuid" doc:"Id of the import."`
	Upload       string `json:"upload" schema:"uri" doc:"Signed URL for uploading the file: one PUT with the bytes. Valid for 1,800 seconds."`
	DirectUpload string `json:"directUpload,omitempty" schema:"uri" doc:"Signed URL of createDirectUpload. Only if the server allows direct uploads to the bucket."`
	ReviewToken  string `json:"reviewToken" doc:"Opens the review of the import, like the fragment of a review link."`
}
