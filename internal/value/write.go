package value

import (
	"github.com/intraydata/intray"
	"github.com/intraydata/intray/internal/value/date"
	"github.com/intraydata/intray/internal/value/number"
)

// Writer gives what writes the canonical text of a field in the field's
// outputFormat; nil where the result holds the canonical text itself.
func Writer(f intray.Field) (func(dst, canonical []byte) []byte, error) {
	o := options(f.Type.Options)
	switch f.Type.Name {
	case intray.TypeNumber:
		compiled, err := number.CompileOptions(o)
		if err != nil || compiled.Output == nil {
			return nil, err
		}
		return compiled.Output.Append, nil
	case intray.TypeDate:
		return momentWriter(o, "outputFormat", date.WantDate)
	case intray.TypeDatetime:
		return momentWriter(o, "outputFormat", date.WantMoment)
	case intray.TypeTime:
		return momentWriter(o, "outputFormat", date.WantClock)
	}
	return nil, nil
}

// Shower gives what writes the canonical text of a field in the field's
// displayFormat; nil where people see the canonical text itself.
func Shower(f intray.Field) (func(dst, canonical []byte) []byte, error) {
	o := options(f.Type.Options)
	if o["displayFormat"] == nil {
		return nil, nil
	}
	switch f.Type.Name {
	case intray.TypeNumber:
		compiled, err := number.CompileOptions(o)
		return compiled.Display.Append, err
	case intray.TypeDate:
		return momentWriter(o, "displayFormat", date.WantDate)
	case intray.TypeDatetime:
		return momentWriter(o, "displayFormat", date.WantMoment)
	case intray.TypeTime:
		return momentWriter(o, "displayFormat", date.WantClock)
	}
	return nil, nil
}

func momentWriter(o options, option string, want date.Want) (func(dst, canonical []byte) []byte, error) {
	format := o.text(option, date.ISO)
	if format == date.ISO {
		return nil, nil
	}
	layout, err := date.CompileLayout(format, o.text("locale", ""), want, o.flag("withSeconds", false))
	if err != nil {
		return nil, err
	}
	var iso date.Style
	return func(dst, canonical []byte) []byte {
		r := iso.Read(canonical, want)
		if r.Reason != date.Read {
			return append(dst, canonical...)
		}
		return layout.Append(dst, r.Moment)
	}, nil
}
