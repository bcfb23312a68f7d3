package webhook

import (
	"encoding/json"
	"time"

	"github.com/intraydata/intray"
)

// stamp is a time as the wire has it: UTC, microseconds, Z.
func stamp(t time.Time) string { return t.UTC().Format("2006-01-02T15:04:05.000000Z") }

// orNull is null on the wire for the empty text.
func orNull(text string) *string {
	if text == "" {
		return nil
	}
	return &text
}

type wireImport struct {
	ID              string          `json:"id"`
	Filename        *string         `json:"filename"`
	User            *wireUser       `json:"user"`
	CreatedDate     string          `json:"created_date"`
	ImportType      string          `json:"import_type"`
	Status          string          `json:"status"`
	NumDataRows     int64           `json:"num_data_rows"`
	DevelopmentMode bool            `json:"development_mode"`
	HasData         bool            `json:"has_data"`
	Headless        json.RawMessage `json:"headless,omitempty"`
}

type wireUser struct {
	ID          *string `json:"id"`
	Name        *string `json:"name"`
	Email       *string `json:"email"`
	CompanyID   *string `json:"company_id"`
	CompanyName *string `json:"company_name"`
}

func wireOf(u *User) *wireUser {
	if u == nil {
		return nil
	}
	return &wireUser{orNull(u.ID), orNull(u.Name), orNull(u.Email), orNull(u.CompanyID), orNull(u.CompanyName)}
}

type wireDisabled struct {
	ID           string `json:"id"`
	URL          string `json:"url"`
	DisabledDate string `json:"disabled_date"`
	FailingSince string `json:"failing_since"`
	NumFailures  int    `json:"num_failures"`
	LastFailure  string `json:"last_failure"`
	// The code and parameters of the sentence, for other languages.
	LastFailureCode   string          `json:"last_failure_code,omitempty"`
	LastFailureParams json.RawMessage `json:"last_failure_params,omitempty"`
}

// paramsOf are the parameters of a message with a code.
func paramsOf(m intray.Message) json.RawMessage {
	if m.Code == "" {
		return nil
	}
	return m.RawParams()
}
