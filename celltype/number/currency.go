package number

import (
	"slices"
	"strings"

	"github.com/intraydata/intray"
)

// Currency is a mark for a currency: a symbol, an abbreviation or an ISO 4217
// code. The zero Currency means that there is none.
type Currency uint16

// currencyMark is one way to write a currency in a cell.
type currencyMark struct {
	text string
	// codes are the currencies that the mark can mean, separated by spaces.
	codes         string
	before, after bool
}

// String returns the mark as it appears in cells, such as € or EUR.
func (c Currency) String() string { return currencyMarks[c].text }

// Codes returns the ISO 4217 codes of the currencies that the mark can mean,
// the most likely first.
func (c Currency) Codes() []string { return strings.Fields(currencyMarks[c].codes) }

// CompatibleWith reports whether two marks can mean the same currency. The zero
// Currency is compatible with every mark.
func (c Currency) CompatibleWith(other Currency) bool {
	if c == 0 || other == 0 || c == other {
		return true
	}
	for code := range strings.FieldsSeq(currencyMarks[c].codes) {
		if strings.Contains(currencyMarks[other].codes, code) {
			return true
		}
	}
	return false
}

// FindCurrency returns the Currency of a mark. It reports false if the mark is unknown.
func FindCurrency(text string) (Currency, bool) {
	for i := range currencyMarks {
		if currencyMarks[i].text == text && text != "" {
			return Currency(i), true
		}
	}
	return 0, false
}

// matchMark returns the longest mark at the start of text.
func matchMark(text []byte, before bool) (found Currency, size int) {
	if len(text) == 0 {
		return 0, 0
	}
	for _, i := range marksByFirstByte[text[0]] {
		m := &currencyMarks[i]
		if (before && m.before || !before && m.after) && len(text) >= len(m.text) && string(text[:len(m.text)]) == m.text {
			return Currency(i), len(m.text)
		}
	}
	return 0, 0
}

// marksByFirstByte indexes the marks by their first byte. The longest mark comes first.
var marksByFirstByte = func() (index [256][]uint16) {
	for i := 1; i < len(currencyMarks); i++ {
		first := currencyMarks[i].text[0]
		index[first] = append(index[first], uint16(i))
	}
	for _, some := range index {
		slices.SortStableFunc(some, func(a, b uint16) int { return len(currencyMarks[b].text) - len(currencyMarks[a].text) })
	}
	return index
}()

// currencyMarks are all marks. The first element is unused, because the zero Currency means none.
var currencyMarks = func() []currencyMark {
	all := make([]currencyMark, 1, 320)
	for line := range strings.Lines(markTable) {
		text, codes, _ := strings.Cut(strings.TrimSpace(line), " ")
		where := text[0]
		all = append(all, currencyMark{text: text[1:], codes: codes, before: where != '>', after: where != '<'})
	}
	for code := range strings.FieldsSeq(isoCodes) {
		all = append(all, currencyMark{text: code, codes: code, before: true, after: true})
	}
	return all
}()

// dollars and kroner are the currencies of marks that many countries share.
const (
	dollars = "USD CAD AUD NZD HKD SGD TWD MXN ARS CLP COP DOP UYU BBD BSD BMD BND BZD FJD GYD JMD KYD LRD NAD SBD SRD TTD XCD CUP"
	kroner  = "SEK NOK DKK ISK"
)

