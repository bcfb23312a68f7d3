package model

import (
	"context"
	"encoding/json"
	"time"

	"github.com/intraydata/intray"
)

// ImportLink is a public link through which people send files for a saved schema. Everybody who
// knows the link, and its password if it has one, can create imports until the link expires or is
// used up. Deleting a link revokes it; the imports that were created through it remain.
type ImportLink struct {
	ID       string
	Org      string
	SchemaID string
	// Name is for the organization. The people who use the link do not see it.
	Name string
	// Page is a JSON object with the texts and the color of the page. See schema.PageShape.
	Page json.RawMessage
	// Expires is zero if the link does not expire.
	Expires time.Time
	// MaxUses is the maximum number of imports, or 0 if there is no limit. Uses is the number of
	// imports that were created and did not fail.
	MaxUses, Uses int64
	// MaxBytes is the maximum total size of the received files, or 0 if there is no limit. Bytes is
	// the total size so far, including files of failed imports.
	MaxBytes, Bytes int64
	// Password is the bcrypt hash of the password, or nil if there is none.
	Password []byte
	// Version increases when the password changes, which ends the sessions of the link.
	Version int
	// HasUser reports whether User describes the person for whom files are imported.
	HasUser bool
	User    User
	// LogoSHA256 is the hash of the logo in hexadecimal, or "" if there is none.
	LogoSHA256 string
	Created    time.Time
	Modified   time.Time
}

// LinkStatus is the status of an import link. It is computed, not stored.
type LinkStatus string

// The statuses of an import link.
const (
	LinkActive  LinkStatus = "ACTIVE"
	LinkExpired LinkStatus = "EXPIRED"
	// LinkUsedUp means that the link has reached its maximum number of imports or bytes.
	LinkUsedUp LinkStatus = "USED_UP"
)

// StatusAt returns the status of the link at a point in time.
func (l ImportLink) StatusAt(now time.Time) LinkStatus {
	switch {
	case !l.Expires.IsZero() && !now.Before(l.Expires):
		return LinkExpired
	case l.MaxUses > 0 && l.Uses >= l.MaxUses, l.MaxBytes > 0 && l.Bytes >= l.MaxBytes:
		return LinkUsedUp
	}
	return LinkActive
}

// Logo is an image of an organization that is shown on the page of an import link.
type Logo struct {
	// MediaType is image/png, image/jpeg or image/webp.
	MediaType string
	SHA256    string
	Content   []byte
}

// LinkUsedUpError returns the error for an import link that has reached one of its limits.
func LinkUsedUpError() *Error {
	return NewError(Conflict, "link_used_up", intray.NewMessage("import_link.used_up", nil))
}

// CountLinkUse counts a received file of the given size for the link through which an import was
// created, if there is one. It returns the same errors as CheckLinkUse.
func (e *Env) CountLinkUse(ctx context.Context, tx Tx, imp Import, size int64) error {
	link, err := e.CheckLinkUse(ctx, tx, imp, size)
	if err != nil || imp.LinkID == "" {
		return err
	}
	link.Uses++
	link.Bytes += size
	return tx.ImportLinks.Save(ctx, link)
}

// CheckLinkUse returns the link through which an import was created, or a zero value if there is
// none. It returns a Conflict if the link does not allow another file of the given size, and a
// Denied error if the link was revoked or has expired.
func (e *Env) CheckLinkUse(ctx context.Context, tx Tx, imp Import, size int64) (ImportLink, error) {
	if imp.LinkID == "" {
		return ImportLink{}, nil
	}
	link, err := tx.ImportLinks.Get(ctx, imp.Org, imp.LinkID)
	name := intray.NewMessage("link.import_link", nil)
	switch now := e.Now(); {
	case IsKind(err, NotFound):
		return link, NewError(Denied, "revoked", intray.NewMessage("link.revoked", intray.Params{"link": name}))
	case err != nil:
		return link, err
	case link.StatusAt(now) == LinkExpired:
		return link, NewError(Denied, "expired", intray.NewMessage("link.expired", intray.Params{"link": name}))
	case link.MaxUses > 0 && link.Uses >= link.MaxUses, link.MaxBytes > 0 && link.Bytes+size > link.MaxBytes:
		return link, LinkUsedUpError()
	}
	return link, nil
}

// ReturnLinkUse lets the link through which an import was created be used once more, because the
// import has failed or was deleted before it ended. The bytes still count.
func ReturnLinkUse(ctx context.Context, tx Tx, imp Import) error {
	if imp.LinkID == "" {
		return nil
	}
	link, err := tx.ImportLinks.Get(ctx, imp.Org, imp.LinkID)
	if err != nil {
		return IgnoreKind(err, NotFound)
	}
	link.Uses = max(0, link.Uses-1)
	return tx.ImportLinks.Save(ctx, link)
}
