package servertest

import (
	"context"

	"github.com/intraydata/intray/server/model"
)

func (rows accountsFaults) SpecialOrgs(ctx context.Context) ([]model.Org, error) {
	return Get(rows.faults, "Accounts.SpecialOrgs", func() ([]model.Org, error) { return rows.AccountRows.SpecialOrgs(ctx) })
}

func (rows accountsFaults) SetOrgLimits(ctx context.Context, id string, limits map[model.Quota]int64) error {
	return Call(rows.faults, "Accounts.SetOrgLimits", func() error { return rows.AccountRows.SetOrgLimits(ctx, id, limits) })
}

func (rows accountsFaults) SetOrgState(ctx context.Context, id string, state model.OrgState) error {
	return Call(rows.faults, "Accounts.SetOrgState", func() error { return rows.AccountRows.SetOrgState(ctx, id, state) })
}
