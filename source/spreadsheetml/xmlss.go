// Package spreadsheetml reads workbooks in the XML format of Excel 2002 and 2003
// (SpreadsheetML), which programs save with the extensions .xml and .xls.
//
// A workbook is one XML document that contains styles and then worksheets. Each worksheet is a
// table of rows of cells. A style specifies the number format of cells. The package streams the
// document once to find the worksheets and their offsets, and again for each sheet that is read.
//
// The package returns values as Excel displays them or, if the option Typed is set, as they are
// stored. A merged range has a value only in its first cell. The package does not calculate
// formulas or follow links. It skips comments, names, pivot tables and colors, and rejects
// document type declarations (DOCTYPE). It does not read the XML of newer workbooks, which are
// ZIP archives.
package spreadsheetml

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/internal/textinput"
	"github.com/intraydata/intray/internal/xmlscan"
	"github.com/intraydata/intray/source"
	"github.com/intraydata/intray/source/charset"
	"github.com/intraydata/intray/source/workbook"
)

// namespace is the namespace of all elements of a workbook.
const namespace = "urn:schemas-microsoft-com:office:spreadsheet"

// Format is the format "xmlss". The zero value is ready to use.
type Format struct{}

// Name returns "xmlss".
func (Format) Name() string { return "xmlss" }

// Detect recognizes XML documents that specify Excel as their application or whose root
// element is a workbook.
func (Format) Detect(_ source.Input, head []byte) (score float64, reason intray.Message) {
	text := textinput.DecodeHead(head)
	if first := bytes.TrimLeft(text, " \t\r\n"); len(first) == 0 || first[0] != '<' {
		return 0, intray.Message{}
	}
	if bytes.Contains(text, []byte("<?mso-application")) && bytes.Contains(text, []byte("Excel.Sheet")) {
		return 0.98, intray.NewMessage("xmlss.names_excel", nil)
	}
	s, err := newScanner(bytes.NewReader(text), len(text)+1)
	if err != nil {
		return 0, intray.Message{}
	}
	_, _ = s.Next() // Open reports an invalid tag
	tag, _, complete := bytes.Cut(text[s.Offset():], []byte(">"))
	if complete && string(s.Name) == "Workbook" && bytes.Contains(tag, []byte(namespace)) {
		return 0.98, intray.NewMessage("xmlss.workbook_root", nil)
	}
	return 0, intray.Message{}
}

// Open implements [source.Format]. It reads the whole document once to find its worksheets.
func (Format) Open(ctx context.Context, in source.Input, opt source.Options) (source.Book, error) {
	opt.Limits = opt.Limits.WithDefaults()
	doc, err := openDocument(in, opt.Encoding)
	if err != nil {
		return nil, err
	}
	s, err := readWorkbookInfo(ctx, doc, opt.Limits)
	if err != nil {
		return nil, err
	}
	return workbook.NewBook(&book{doc: doc, info: s, limits: opt.Limits}, opt)
}

// book is an opened workbook. It is immutable after Open returns it.
type book struct {
	doc    *document
	info   *workbookInfo
	limits source.Limits
}

func (b *book) Evidence() []intray.Evidence {
	return append([]intray.Evidence{textinput.Evidence(b.doc.guess)}, b.info.evidence()...)
}

func (b *book) Sheets() []workbook.Sheet {
	list := make([]workbook.Sheet, len(b.info.sheets))
	for i, s := range b.info.sheets {
		list[i] = s.Sheet
	}
	return list
}

func (b *book) Rows(ctx context.Context, sheet int) (workbook.Rows, error) {
	if sheet < 0 || sheet >= len(b.info.sheets) {
		return nil, fmt.Errorf("read sheet %d of %d", sheet+1, len(b.info.sheets))
	}
	return openRows(ctx, b, b.info.sheets[sheet])
}

func (b *book) Close() error { return nil }

const (
	// maxSheets is the maximum number of sheets in a workbook.
	maxSheets = 10_000
	// markupBytes is the number of bytes that markup can add to the maximum length of a cell.
	markupBytes = 1 << 20
	// maxDepth is the maximum nesting depth of elements.
	maxDepth = 64
	// maxStateBytes is the maximum length of the text that states the visibility of a sheet, in
	// bytes.
	maxStateBytes = 256
	// pollElements is the number of elements to read between two checks of the context.
	pollElements = 1024
)

// sheet is a worksheet and its location.
type sheet struct {
	workbook.Sheet
	// offset is the offset of the worksheet's element in the text.
	offset int64
	// hiddenRows and hiddenColumns count the hidden rows and columns.
	hiddenRows, hiddenColumns int64
}

// workbookInfo is the result of the first pass over a document.
type workbookInfo struct {
	limits    source.Limits
	sheets    []sheet
	styles    styles
	epoch1904 bool
	// trailing is true if the document has text after its XML.
	trailing bool
	// poll is the number of elements left until the next check of the context.
	poll int
}

