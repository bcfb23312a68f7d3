package store

import (
	"context"
	"iter"
	"math"

	"github.com/intraydata/intray/internal/service"
)

type uploads struct{ *txn }

// The account is kept twice: whole, and the part that lists tell, so that a
// list need not read the whole.
const (
	uploadFixed = "id, org, import_id, import_identifier, created"
	uploadSaved = "filename, person, raw_key, raw_size, raw_sha256, result_key, result_size, result_sha256, " +
		"status, total_rows, field_order"
)

func uploadCells(u *service.Upload) []any {
	return append([]any{&u.ID, &u.Org, &u.ImportID, &u.ImportIdentifier, micros{&u.Created}},
		uploadSavedCells(u)...)
}

func uploadSavedCells(u *service.Upload) []any {
	return []any{&u.Filename, asJSON{&u.User}, &u.Raw.Key, &u.Raw.Size, &u.Raw.SHA256,
		&u.Result.Key, &u.Result.Size, &u.Result.SHA256,
		&u.Status, &u.TotalRows, asJSON{&u.FieldOrder}}
}

// uploadRow reads an upload with either of its accounts.
func uploadRow(u *service.Upload) []any { return append(uploadCells(u), asJSON{&u.Account}) }

// bothAccounts writes them.
func bothAccounts(u *service.Upload) []any {
	listed := u.Account.Listed()
	return []any{asJSON{&listed}, asJSON{&u.Account}}
}

func (r uploads) Insert(ctx context.Context, u service.Upload) error {
	return r.insert(ctx, "upload", "uploads", uploadFixed+", "+uploadSaved+", listed, account",
		append(uploadCells(&u), bothAccounts(&u)...)...)
}

func (r uploads) Get(ctx context.Context, org, id string) (service.Upload, error) {
	return one(ctx, r.txn, "upload", uploadRow,
		`SELECT `+uploadFixed+", "+uploadSaved+`, account FROM uploads WHERE org = $1 AND id = $2`, org, id)
}

func (r uploads) Save(ctx context.Context, u service.Upload) error {
	args := append([]any{u.Org, u.ID}, uploadSavedCells(&u)...)
	return r.touch(ctx, "upload",
		`UPDATE uploads SET `+assign(uploadSaved+", listed, account", 3)+` WHERE org = $1 AND id = $2`,
		append(args, bothAccounts(&u)...)...)
}

func (r uploads) Delete(ctx context.Context, org, id string) error {
	return r.touch(ctx, "upload", `DELETE FROM uploads WHERE org = $1 AND id = $2`, org, id)
}

// uploadsListed are the rows that a filter leaves.
const uploadsListed = ` FROM uploads WHERE org = $1 AND status = 'PROCESSED' AND created >= $2 AND created <= $3`

func bounds(f service.UploadFilter) (from, to int64) {
	from, to = math.MinInt64, math.MaxInt64
	if !f.From.IsZero() {
		from = f.From.UnixMicro()
	}
	if !f.To.IsZero() {
		to = f.To.UnixMicro()
	}
	return from, to
}

func (r uploads) Count(ctx context.Context, org string, f service.UploadFilter) (int64, error) {
	from, to := bounds(f)
	return r.count(ctx, "upload", `SELECT count(*)`+uploadsListed, org, from, to)
}

func (r uploads) Processed(ctx context.Context, org string, f service.UploadFilter, start, end int64) iter.Seq2[service.Upload, error] {
	from, to := bounds(f)
	start = max(start, 0)
	return stream(ctx, r.txn, "upload", uploadRow,
		`SELECT `+uploadFixed+", "+uploadSaved+`, listed`+uploadsListed+`
		ORDER BY created DESC, id DESC LIMIT $4 OFFSET $5`, org, from, to, max(end-start, 0), start)
}