// markTable lists one mark per line: its position (< before the number, > after it, = either),
// the mark, and its currencies. It omits marks that are also units, such as L, K, KM and Lt.
const markTable = `=$ ` + dollars + `
=＄ ` + dollars + `
=US$ USD
=U$S USD
=$US USD
=C$ CAD NIO
=CA$ CAD
=A$ AUD
=AU$ AUD
=NZ$ NZD
=HK$ HKD
=S$ SGD
=SG$ SGD
=NT$ TWD
=MX$ MXN
=R$ BRL
=RD$ DOP
=J$ JMD
=TT$ TTD
=$U UYU
=€ EUR
=eur EUR
=Eur EUR
>euro EUR
>Euro EUR
>EURO EUR
>euros EUR
>Euros EUR
=usd USD
=gbp GBP
=£ GBP EGP LBP SYP GIP FKP SHP SDG SSP
=￡ GBP EGP
=¥ JPY CNY
=￥ JPY CNY
>円 JPY
>元 CNY TWD
>圓 TWD CNY
=₩ KRW KPW
=￦ KRW KPW
>원 KRW
=₹ INR
=₨ INR PKR LKR NPR MUR SCR
<Rs INR PKR LKR NPR MUR SCR
<Rs. INR PKR LKR NPR MUR SCR
=₽ RUB
>руб RUB BYN
>руб. RUB BYN
>р. RUB BYN
=₴ UAH
>грн UAH
>грн. UAH
=₺ TRY
=TL TRY
=₪ ILS
=₫ VND
>đ VND
=₦ NGN
=₱ PHP CUP
=฿ THB
>บาท THB
=₡ CRC SVC
=₲ PYG
=₵ GHS
=GH₵ GHS
=₸ KZT
=₼ AZN
=₾ GEL
=₭ LAK
=₮ MNT
=៛ KHR
=৳ BDT
=؋ AFN
=﷼ IRR SAR OMR QAR YER
=֏ AMD
=₿ BTC
=kr ` + kroner + `
=kr. ` + kroner + `
=Kr ` + kroner + `
=Kr. ` + kroner + `
=Kč CZK
=zł PLN
=zl PLN
=Ft HUF
>lei RON MDL
>leu RON MDL
>лв BGN
>лв. BGN
>дин RSD
>дин. RSD
>din. RSD
>ден MKD
>ден. MKD
=Fr CHF XAF XOF
=Fr. CHF XAF XOF
=SFr CHF
=SFr. CHF
=sFr. CHF
<RM MYR
<Rp IDR
<Rp. IDR
<R ZAR
<S/ PEN
<S/. PEN
<Bs BOB VES
<Bs. BOB VES
<B/. PAB
<KSh KES
<Ksh KES
<TSh TZS
<USh UGX
=ر.س SAR
=د.إ AED
=د.ك KWD
=ج.م EGP
=ریال IRR
=RMB CNY
=CNH CNY
=BTC BTC`

// isoCodes are the active codes of ISO 4217, and some withdrawn codes that are
// found in old files.
const isoCodes = `AED AFN ALL AMD AOA ARS AUD AWG AZN BAM BBD BDT BGN BHD BIF BMD BND BOB BRL BSD BTN BWP BYN BZD
CAD CDF CHF CLP CNY COP CRC CUP CVE CZK DJF DKK DOP DZD EGP ERN ETB EUR FJD FKP GBP GEL GHS GIP GMD GNF GTQ GYD
HKD HNL HTG HUF IDR ILS INR IQD IRR ISK JMD JOD JPY KES KGS KHR KMF KPW KRW KWD KYD KZT LAK LBP LKR LRD LSL LYD
MAD MDL MGA MKD MMK MNT MOP MRU MUR MVR MWK MXN MYR MZN NAD NGN NIO NOK NPR NZD OMR PAB PEN PGK PHP PKR PLN PYG
QAR RON RSD RUB RWF SAR SBD SCR SDG SEK SGD SHP SLE SOS SRD SSP STN SVC SYP SZL THB TJS TMT TND TOP TRY TTD TWD
TZS UAH UGX USD UYU UZS VED VES VND VUV WST XAF XCD XOF XPF YER ZAR ZMW ZWG
ATS BEF DEM EEK ESP FIM FRF GRD HRK IEP ITL LTL LUF LVL NLG PTE SIT SKK SLL VEF ZWL`

// currencySet is a set of currencies.
type currencySet [8]uint64

func (m *currencySet) add(mark Currency) {
	if mark != 0 && int(mark) < 64*len(m) {
		m[mark/64] |= 1 << (mark % 64)
	}
}

func (m *currencySet) has(mark Currency) bool { return m[mark/64]>>(mark%64)&1 == 1 }

// list returns the currencies in the set.
func (m *currencySet) list() (list []Currency) {
	for mark := range Currency(64 * len(m)) {
		if m.has(mark) {
			list = append(list, mark)
		}
	}
	return list
}

// usualDecimalSign returns the usual decimal sign of amounts in the currency. It returns
// Undecided unless the mark most likely means US dollars or pounds sterling: even the countries
// that use the euro differ.
func (c Currency) usualDecimalSign() Sign {
	if codes := c.Codes(); len(codes) > 0 && (codes[0] == "USD" || codes[0] == "GBP") {
		return Point
	}
	return Undecided
}

// hasOtherCurrencies reports whether an ambiguous cell has a different currency
// than the decisive cells, so that its decimal sign may also be different.
func (d *decider) hasOtherCurrencies(decimal Sign) bool {
	decisive := &d.sniffer.decisiveMarks[signIndex(decimal)]
	for _, open := range d.sniffer.openMarks.list() {
		if decisive.has(open) || open.usualDecimalSign() == decimal {
			continue
		}
		other := open.usualDecimalSign() != Undecided
		for _, mark := range decisive.list() {
			other = other || !mark.CompatibleWith(open)
		}
		if other {
			d.currencyConflict = intray.NewMessage("number.other_currency_open", intray.Params{"currency": open.String(), "sign": signs[decimal].one})
			return true
		}
	}
	return false
}
