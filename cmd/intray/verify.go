package main

import (
	"cmp"
	"context"
	"fmt"
	"io"

	"github.com/intraydata/intray/server"
	"github.com/intraydata/intray/server/integrity"
	"github.com/intraydata/intray/server/service"
)

type verifyCommand struct {
	storeFlags
	listFlags
	Repair bool `help:"Rebuild damaged results and rows from the received files."`
}

// Help returns the text that --help prints after the flags.
func (verifyCommand) Help() string {
	return `Reads all stored files and compares them with the checksums in the database. With
SQLite, it also checks the database. A server may be running at the same time.

A damaged result is rebuilt from the staged rows, and damaged rows are rebuilt from
the received file. A received file cannot be rebuilt: restore it from a backup.

The exit status is 1 if damage remains.`
}

// verified is the JSON form of the result.
type verified struct {
	Imports  int64           `json:"imports"`
	Files    int64           `json:"files"`
	Bytes    int64           `json:"bytes"`
	Damaged  int64           `json:"damaged"`
	Repaired int64           `json:"repaired"`
	Damage   []verifiedEntry `json:"damage"`
}

// verifiedEntry is the JSON form of a damaged file. Part is "" for damage in the database.
type verifiedEntry struct {
	Org         string `json:"organization"`
	Import      string `json:"import"`
	Part        string `json:"part"`
	Key         string `json:"key"`
	Cause       string `json:"cause"`
	Repaired    bool   `json:"repaired"`
	RepairError string `json:"repairError"`
}

// Run verifies all stored files.
func (c *verifyCommand) Run(ctx context.Context, s streams) error {
	return c.runAdmin(ctx, s, server.OpenExisting, func(svc *service.Service) error {
		list := verified{Damage: []verifiedEntry{}}
		shown := newStatusLine(s.err)
		sum, err := svc.Verify(ctx, integrity.Options{
			Repair:   c.Repair,
			Report:   list.add,
			Progress: func(sum integrity.Summary) { shown.show("%s verified", pluralize(sum.Imports, "import")) },
		})
		shown.clear()
		if err != nil {
			return err
		}
		list.setSummary(sum)
		if err := c.write(s.out, list, list.writeText); err != nil {
			return err
		}
		return list.result(c.Repair)
	})
}

func (v *verified) add(d integrity.Damage) {
	v.Damage = append(v.Damage, verifiedEntry{d.Org, d.Import, string(d.Part), d.Key, d.Cause, d.Repaired, d.RepairError})
}

func (v *verified) setSummary(sum integrity.Summary) {
	v.Imports, v.Files, v.Bytes, v.Damaged, v.Repaired = sum.Imports, sum.Files, sum.Bytes, sum.Damaged, sum.Repaired
}

func (v verified) writeText(w io.Writer) error {
	for _, d := range v.Damage {
		if d.Import == "" {
			fmt.Fprintf(w, "database: %s\n", visible(d.Cause))
			continue
		}
		fmt.Fprintf(w, "import %s, %s: %s\n", d.Import, cmp.Or(map[string]string{"original": "received file"}[d.Part], d.Part), visible(d.Cause))
		switch {
		case d.Repaired:
			fmt.Fprintln(w, "  repaired")
		case d.RepairError != "":
			fmt.Fprintf(w, "  not repaired: %s\n", visible(d.RepairError))
		}
	}
	_, err := fmt.Fprintf(w, "Verified %s of %s: %s.\n", pluralize(v.Files, "file"), pluralize(v.Imports, "import"), v.findings())
	return err
}

func (v verified) findings() string {
	switch {
	case v.Damaged == 0:
		return "no damage found"
	case v.Repaired == 0:
		return pluralize(v.Damaged, "problem")
	}
	return fmt.Sprintf("%s, %d repaired", pluralize(v.Damaged, "problem"), v.Repaired)
}

// result returns an error if damage remains.
func (v verified) result(repair bool) error {
	left := v.Damaged - v.Repaired
	switch {
	case left == 0:
		return nil
	case repair:
		return fmt.Errorf("%s could not be repaired; restore the data from a backup", pluralize(left, "problem"))
	}
	return fmt.Errorf("%s found; run intray verify --repair, and restore what it cannot repair from a backup", pluralize(left, "problem"))
}
