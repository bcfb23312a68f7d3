// Package phone reads phone numbers as people write them.
//
// A calling code is what follows the plus: 49 in +49 89 1234567. What follows
// it is the national number. A plan is all that is known of the national numbers
// of one calling code, a region is a country or territory with a plan of its own
// or a share in one (Canada and the United States share +1). A national prefix is
// the 0 that is dialled before a national number within most countries, an
// international prefix the 00 or 011 before a calling code. A [Reader] turns the
// text of a cell into one form of the number that it means.
//
// The rules are those of libphonenumber, compiled into tables by package gen:
// what it calls valid is read, in the same forms. Beyond it the package refuses
// to guess: a number with letters, several numbers in a cell, digits that a
// spreadsheet rounded and numbers that can be read in two ways are problems, and
// an extension is left out with a remark.
//
// The package does not know whether a number is in use, whom it belongs to, or
// what it costs; it reads no emergency and other short numbers, and finds no
// numbers in running text.
package phone

import (
	"fmt"
	"strings"
)

// Config says which numbers a reader takes and how it writes them. The zero
// value takes numbers with a calling code and writes them as +4989123456.
type Config struct {
	// Country is the region of numbers without a calling code, by its two
	// letters (ISO 3166-1 alpha-2). With "" they are a problem.
	Country string
	// Format is "international", "national" or "both"; "" is international.
	// International and both write numbers with their calling code; both needs a
	// country. National writes them as they are dialled within their country,
	// with the national prefix, and takes only numbers of the country's calling
	// code; without a country they keep it, with a remark.
	Format string
	// Formatted writes +49 89 123456 or 089 123456 in place of the digits alone.
	Formatted bool
}

// Reader reads the cells of one column. It may be used from several goroutines.
type Reader struct {
	home                *region
	national, formatted bool
	habit               Habit
}

// New makes a reader. It fails where the country or the format is unknown, and
// where the format both has no country.
func New(c Config) (*Reader, error) {
	r := &Reader{national: c.Format == "national", formatted: c.Formatted}
	switch c.Format {
	case "", "international", "national":
	case "both":
		if c.Country == "" {
			return nil, fmt.Errorf("the phone format %q needs a country", c.Format)
		}
	default:
		return nil, fmt.Errorf("the phone format %q is none of international, national and both", c.Format)
	}
	if c.Country == "" {
		return r, nil
	}
	if r.home = known.byName(strings.ToUpper(c.Country)); r.home == nil {
		return nil, fmt.Errorf("no phone numbers are known of the country %q; give the two letters of ISO 3166-1", c.Country)
	}
	return r, nil
}

// Append reads the text of a cell and appends the number to dst. Where the cell
// has none, dst comes back as it was. It allocates nothing but what dst grows by.
//
// What it writes is read again as itself.
func (r *Reader) Append(dst, raw []byte) (out []byte, problem Problem) {
	var w written
	if !w.scan(raw) {
		if code := w.clean(raw); code != Read {
			return dst, Problem{Code: code}
		}
	}
	var n number
	problem = n.read(r, w.digits[:w.count], w.plus)
	switch {
	case w.doubtful(&n, problem.Code):
		return dst, Problem{Code: SeveralNumbers}
	case problem.Code != Read:
		return dst, problem
	case r.national && r.home != nil && n.plan != r.home.plan:
		return dst, Problem{OtherCountry, r.home}
	case w.extension:
		problem.Code = Extension
	case r.national && r.home == nil:
		problem.Code = CodeKept
	}
	return r.write(dst, &n), problem
}
