package spreadsheetml

import (
	"github.com/intraydata/intray"
	"github.com/intraydata/intray/internal/xmlscan"
	"github.com/intraydata/intray/source"
	"github.com/intraydata/intray/source/numfmt"
)

const (
	// maxStyles is the maximum number of styles in a workbook.
	maxStyles = 1 << 16
	// maxIDBytes is the maximum length of a style id, and maxCodeBytes that of a number
	// format code, both in bytes.
	maxIDBytes   = 255
	maxCodeBytes = 4 << 10
	// maxCodesBytes is the maximum total length of the number format codes of a workbook, in
	// bytes, because a compiled format takes many times the memory of its code.
	maxCodesBytes = 2 << 20
	// maxParents is the maximum number of styles to search for the number format of a style.
	maxParents = 16
)

// style describes how to display cells.
type style struct {
	*numfmt.Format
	// general is true if the style displays numbers unchanged. plain is true if it
	// displays text unchanged.
	general, plain bool
}

// styleDecl is a declared style. If it has no number format, it inherits that of its parent.
type styleDecl struct {
	parent, code string
	hasFormat    bool
}

// styles holds the styles of a workbook by id.
type styles struct {
	decls    map[string]styleDecl
	byID     map[string]*style
	standard *style
	// codeBytes is the total length of the number format codes in bytes.
	codeBytes int
}

func (st *styles) readStyle(s *xmlscan.Scanner) error {
	id, err := attrText(s, "ID")
	if err != nil {
		return err
	}
	d := styleDecl{}
	if d.parent, err = attrText(s, "Parent"); err != nil {
		return err
	}
	err = s.ForEachChild(func() (err error) {
		if string(s.Name) == "NumberFormat" {
			d.hasFormat = true
			if d.code, err = attrText(s, "Format"); err != nil {
				return err
			}
		}
		return s.Skip()
	})
	if err != nil {
		return err
	}
	if len(id) > maxIDBytes || len(d.parent) > maxIDBytes || len(d.code) > maxCodeBytes {
		return &source.LimitError{Reason: intray.NewMessage("xmlss.style_too_long", intray.Params{"name_limit": maxIDBytes, "format_limit": maxCodeBytes})}
	}
	if st.codeBytes += len(d.code); st.codeBytes > maxCodesBytes {
		return &source.LimitError{Reason: intray.NewMessage("workbook.formats_too_long", intray.Params{"limit": maxCodesBytes})}
	}
	st.decls[id] = d
	return nil
}

// compile compiles the styles. No styles can be added afterwards.
func (st *styles) compile() {
	compiled := map[string]*style{}
	st.byID = make(map[string]*style, len(st.decls))
	for id := range st.decls {
		code := st.formatCode(id)
		if compiled[code] == nil {
			compiled[code] = compileStyle(code)
		}
		st.byID[id] = compiled[code]
	}
	st.standard = st.byID["Default"]
	if st.standard == nil {
		st.standard = compileStyle("")
	}
	st.decls = nil
}

// formatCode returns the number format code of a style or of its nearest ancestor that
// has one. All styles inherit from Default.
func (st *styles) formatCode(id string) string {
	for range maxParents {
		d, found := st.decls[id]
		switch {
		case d.hasFormat:
			return d.code
		case !found || d.parent == "" && id == "Default":
			return ""
		case d.parent == "":
			id = "Default"
		default:
			id = d.parent
		}
	}
	return ""
}

func compileStyle(code string) *style {
	if named := namedFormatCode(code); named != "" {
		code = named
	}
	format, _ := numfmt.Compile(code) // an invalid code is displayed as General
	one, two := format.AppendFormattedText(nil, []byte("x")), format.AppendFormattedText(nil, []byte("yz"))
	return &style{Format: format, general: code == "" || code == "General", plain: string(one) == "x" && string(two) == "yz"}
}

// lookup returns the style with the given id, or nil if there is none.
func (st *styles) lookup(id []byte) *style { return st.byID[string(id)] }

// namedFormatCode returns the code of a named number format, as Excel displays it in
// the United States. It returns "" for other names. The XML Spreadsheet Reference lists
// the names under the NumberFormat element.
func namedFormatCode(name string) string {
	switch name {
	case "General", "General Number":
		return "General"
	case "General Date":
		return numfmt.Builtin(22)
	case "Long Date":
		return `[$-F800]dddd, mmmm dd, yyyy`
	case "Medium Date":
		return numfmt.Builtin(15)
	case "Short Date":
		return numfmt.Builtin(14)
	case "Long Time":
		return numfmt.Builtin(19)
	case "Medium Time":
		return numfmt.Builtin(18)
	case "Short Time":
		return numfmt.Builtin(20)
	case "Currency":
		return numfmt.Builtin(8)
	case "Euro Currency":
		return `[$€-2] #,##0.00_);[Red]\([$€-2] #,##0.00\)`
	case "Fixed":
		return numfmt.Builtin(2)
	case "Standard":
		return numfmt.Builtin(4)
	case "Percent":
		return numfmt.Builtin(10)
	case "Scientific":
		return numfmt.Builtin(11)
	case "Yes/No":
		return `"Yes";"Yes";"No"`
	case "True/False":
		return `"True";"True";"False"`
	case "On/Off":
		return `"On";"On";"Off"`
	}
	return ""
}
