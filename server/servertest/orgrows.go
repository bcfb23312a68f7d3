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

type orgDataFaults struct {
	model.OrgDataRows
	faults *Faults
}

func (rows orgDataFaults) Imports(ctx context.Context, org string, limit int) ([]string, error) {
	return Get(rows.faults, "OrgData.Imports", func() ([]string, error) { return rows.OrgDataRows.Imports(ctx, org, limit) })
}

func (rows orgDataFaults) Sessions(ctx context.Context, org string, limit int) ([]string, error) {
	return Get(rows.faults, "OrgData.Sessions", func() ([]string, error) { return rows.OrgDataRows.Sessions(ctx, org, limit) })
}

func (rows orgDataFaults) DeleteRows(ctx context.Context, org string, limit int) (int64, error) {
	return Get(rows.faults, "OrgData.DeleteRows", func() (int64, error) { return rows.OrgDataRows.DeleteRows(ctx, org, limit) })
}

func (rows orgDataFaults) DeleteOrg(ctx context.Context, org string) error {
	return Call(rows.faults, "OrgData.DeleteOrg", func() error { return rows.OrgDataRows.DeleteOrg(ctx, org) })
}
