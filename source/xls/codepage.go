package xls

import (
	"fmt"
	"strconv"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/japanese"
	"golang.org/x/text/encoding/korean"
	"golang.org/x/text/encoding/simplifiedchinese"
	"golang.org/x/text/encoding/traditionalchinese"

	"github.com/intraydata/intray"
)

// codepage is how workbooks older than BIFF8 write their texts.
type codepage struct {
	name     string
	encoding encoding.Encoding
	// reason says where the choice comes from.
	reason intray.Message
}

// latin is the codepage of most workbooks that name none.
const latin = 1252

// findCodepage gives the one of a CODEPAGE record.
func findCodepage(number int) codepage {
	name, enc := lookCodepage(number)
	if enc == nil {
		name, enc = lookCodepage(latin)
		return codepage{name, enc, intray.NewMessage("encoding.codepage_unknown", intray.Params{"codepage": strconv.Itoa(number)})}
	}
	return codepage{name, enc, intray.NewMessage("encoding.codepage", intray.Params{"codepage": strconv.Itoa(number)})}
}

// noCodepage is for workbooks that name none.
func noCodepage() codepage {
	name, enc := lookCodepage(latin)
	return codepage{name, enc, intray.NewMessage("encoding.no_codepage", nil)}
}

// lookCodepage knows the codepages; enc is nil for others.
func lookCodepage(number int) (name string, enc encoding.Encoding) {
	switch number {
	case 437:
		return "IBM437", charmap.CodePage437
	case 850:
		return "IBM850", charmap.CodePage850
	case 852:
		return "IBM852", charmap.CodePage852
	case 855:
		return "IBM855", charmap.CodePage855
	case 858:
		return "IBM858", charmap.CodePage858
	case 860:
		return "IBM860", charmap.CodePage860
	case 862:
		return "IBM862", charmap.CodePage862
	case 863:
		return "IBM863", charmap.CodePage863
	case 865:
		return "IBM865", charmap.CodePage865
	case 866:
		return "IBM866", charmap.CodePage866
	case 874:
		return "windows-874", charmap.Windows874
	case 932:
		return "Shift_JIS", japanese.ShiftJIS
	case 936:
		return "GBK", simplifiedchinese.GBK
	case 949:
		return "EUC-KR", korean.EUCKR
	case 950:
		return "Big5", traditionalchinese.Big5
	}
	return lookWindows(number)
}

func lookWindows(number int) (name string, enc encoding.Encoding) {
	list := [...]*charmap.Charmap{
		charmap.Windows1250, charmap.Windows1251, charmap.Windows1252, charmap.Windows1253, charmap.Windows1254,
		charmap.Windows1255, charmap.Windows1256, charmap.Windows1257, charmap.Windows1258,
	}
	switch number {
	case 10000, 32768:
		return "macintosh", charmap.Macintosh
	case 10007:
		return "x-mac-cyrillic", charmap.MacintoshCyrillic
	case 367, 32769:
		number = latin
	}
	if number < 1250 || number >= 1250+len(list) {
		return "", nil
	}
	return fmt.Sprintf("windows-%d", number), list[number-1250]
}

// appendText turns a text into UTF-8.
func (c codepage) appendText(dst, raw []byte) []byte {
	if table, ok := c.encoding.(*charmap.Charmap); ok {
		for _, b := range raw {
			if b < 0x80 {
				dst = append(dst, b)
			} else {
				dst = append(dst, string(table.DecodeByte(b))...)
			}
		}
		return dst
	}
	text, err := c.encoding.NewDecoder().Bytes(raw)
	if err != nil { // these decoders write U+FFFD for what they cannot read
		return append(dst, raw...)
	}
	return append(dst, text...)
}
