// Command phonegen generates the tables of package celltype/phone.
//
//	go run ./phonegen FOLDER
//
// It writes plans.bin, which the package embeds, and testdata/regions.tsv, which lists the
// regions and their prefixes for the package's tests.
//
// A plan is the numbering plan of one calling code, used by one or more regions. A region
// is the two-letter code of a country or territory, or 001 for a plan that belongs to no
// country. A national number is a phone number without its calling code. The outcome of a
// national number consists of the regions whose general pattern it matches, the region that
// it belongs to if it is valid, and its format.
//
// The data comes from the libphonenumber metadata in the module
// github.com/nyaruka/phonenumbers. The program turns the patterns of each plan into a graph
// of digits whose final nodes contain the outcomes.
package main

import (
	"encoding/binary"
	"fmt"
	"log"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/nyaruka/phonenumbers"
)

func main() {
	if len(os.Args) != 2 {
		log.Fatal("usage: phonegen FOLDER")
	}
	if err := writeFiles(os.Args[1]); err != nil {
		log.Fatal(err)
	}
}

// writeFiles writes the generated files into the folder of package phone.
func writeFiles(folder string) error {
	tables, err := encodeTables()
	if err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(folder, "plans.bin"), tables, 0o644); err != nil {
		return err
	}
	regions, err := listRegions()
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(folder, "testdata", "regions.tsv"), []byte(regions), 0o644)
}

// worldRegion is the region of plans that belong to no country.
const worldRegion = "001"

// plan is the metadata of one calling code.
type plan struct {
	code int
	// regions starts with the main region, whose formats apply to the whole plan.
	regions []*phonenumbers.PhoneMetadata
}

// encodeTables returns the content of plans.bin.
func encodeTables() ([]byte, error) {
	plans, err := readPlans()
	if err != nil {
		return nil, err
	}
	t := newTables()
	for _, p := range plans {
		if err := t.addPlan(p); err != nil {
			return nil, fmt.Errorf("build plan of +%d: %w", p.code, err)
		}
	}
	return t.encode()
}

