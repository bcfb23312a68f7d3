package api

import (
	"time"

	"github.com/intraydata/intray/internal/service"
)

// stamp is a time as the wire has it: UTC, microseconds, Z.
func stamp(t time.Time) string { return t.UTC().Format("2006-01-02T15:04:05.000000Z") }

// page is a list of which a part is shown.
type page struct {
	Count    int64   `json:"count"`
	Next     *string `json:"next"`
	Previous *string `json:"previous"`
	Results  any     `json:"results"`
}

// user is a person as answers tell of one.
type user struct {
	ID          string `json:"id"`
	Name        string `json:"name"`
	Email       string `json:"email"`
	CompanyID   string `json:"companyId"`
	CompanyName string `json:"companyName"`
}

func wireUser(u service.User) user {
	return user{u.ID, u.Name, u.Email, u.CompanyID, u.CompanyName}
}

// presigned is the address of a file.
type presigned struct {
	URL string `json:"presigned_url"`
}
