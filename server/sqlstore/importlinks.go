package sqlstore

import (
	"context"

	"github.com/intraydata/intray/server/model"
)

type importLinkRows struct{ ownedRows[model.ImportLink] }

var importLinks = newTable("import_links", "import link", 3, func(to *columns, l *model.ImportLink) {
	to.add("id", &l.ID, "org", &l.Org, "created", micros{&l.Created},
		"modified", micros{&l.Modified}, "schema_id", &l.SchemaID, "name", &l.Name, "page", rawJSON{&l.Page}, "expires", micros{&l.Expires},
		"max_uses", &l.MaxUses, "uses", &l.Uses, "max_bytes", &l.MaxBytes, "bytes", &l.Bytes, "password", nullableBytes{&l.Password},
		"version", &l.Version, "has_user", &l.HasUser, "person", asJSON{&l.User}, "logo_sha256", &l.LogoSHA256)
})

func (r importLinkRows) Find(ctx context.Context, id string) (model.ImportLink, error) {
	return importLinks.one(ctx, r.txn, ` WHERE id = $1`, id)
}

var importLinkList = listing[model.ImportLink]{
	table:    importLinks,
	query:    listQuery{where: ` WHERE org = $1`, order: []string{"created", "id"}},
	position: func(l model.ImportLink) []any { return []any{toMicros(l.Created), l.ID} },
}

func (r importLinkRows) List(ctx context.Context, org string, page model.PageRequest) (model.Page[model.ImportLink], error) {
	return importLinkList.page(ctx, r.txn, page, org)
}

const logoOfLink = ` WHERE org = $1 AND link_id = $2`

func (r importLinkRows) Logo(ctx context.Context, org, id string) (model.Logo, error) {
	cells := func(l *model.Logo) []any { return []any{&l.MediaType, &l.SHA256, nullableBytes{&l.Content}} }
	return queryOne(ctx, r.txn, "logo", cells, `SELECT media, sha256, content FROM import_link_logos`+logoOfLink, org, id)
}

func (r importLinkRows) SaveLogo(ctx context.Context, org, id string, logo model.Logo) error {
	if err := r.DeleteLogo(ctx, org, id); err != nil {
		return err
	}
	_, err := r.exec(ctx, "save logo", `INSERT INTO import_link_logos (org, link_id, media, sha256, content) VALUES (`+placeholders(5)+`)`,
		org, id, logo.MediaType, logo.SHA256, logo.Content)
	return err
}

func (r importLinkRows) DeleteLogo(ctx context.Context, org, id string) error {
	_, err := r.exec(ctx, "delete logo", `DELETE FROM import_link_logos`+logoOfLink, org, id)
	return err
}
