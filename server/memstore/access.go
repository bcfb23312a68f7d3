package memstore

import (
	"bytes"
	"cmp"
	"context"
	"time"

	"github.com/intraydata/intray/server/model"
)

// orgRow is an organization and the time when it was last served by a claim, in microseconds.
type orgRow struct {
	model.Org
	Served int64
}

type accountRows struct{ *txn }

func orgOrder(a, b orgRow) int {
	return cmp.Or(a.Created.Compare(b.Created), cmp.Compare(a.ID, b.ID))
}

func (r accountRows) InsertOrg(_ context.Context, org model.Org) error {
	if r.orgs.count(func(o orgRow) bool { return o.Name == org.Name }) > 0 {
		return alreadyExists()
	}
	org.Limits, org.State = nil, model.OrgActive
	return r.orgs.insert(r.txn, org.ID, orgRow{Org: org})
}

func (r accountRows) OrgByName(_ context.Context, name string) (model.Org, error) {
	for _, row := range r.orgs.find(func(o orgRow) bool { return o.Name == name }, orgOrder, 0, 1) {
		return row.Org, nil
	}
	return model.Org{}, notFound()
}

func (r accountRows) Orgs(context.Context) (list []model.Org, err error) {
	for _, row := range r.orgs.find(anyRow, orgOrder, 0, -1) {
		list = append(list, row.Org)
	}
	return list, nil
}

func (r accountRows) SpecialOrgs(context.Context) (list []model.Org, err error) {
	for _, row := range r.orgs.find(func(o orgRow) bool { return len(o.Limits) > 0 || o.State != model.OrgActive }, orgOrder, 0, -1) {
		list = append(list, row.Org)
	}
	return list, nil
}

func (r accountRows) SetOrgLimits(_ context.Context, id string, limits map[model.Quota]int64) error {
	if len(limits) == 0 {
		limits = nil
	}
	return r.orgs.change(r.txn, id, anyRow, func(o *orgRow) { o.Limits = limits })
}

func (r accountRows) SetOrgState(_ context.Context, id string, state model.OrgState) error {
	return r.orgs.change(r.txn, id, anyRow, func(o *orgRow) { o.State = state })
}

func (r accountRows) InsertLicence(_ context.Context, l model.Licence) error {
	if err := r.checkOrg(l.Org); err != nil {
		return err
	}
	if r.licences.count(func(o model.Licence) bool { return bytes.Equal(o.Hash, l.Hash) }) > 0 {
		return alreadyExists()
	}
	return r.licences.insert(r.txn, l.ID, l)
}

var licenceOrder = byTime(func(l model.Licence) time.Time { return l.Created }, func(l model.Licence) string { return l.ID })

func (r accountRows) LicenceByHash(_ context.Context, hash []byte) (model.Licence, error) {
	for _, row := range r.licences.find(func(l model.Licence) bool { return bytes.Equal(l.Hash, hash) }, licenceOrder, 0, 1) {
		return row, nil
	}
	return model.Licence{}, notFound()
}

func (r accountRows) Licence(_ context.Context, id string) (model.Licence, error) {
	return r.licences.get(id, anyRow)
}

func (r accountRows) SetLicenceUsed(_ context.Context, id string, at time.Time) error {
	return r.licences.change(r.txn, id, anyRow, func(l *model.Licence) { l.Used = at })
}

func (r accountRows) Licences(context.Context) ([]model.Licence, error) {
	return r.licences.find(anyRow, licenceOrder, 0, -1), nil
}

func (r accountRows) SetOrigins(_ context.Context, id string, origins model.Origins) error {
	return r.licences.change(r.txn, id, anyRow, func(l *model.Licence) { l.Origins = origins })
}

func (r accountRows) RevokeLicence(_ context.Context, id string, at time.Time) error {
	return r.licences.change(r.txn, id, anyRow, func(l *model.Licence) {
		if l.Revoked.IsZero() {
			l.Revoked = at
		}
	})
}

// sessionRow is a session and its state.
type sessionRow struct {
	model.Session
	State []byte
}