// readWorkbookInfo makes the first pass over a document. If the document was assumed to be UTF-8
// but is not, readWorkbookInfo detects the encoding and starts again.
func readWorkbookInfo(ctx context.Context, doc *document, limits source.Limits) (*workbookInfo, error) {
	s := &workbookInfo{limits: limits}
	var check charset.Checker
	text, err := textinput.NewTextReader(doc.in, doc.guess, 0)
	if err != nil {
		return nil, err
	}
	if doc.isUTF8() && !doc.explicit {
		text = io.TeeReader(text, &check)
	}
	scan, err := newScanner(text, limits.CellBytes+markupBytes)
	if err == nil {
		err = s.read(ctx, scan)
	}
	if err != nil {
		return nil, err
	}
	if check.FirstInvalid() >= 0 && doc.guess.Invalid == 0 {
		if changed, err := doc.redetectEncoding(check.FirstInvalid()); err != nil {
			return nil, err
		} else if changed {
			return readWorkbookInfo(ctx, doc, limits)
		}
	}
	s.styles.compile()
	return s, nil
}

func (s *workbookInfo) read(ctx context.Context, scan *xmlscan.Scanner) error {
	if _, err := scan.NextChild(); err != nil {
		return err
	}
	if string(scan.Name) != "Workbook" {
		return &source.UnreadableError{Reason: intray.NewMessage("xmlss.not_workbook", intray.Params{"element": source.Excerpt(scan.FullName())})}
	}
	err := scan.ForEachChild(func() error {
		switch string(scan.Name) {
		case "Styles":
			s.styles.decls = map[string]styleDecl{}
			return scan.ForEachChild(func() error {
				if string(scan.Name) != "Style" {
					return scan.Skip()
				}
				if len(s.styles.decls) >= maxStyles {
					return &source.LimitError{Reason: intray.NewMessage("workbook.too_many_styles", intray.Params{"limit": maxStyles})}
				}
				return s.styles.readStyle(scan)
			})
		case "ExcelWorkbook":
			return scan.ForEachChild(func() error {
				s.epoch1904 = s.epoch1904 || string(scan.Name) == "Date1904"
				return scan.Skip()
			})
		case "Worksheet":
			return s.readSheet(ctx, scan)
		}
		return scan.Skip()
	})
	if err != nil {
		return err
	}
	_, err = scan.Next()
	s.trailing = scan.Trailing()
	return err
}

func (s *workbookInfo) readSheet(ctx context.Context, scan *xmlscan.Scanner) error {
	if len(s.sheets) == maxSheets {
		return &source.LimitError{Reason: intray.NewMessage("workbook.too_many_sheets", intray.Params{"limit": maxSheets})}
	}
	name, err := attrText(scan, "Name")
	if err != nil {
		return err
	}
	found := sheet{Sheet: workbook.Sheet{Name: name}, offset: scan.Offset()}
	err = scan.ForEachChild(func() error {
		switch string(scan.Name) {
		case "Table":
			return s.readTable(ctx, scan, &found)
		case "WorksheetOptions":
			return readOptions(scan, &found)
		}
		return scan.Skip()
	})
	if err != nil {
		return err
	}
	s.sheets = append(s.sheets, found)
	return nil
}

// readTable skips the cells of a sheet and counts its hidden rows and columns.
func (s *workbookInfo) readTable(ctx context.Context, scan *xmlscan.Scanner, found *sheet) error {
	for {
		more, err := scan.NextChild()
		if err != nil || !more {
			return err
		}
		if s.poll--; s.poll < 0 {
			if err := ctx.Err(); err != nil {
				return err
			}
			s.poll = pollElements
		}
		if scan.AttrBool("Hidden") {
			more, err := parseIntAttr(scan.Attr("Span"), 0, 1<<31, 0)
			if err != nil {
				return err
			}
			if string(scan.Name) == "Row" {
				found.hiddenRows += 1 + more
			} else {
				found.hiddenColumns += 1 + more
			}
		}
		if err := scan.Skip(); err != nil {
			return err
		}
	}
}

func readOptions(scan *xmlscan.Scanner, found *sheet) error {
	return scan.ForEachChild(func() error {
		if string(scan.Name) != "Visible" {
			return scan.Skip()
		}
		state, err := appendContent(scan, nil, maxStateBytes)
		if err != nil {
			return err
		}
		found.Hidden = strings.TrimSpace(string(state)) != "SheetVisible"
		return nil
	})
}

// evidence reports the date system, and hidden sheets, rows and columns.
func (s *workbookInfo) evidence() []intray.Evidence {
	list := []intray.Evidence{workbook.DateSystem(s.epoch1904)}
	sheets := make([]workbook.Sheet, 0, len(s.sheets))
	var rows, columns []string
	for _, found := range s.sheets {
		sheets = append(sheets, found.Sheet)
		if found.hiddenRows > 0 {
			rows = append(rows, fmt.Sprintf("%s: %d", found.Name, found.hiddenRows))
		}
		if found.hiddenColumns > 0 {
			columns = append(columns, fmt.Sprintf("%s: %d", found.Name, found.hiddenColumns))
		}
	}
	list = append(list, workbook.HiddenSheets(sheets)...)
	for _, hidden := range []struct {
		choice string
		list   []string
	}{{"hidden rows", rows}, {"hidden columns", columns}} {
		if len(hidden.list) > 0 {
			list = append(list, intray.Evidence{Choice: hidden.choice, Value: workbook.JoinNames(hidden.list), Reason: intray.NewMessage("workbook.hidden_read", nil)})
		}
	}
	if s.trailing {
		list = append(list, workbook.TextAfter("XML")...)
	}
	return list
}
