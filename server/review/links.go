package review

import (
	"context"
	"time"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/server/auth"
	"github.com/intraydata/intray/server/model"
)

// ReviewToken returns the token of the current review link of an import. It returns the same
// token each time. If the link has expired or was revoked, it returns "".
func (s *Service) ReviewToken(imp model.Import) (string, error) {
	grant := s.reviewGrant(imp)
	if s.env.Now().Unix() >= grant.Expires {
		return "", nil
	}
	return auth.SignGrant(s.reviewKey, grant)
}

// rehydrationPrefix is the prefix of the keys that RehydrationKey returns.
const rehydrationPrefix = "rh_"

// RehydrationKey returns a key with which an embedded importer opens the review of an import: the prefix,
// the id of the import, "_" and a token. It is valid as long as the review link. RehydrationKey returns a
// Conflict if the link has expired or was revoked.
func (s *Service) RehydrationKey(imp model.Import) (string, error) {
	grant := s.reviewGrant(imp)
	if s.env.Now().Unix() >= grant.Expires {
		return "", model.NewError(model.Conflict, "no_review_link", intray.NewMessage("review.no_valid_link", nil))
	}
	token, err := auth.SignGrant(s.rehydrationKey, grant)
	return rehydrationPrefix + imp.ID + "_" + token, err
}

// RenewReviewLink replaces the review link of an import with a new one, for the API key with
// the id licence. The previous link and all review sessions become invalid.
func (s *Service) RenewReviewLink(ctx context.Context, org, id, licence string) (model.Import, error) {
	return s.replaceReviewLink(ctx, org, id, licence, s.env.Now().Add(s.linkLife))
}

// RevokeReviewLink invalidates the review link of an import and all review sessions.
func (s *Service) RevokeReviewLink(ctx context.Context, org, id string) error {
	_, err := s.replaceReviewLink(ctx, org, id, "", s.env.Now().Add(-time.Second)) // expiry is rounded up to a second
	return err
}

func (s *Service) replaceReviewLink(ctx context.Context, org, id, licence string, expires time.Time) (imp model.Import, err error) {
	err = s.env.Store.Update(ctx, func(tx model.Tx) error {
		if imp, err = tx.Imports.Get(ctx, org, id); err != nil {
			return err
		}
		imp.Review = model.ReviewLink{Version: imp.Review.Version + 1, Expires: expires, Licence: licence}
		return tx.Imports.SetReviewLink(ctx, org, id, imp.Review)
	})
	return imp, model.DescribeNotFound(err, model.ImportMissing)
}

// ReviewExpiry returns the time when the review link of an import expires. Imports of earlier
// versions of Intray store no time; their link expires as if it had been created with them.
func (s *Service) ReviewExpiry(imp model.Import) time.Time {
	if imp.Review.Expires.IsZero() {
		return imp.Created.Add(s.linkLife)
	}
	return imp.Review.Expires
}

func (s *Service) reviewGrant(imp model.Import) auth.Grant {
	return auth.Grant{
		Org: imp.Org, ID: imp.ID, Expires: auth.ExpiryUnix(s.ReviewExpiry(imp)), Licence: imp.Review.Licence, Version: imp.Review.Version,
	}
}