// readPlans returns the metadata of all plans, sorted by calling code.
func readPlans() ([]plan, error) {
	all, err := phonenumbers.MetadataCollection()
	if err != nil {
		return nil, fmt.Errorf("read metadata: %w", err)
	}
	known := map[string]*phonenumbers.PhoneMetadata{}
	for _, m := range all.GetMetadata() {
		known[regionKey(m.GetId(), int(m.GetCountryCode()))] = m
	}
	var plans []plan
	for code := range phonenumbers.GetSupportedCallingCodes() {
		p := plan{code: code}
		for _, region := range phonenumbers.GetRegionCodesForCountryCode(code) {
			m := known[regionKey(region, code)]
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

// listRegions returns a line for each region of each plan, starting with the plan's main
// region. A line has four fields, separated by tabs: the region, its calling code, and the
// regular expressions of its international and national prefixes.
func listRegions() (string, error) {
	plans, err := readPlans()
	if err != nil {
		return "", err
	}
	var text strings.Builder
	for _, p := range plans {
		for _, m := range p.regions {
			fmt.Fprintf(&text, "%s\t%d\t%s\t%s\n", m.GetId(), p.code, m.GetInternationalPrefix(), m.GetNationalPrefixForParsing())
		}
	}
	return text.String(), nil
}

func regionKey(region string, code int) string {
	if region == worldRegion {
		return fmt.Sprint(region, code)
	}
	return region
}

// These are the sizes of the records in the file, in bytes. All numbers are little-endian.
const (
	// LayoutSize is the size of a layout: a length in one byte, followed by the layout's text.
	LayoutSize = 32
	// RuleSize is the size of a national prefix, or of its replacement.
	RuleSize = 8
)

// tables are the sections of the file.
type tables struct {
	graph    *graph
	plans    []byte
	regions  []byte
	programs programs
	layouts  textTable
	rules    textTable
	count    int
}

func newTables() *tables {
	t := &tables{graph: newGraph(), layouts: textTable{size: LayoutSize}, rules: textTable{size: RuleSize}}
	t.programs.starts = map[string]uint16{}
	// Index 0 is the empty string, and the program that never matches.
	_, _ = t.layouts.intern("")
	_, _ = t.rules.intern("")
	t.programs.list = append(t.programs.list, instruction{op: opFail})
	return t
}

func (t *tables) addPlan(p plan) error {
	r, err := newRules(p)
	if err != nil {
		return err
	}
	root, err := t.graph.addPlan(r)
	if err != nil {
		return err
	}
	if len(p.regions) > 32 {
		return fmt.Errorf("%d regions do not fit into 32 bits", len(p.regions))
	}
	t.plans = binary.LittleEndian.AppendUint16(t.plans, uint16(p.code))
	t.plans = binary.LittleEndian.AppendUint16(t.plans, root)
	t.plans = binary.LittleEndian.AppendUint16(t.plans, uint16(t.count))
	for i, m := range p.regions {
		if err := t.region(p, i, m); err != nil {
			return fmt.Errorf("region %s: %w", m.GetId(), err)
		}
		t.count++
	}
	return nil
}

// region appends a record. Its fields are: name (4 bytes, of which 3 are used), set of
// possible lengths, set of lengths for local calls only, calling code, index in the plan,
// number of groups of the national prefix, programs of the international and the national
// prefix, rule for the national prefix, and the national prefix as people write it.
func (t *tables) region(p plan, i int, m *phonenumbers.PhoneMetadata) error {
	abroad, _, err := t.programs.compile(m.GetInternationalPrefix())
	if err != nil {
		return err
	}
	national, groups, err := t.programs.compile(m.GetNationalPrefixForParsing())
	if err != nil {
		return err
	}
	rule, err := t.rules.intern(m.GetNationalPrefixTransformRule())
	if err != nil {
		return err
	}
	trunk, err := t.rules.intern(m.GetNationalPrefix())
	if err != nil {
		return err
	}
	out := append(t.regions, (m.GetId() + "\x00\x00")[:4]...)
	out = binary.LittleEndian.AppendUint32(out, lengthBits(m.GetGeneralDesc().GetPossibleLength()))
	out = binary.LittleEndian.AppendUint32(out, lengthBits(m.GetGeneralDesc().GetPossibleLengthLocalOnly()))
	out = binary.LittleEndian.AppendUint16(out, uint16(p.code))
	out = append(out, byte(i), byte(groups))
	out = binary.LittleEndian.AppendUint16(out, abroad)
	out = binary.LittleEndian.AppendUint16(out, national)
	out = binary.LittleEndian.AppendUint16(out, rule)
	t.regions = binary.LittleEndian.AppendUint16(out, trunk)
	return nil
}

// encode returns all sections. Each is preceded by its length in four bytes.
func (t *tables) encode() ([]byte, error) {
	outcomes, err := t.outcomes()
	if err != nil {
		return nil, err
	}
	var branches, leaves, chains []byte
	for _, b := range t.graph.branches {
		for _, next := range b.next {
			branches = binary.LittleEndian.AppendUint16(branches, next)
		}
		branches = binary.LittleEndian.AppendUint16(branches, b.outcome)
	}
	for _, l := range t.graph.leaves {
		leaves = append(binary.LittleEndian.AppendUint16(leaves, l.first), l.length, 0)
	}
	for _, c := range t.graph.chains {
		chains = binary.LittleEndian.AppendUint16(chains, c)
	}
	var file []byte
	for _, section := range [][]byte{branches, leaves, chains, outcomes, t.layouts.list, t.plans, t.regions, t.programs.encode(), t.rules.list} {
		file = binary.LittleEndian.AppendUint32(file, uint32(len(section)))
		file = append(file, section...)
	}
	return file, nil
}

// outcomes returns the records of all outcomes. Each contains the set of regions whose
// pattern matches the number, the region that owns the number, and its layouts.
func (t *tables) outcomes() (out []byte, err error) {
	for _, o := range t.graph.outcomes {
		national, err := t.layouts.intern(o.national)
		if err != nil {
			return nil, err
		}
		international, err := t.layouts.intern(o.international)
		if err != nil {
			return nil, err
		}
		out = binary.LittleEndian.AppendUint32(out, o.general)
		out = append(out, o.region, 0)
		out = binary.LittleEndian.AppendUint16(out, national)
		out = binary.LittleEndian.AppendUint16(out, international)
	}
	return out, nil
}

// textTable is a list of distinct short strings, in records of one size.
type textTable struct {
	size  int
	list  []byte
	known []string
}

func (t *textTable) intern(text string) (uint16, error) {
	if at := slices.Index(t.known, text); at >= 0 {
		return uint16(at), nil
	}
	if len(text) >= t.size || len(t.known) >= 1<<16 {
		return 0, fmt.Errorf("the text %q is longer than %d bytes, or there are more than 65,536", text, t.size-1)
	}
	t.known = append(t.known, text)
	record := make([]byte, t.size)
	record[0] = byte(len(text))
	copy(record[1:], text)
	t.list = append(t.list, record...)
	return uint16(len(t.known) - 1), nil
}
