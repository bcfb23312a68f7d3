package value

import (
	"github.com/intraydata/intray"
	"github.com/intraydata/intray/internal/value/date"
	"github.com/intraydata/intray/internal/value/number"
)

// Writer gives what writes the canonical text of a field in the field's
// outputFormat; nil where the result holds the canonical text itself.
func Writer(f intray.Field) (func(dst, canonical []byte) []byte, error) {
	return writerOf(f, "outputFormat")
}

// Shower gives what writes the canonical text of a field in the field's
// displayFormat; nil where people see the canonical text itself.
func Shower(f intray.Field) (func(dst, canonical []byte) []byte, error) {
	return writerOf(f, "displayFormat")
}

// writerOf writes in the format that an option of the field's type names.
func writerOf(f intray.Field, option string) (func(dst, canonical []byte) []byte, error) {
	o := options(f.Type.Options)
	if o[option] == nil {
		return nil, nil
	}
	switch f.Type.Name {
	case intray.TypeNumber:
		return amountWriter(o, option)
	case intray.TypeDate:
		return momentWriter(o, option, date.WantDate)
	case intray.TypeDatetime:
		return momentWriter(o, option, date.WantMoment)
	case intray.TypeTime:
		return momentWriter(o, option, date.WantClock)
	}
	return nil, nil
}

func amountWriter(o options, option string) (func(dst, canonical []byte) []byte, error) {
	compiled, err := number.CompileOptions(o)
	switch {
	case err != nil:
		return nil, err
	case option == "displayFormat":
		return compiled.Display.Append, nil
	case compiled.Output == nil:
		return nil, nil
	}
	return compiled.Output.Append, nil
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
