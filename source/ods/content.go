package ods

import (
	"context"
	"io"
	"strings"
	"unicode/utf8"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/internal/xmlscan"
	"github.com/intraydata/intray/internal/zipfile"
	"github.com/intraydata/intray/source"
	"github.com/intraydata/intray/source/workbook"
)

// contentReader reads the sheets of a workbook in order.
type contentReader struct {
	part *zipfile.Part
	scan *xmlscan.Scanner
	// entered is the number of sheets that the reader has entered. depth is the depth of the
	// open sheet, or 0 if no sheet is open.
	entered, depth int
}

// openContent opens the content and reads up to the first sheet. It adds the styles
// before that sheet to info, unless info is nil.
func openContent(ctx context.Context, p *document, info *workbookInfo) (*contentReader, error) {
	from, err := p.openContent(ctx)
	if err != nil {
		return nil, err
	}
	return newContentReader(from, p.limits, info)
}

// newContentReader does the same as openContent for a part that is already open.
func newContentReader(from *zipfile.Part, limits Limits, info *workbookInfo) (*contentReader, error) {
	c := &contentReader{part: from}
	var err error
	if c.scan, err = newScanner(from, from.Name, limits); err == nil {
		err = c.enterBody(info)
	}
	if err != nil {
		c.close()
		return nil, err
	}
	return c, nil
}

func (c *contentReader) close() { c.part.Close() }

// enterBody moves to the start of the element that contains the sheets.
func (c *contentReader) enterBody(info *workbookInfo) error {
	s := c.scan
	if _, err := s.NextChild(); err != nil {
		return err
	}
	if !s.Is(nsOffice, "document-content") && !s.Is(nsOffice, "document") {
		return &source.UnreadableError{Reason: intray.NewMessage("opendocument.wrong_root", intray.Params{"part": source.Excerpt(s.Part()), "element": source.Excerpt(string(s.Name))})}
	}
	for {
		more, err := s.NextChild()
		switch {
		case err != nil:
			return err
		case !more:
			return s.Malformed(intray.NewMessage("opendocument.no_body", nil))
		case s.Is(nsOffice, "body"):
			more, err := c.scan.NextChild()
			switch {
			case err != nil:
				return err
			case !more:
				return c.scan.Malformed(intray.NewMessage("opendocument.empty_body", nil))
			case !c.scan.Is(nsOffice, "spreadsheet"):
				return &source.UnreadableError{Reason: intray.NewMessage("opendocument.other_document", intray.Params{"element": source.Excerpt(string(c.scan.Name))})}
			}
			return nil
		case info != nil && (s.Is(nsOffice, "automatic-styles") || s.Is(nsOffice, "styles")):
			err = s.ForEachChild(func() error {
				if s.Is(nsStyle, "style") && string(s.AttrIn(nsStyle, "family")) == "table" {
					return info.readStyle(s)
				}
				return s.SkipUnchecked()
			})
		default:
			err = s.SkipUnchecked()
		}
		if err != nil {
			return err
		}
	}
}

// nextSheet leaves the open sheet and enters the next one. It returns false if there
// are no more sheets.
func (c *contentReader) nextSheet(info *workbookInfo) (bool, error) {
	if c.depth > 0 {
		if err := c.scan.LeaveUnchecked(c.depth); err != nil {
			return false, err
		}
		c.depth = 0
	}
	for {
		more, err := c.scan.NextChild()
		if err != nil || !more {
			return false, err
		}
		if c.scan.Is(nsTable, "table") {
			c.entered++
			c.depth = c.scan.Depth()
			return true, nil
		}
		if info != nil && c.scan.Is(nsTable, "calculation-settings") {
			err = c.scan.ForEachChild(func() error {
				if day := c.scan.AttrIn(nsTable, "date-value"); c.scan.Is(nsTable, "null-date") && isDate(day) {
					info.nullDate = string(day)
				}
				return c.scan.SkipUnchecked()
			})
		} else {
			err = c.scan.SkipUnchecked()
		}
		if err != nil {
			return false, err
		}
	}
}

// seekSheet moves to the sheet with the given index, which must not have been entered yet.
func (c *contentReader) seekSheet(ctx context.Context, sheet int) error {
	c.part.SetContext(ctx)
	for c.entered <= sheet {
		more, err := c.nextSheet(nil)
		if err != nil {
			return err
		}
		if !more {
			return c.scan.Malformed(intray.NewMessage("opendocument.sheets_changed", nil))
		}
	}
	return nil
}

// readToEnd reads the rest of the part, to check that it is complete.
func (c *contentReader) readToEnd() error {
	if err := c.scan.LeaveUnchecked(1); err != nil {
		return err
	}
	_, err := c.scan.Next()
	return err
}

// defaultNullDate is day 0 of practically all documents. Date values are complete dates
// and do not depend on day 0.
const defaultNullDate = "1899-12-30"

// workbookInfo is the information about the workbook that its content declares.
type workbookInfo struct {
	limits Limits
	sheets []workbook.Sheet
	// hiddenStyles holds the names of the styles that hide sheets.
	hiddenStyles map[string]bool
	nullDate     string
	macros       bool
	// trailing is true if the content has text after its XML.
	trailing bool
}