type sessionRows struct{ *txn }

func (r sessionRows) owned() ownedRows[sessionRow] {
	return ownedRows[sessionRow]{r.txn, &r.sessions, func(s sessionRow) owner { return owner{s.Org, s.ID} }}
}

func (r sessionRows) Insert(_ context.Context, s model.Session) error {
	return r.owned().insert(sessionRow{Session: s})
}

func (r sessionRows) Get(_ context.Context, org, id string) (model.Session, error) {
	row, err := r.owned().get(org, id)
	return row.Session, err
}

func (r sessionRows) LoadState(_ context.Context, org, id string) ([]byte, error) {
	row, err := r.owned().get(org, id)
	return row.State, err
}

func keepSession(stored sessionRow, row *sessionRow) {
	row.ID, row.Org, row.ImportIdentifier, row.Created = stored.ID, stored.Org, stored.ImportIdentifier, stored.Created
}

func (r sessionRows) Save(_ context.Context, s model.Session) error {
	return r.owned().save(sessionRow{Session: s}, func(stored sessionRow, row *sessionRow) {
		keepSession(stored, row)
		row.State = stored.State
	})
}

func (r sessionRows) SaveState(_ context.Context, s model.Session, state []byte) error {
	return r.owned().save(sessionRow{s, state}, keepSession)
}

func (r sessionRows) Delete(_ context.Context, org, id string) error {
	return r.owned().delete(org, id)
}

func (r sessionRows) ListStale(_ context.Context, t time.Time, limit int) (list []model.Session, err error) {
	order := byTime(func(s sessionRow) time.Time { return s.Saved }, func(s sessionRow) string { return s.ID })
	for _, row := range r.sessions.find(func(s sessionRow) bool { return s.Saved.Before(t) }, order, 0, max(int64(limit), 0)) {
		list = append(list, row.Session)
	}
	return list, nil
}

type replayRows struct{ *txn }

func replayKey(r model.Replay) [2]string { return [2]string{r.Org, r.Key} }

func (r replayRows) Insert(_ context.Context, replay model.Replay) error {
	if err := r.checkOrg(replay.Org); err != nil {
		return err
	}
	return r.replays.insert(r.txn, replayKey(replay), replay)
}

func (r replayRows) Get(_ context.Context, org, key string) (model.Replay, error) {
	return r.replays.get([2]string{org, key}, anyRow)
}

func (r replayRows) Save(_ context.Context, replay model.Replay) error {
	return r.replays.change(r.txn, replayKey(replay), anyRow, func(stored *model.Replay) { *stored = replay })
}

func (r replayRows) DeleteBefore(_ context.Context, t time.Time, limit int) (int64, error) {
	order := byTime(func(r model.Replay) time.Time { return r.Created }, func(r model.Replay) string { return r.Org + " " + r.Key })
	keys, err := r.replays.removeWhere(r.txn, func(r model.Replay) bool { return r.Created.Before(t) }, order, max(limit, 0), replayKey)
	return int64(len(keys)), err
}

type rateRows struct{ *txn }

// rateRow is a count of events.
type rateRow struct {
	Name   string
	Minute time.Time
	Events int64
}

func rateKey(r rateRow) [2]string { return [2]string{r.Name, r.Minute.UTC().String()} }

func (r rateRows) Add(_ context.Context, name string, minute time.Time, n int64) (int64, error) {
	row := rateRow{Name: name, Minute: minute}
	row.Events = r.rates.byKey[rateKey(row)].Events + n
	return row.Events, r.rates.put(r.txn, rateKey(row), row)
}

func (r rateRows) DeleteBefore(_ context.Context, t time.Time, limit int) (int64, error) {
	order := byTime(func(r rateRow) time.Time { return r.Minute }, func(r rateRow) string { return r.Name })
	keys, err := r.rates.removeWhere(r.txn, func(r rateRow) bool { return r.Minute.Before(t) }, order, max(limit, 0), rateKey)
	return int64(len(keys)), err
}
