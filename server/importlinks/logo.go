package importlinks

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/server/auth"
	"github.com/intraydata/intray/server/model"
)

// logoTypes are the media types of logos and the bytes that their files begin with. SVG is not among
// them, because it can contain scripts.
var logoTypes = []struct {
	mediaType string
	matches   func(content []byte) bool
}{
	{"image/png", func(b []byte) bool { return bytes.HasPrefix(b, []byte("\x89PNG\r\n\x1a\n")) }},
	{"image/jpeg", func(b []byte) bool { return bytes.HasPrefix(b, []byte("\xff\xd8\xff")) }},
	{"image/webp", func(b []byte) bool {
		return len(b) > 12 && bytes.HasPrefix(b, []byte("RIFF")) && bytes.Equal(b[8:12], []byte("WEBP"))
	}},
}

// SetLogo stores or replaces the logo of a link. The content must be a PNG, JPEG or WebP image of at
// most MaxLogo bytes.
func (s *Service) SetLogo(ctx context.Context, org, id string, content []byte) (model.ImportLink, error) {
	if len(content) > MaxLogo {
		return model.ImportLink{}, model.NewError(model.TooLarge, "logo_too_large", intray.NewMessage("import_link.logo_too_large", intray.Params{"size": MaxLogo}))
	}
	sum := sha256.Sum256(content)
	logo := model.Logo{SHA256: hex.EncodeToString(sum[:]), Content: content}
	for _, one := range logoTypes {
		if one.matches(content) {
			logo.MediaType = one.mediaType
		}
	}
	if logo.MediaType == "" {
		return model.ImportLink{}, model.NewError(model.Invalid, "not_an_image", intray.NewMessage("import_link.not_an_image", nil))
	}
	return s.changeLogo(ctx, org, id, logo.SHA256, func(tx model.Tx) error { return tx.ImportLinks.SaveLogo(ctx, org, id, logo) })
}

// DeleteLogo deletes the logo of a link. A missing logo is not an error.
func (s *Service) DeleteLogo(ctx context.Context, org, id string) error {
	_, err := s.changeLogo(ctx, org, id, "", func(tx model.Tx) error { return tx.ImportLinks.DeleteLogo(ctx, org, id) })
	return err
}

func (s *Service) changeLogo(ctx context.Context, org, id, sum string, change func(tx model.Tx) error) (link model.ImportLink, err error) {
	err = s.env.Store.Update(ctx, func(tx model.Tx) error {
		if link, err = tx.ImportLinks.Get(ctx, org, id); err != nil {
			return model.DescribeNotFound(err, model.ImportLinkMissing)
		}
		if err := change(tx); err != nil {
			return err
		}
		link.LogoSHA256, link.Modified = sum, s.env.Now()
		return tx.ImportLinks.Save(ctx, link)
	})
	return link, err
}

// LogoToken returns a token that gives access to the logo of a link, or "" if it has none. A page
// needs it, because an image element cannot send the token of a session.
func (s *Service) LogoToken(link model.ImportLink) (string, error) {
	if link.LogoSHA256 == "" {
		return "", nil
	}
	return auth.SignGrant(s.logoKey, auth.Grant{Org: link.Org, ID: link.ID, What: link.LogoSHA256[:16]})
}

// Logo returns the logo of the link with the given id, to which the token must give access.
func (s *Service) Logo(ctx context.Context, id, token string) (model.Logo, error) {
	g, err := auth.VerifyGrant(ctx, s.env, s.logoKey, token, linkName)
	if err != nil {
		return model.Logo{}, err
	}
	if g.ID != id {
		return model.Logo{}, auth.AlteredError(linkName)
	}
	ctx = model.InOrg(ctx, g.Org)
	logo, err := model.Get(ctx, s.env.Store, func(tx model.Tx) (model.Logo, error) { return tx.ImportLinks.Logo(ctx, g.Org, g.ID) })
	if model.IsKind(err, model.NotFound) || err == nil && logo.SHA256[:16] != g.What {
		return model.Logo{}, model.NotFoundError(model.FileMissing)
	}
	return logo, err
}
