// Package gen makes the tables of package phone.
//
// A plan is the numbering plan of one calling code, shared by one region or
// more; a region is a country or territory by its two letters, or 001 for a
// plan that belongs to no country. A national number is what follows the calling
// code. The facts about a national number are told by its outcome: which regions
// take it for a number in general, which region it belongs to where it is valid,
// and how it is written.
//
// The facts come from the metadata of libphonenumber as the module
// github.com/nyaruka/phonenumbers carries them. Their patterns are turned into
// one graph of digits for each plan, at whose ends the outcomes stand. The
// package runs when the tables are made and in tests; no program imports it.
package gen

import (
	"fmt"
	"slices"

	"github.com/nyaruka/phonenumbers"
)

// worldRegion stands for a plan that belongs to no country.
const worldRegion = "001"

// plan is what the library knows of one calling code.
type plan struct {
	code int
	// regions begin with the main one, whose formats are those of the plan.
	regions []*phonenumbers.PhoneMetadata
}

// Tables gives the content of the file plans.bin.
func Tables() ([]byte, error) {
	plans, err := readPlans()
	if err != nil {
		return nil, err
	}
	t := newTables()
	for _, p := range plans {
		if err := t.add(p); err != nil {
			return nil, fmt.Errorf("make the plan of +%d: %w", p.code, err)
		}
	}
	return t.file()
}

// readPlans sorts the metadata by calling code.
func readPlans() ([]plan, error) {
	all, err := phonenumbers.MetadataCollection()
	if err != nil {
		return nil, fmt.Errorf("read the metadata: %w", err)
	}
	known := map[string]*phonenumbers.PhoneMetadata{}
	for _, m := range all.GetMetadata() {
		known[name(m.GetId(), int(m.GetCountryCode()))] = m
	}
	var plans []plan
	for code := range phonenumbers.GetSupportedCallingCodes() {
		p := plan{code: code}
		for _, region := range phonenumbers.GetRegionCodesForCountryCode(code) {
			m := known[name(region, code)]
			if m == nil {
				return nil, fmt.Errorf("region %s of +%d has no metadata", region, code)
			}
			p.regions = append(p.regions, m)
		}
		plans = append(plans, p)
	}
	slices.SortFunc(plans, func(a, b plan) int { return a.code - b.code })
	return plans, nil
}

func name(region string, code int) string {
	if region == worldRegion {
		return fmt.Sprint(region, code)
	}
	return region
}
