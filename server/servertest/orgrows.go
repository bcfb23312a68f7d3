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

func (rows importsFaults) Select(ctx context.Context, f model.ImportFilter, limit int) ([]model.ImportRef, error) {
	return Get(rows.faults, "Imports.Select", func() ([]model.ImportRef, error) { return rows.ImportRows.Select(ctx, f, limit) })
}

func (rows outboxFaults) OfImport(ctx context.Context, importID string) ([]model.Delivery, error) {
	return Get(rows.faults, "Outbox.OfImport", func() ([]model.Delivery, error) { return rows.OutboxRows.OfImport(ctx, importID) })
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