// readWorkbookInfo reads the whole content and returns the information that it declares.
func readWorkbookInfo(ctx context.Context, p *document) (workbookInfo, error) {
	list := workbookInfo{limits: p.limits, hiddenStyles: map[string]bool{}, nullDate: defaultNullDate, macros: p.hasMacros()}
	c, err := openContent(ctx, p, &list)
	if err != nil {
		return workbookInfo{}, err
	}
	defer c.close()
	for {
		more, err := c.nextSheet(&list)
		if err == nil && more {
			err = list.addSheet(c.scan)
		}
		if err != nil {
			return workbookInfo{}, err
		}
		if !more {
			break
		}
	}
	if err := c.readToEnd(); err != nil {
		return workbookInfo{}, err
	}
	list.trailing = c.scan.Trailing()
	if len(list.sheets) == 0 {
		return workbookInfo{}, &source.UnreadableError{Reason: intray.NewMessage("workbook.no_worksheet", nil)}
	}
	return list, nil
}

// hasMacros reports whether the archive has a folder of macros.
func (p *document) hasMacros() bool {
	if p.archive == nil {
		return false
	}
	for name := range p.archive.Names() {
		if strings.HasPrefix(name, "Basic/") || strings.HasPrefix(name, "Scripts/") {
			return true
		}
	}
	return false
}

// readName reads the name of a sheet or a style.
func (l *workbookInfo) readName(s *xmlscan.Scanner, in xmlscan.Namespace, local string) (string, error) {
	raw := s.AttrIn(in, local)
	if len(raw) > l.limits.NameBytes {
		return "", &source.LimitError{Reason: intray.NewMessage("opendocument.name_too_long", intray.Params{"limit": l.limits.NameBytes})}
	}
	name, err := s.Decode(nil, raw)
	if err == nil && !utf8.Valid(name) {
		err = s.Malformed(intray.NewMessage("xml.name_not_utf8", nil))
	}
	return string(name), err
}

// addSheet adds the sheet that has just started.
func (l *workbookInfo) addSheet(s *xmlscan.Scanner) error {
	if len(l.sheets) >= l.limits.Sheets {
		return &source.LimitError{Reason: intray.NewMessage("workbook.too_many_sheets", intray.Params{"limit": l.limits.Sheets})}
	}
	name, err := l.readName(s, nsTable, "name")
	if err != nil {
		return err
	}
	style, err := l.readName(s, nsTable, "style-name")
	if err != nil {
		return err
	}
	l.sheets = append(l.sheets, workbook.Sheet{Name: name, Hidden: l.hiddenStyles[style]})
	return nil
}

func (l *workbookInfo) readStyle(s *xmlscan.Scanner) error {
	name, err := l.readName(s, nsStyle, "name")
	if err != nil {
		return err
	}
	return s.ForEachChild(func() error {
		if s.Is(nsStyle, "table-properties") && string(s.AttrIn(nsTable, "display")) == "false" {
			if len(l.hiddenStyles) >= l.limits.Sheets {
				return &source.LimitError{Reason: intray.NewMessage("workbook.too_many_styles", intray.Params{"limit": l.limits.Sheets})}
			}
			l.hiddenStyles[name] = true
		}
		return s.SkipUnchecked()
	})
}

// These namespaces are the ones that this package distinguishes.
const (
	nsOffice xmlscan.Namespace = iota + 1
	nsTable
	nsText
	nsStyle
	// nsCalc is the namespace of an extension with which applications mark formula
	// results that are errors.
	nsCalc
	// nsDraw includes the namespace of 3D drawings.
	nsDraw
	nsManifest
)

// namespaces defines the namespaces of OpenDocument. Its defaults are the prefixes that
// practically all documents use.
var namespaces = xmlscan.Namespaces{
	ByURI: namespaceByURI,
	Defaults: []xmlscan.Binding{
		{Prefix: "manifest", Namespace: nsManifest}, {Prefix: "dr3d", Namespace: nsDraw}, {Prefix: "draw", Namespace: nsDraw}, {Prefix: "style", Namespace: nsStyle},
		{Prefix: "calcext", Namespace: nsCalc}, {Prefix: "text", Namespace: nsText}, {Prefix: "office", Namespace: nsOffice}, {Prefix: "table", Namespace: nsTable},
	},
}

// namespaceByURI returns the namespace of a URI of OpenDocument 1.3 or its extensions.
func namespaceByURI(uri string) xmlscan.Namespace {
	if uri == "urn:org:documentfoundation:names:experimental:calc:xmlns:calcext:1.0" {
		return nsCalc
	}
	name, found := strings.CutPrefix(uri, "urn:oasis:names:tc:opendocument:xmlns:")
	if !found {
		return 0
	}
	switch name {
	case "office:1.0":
		return nsOffice
	case "table:1.0":
		return nsTable
	case "text:1.0":
		return nsText
	case "style:1.0":
		return nsStyle
	case "drawing:1.0", "dr3d:1.0":
		return nsDraw
	case "manifest:1.0":
		return nsManifest
	}
	return 0
}

// newScanner returns a scanner for a part.
func newScanner(src io.Reader, part string, limits Limits) (*xmlscan.Scanner, error) {
	return xmlscan.New(src, xmlscan.Config{Part: part, TextBytes: limits.CellBytes, Depth: limits.Depth, Namespaces: &namespaces})
}
