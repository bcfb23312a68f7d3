package celltype

import (
	"strings"
	"testing"

	"github.com/intraydata/intray"
)

// TestFlagLanguages checks the first word for yes and for no in each language. They are yesstr and
// nostr in the locale data of the GNU C Library 2.36 (localedata/locales). For English, they are
// those of the POSIX locale.
func TestFlagLanguages(t *testing.T) {
	sources := map[string][2]string{
		"en_US": {"yes", "no"}, "de_DE": {"ja", "nein"}, "fr_FR": {"oui", "non"}, "es_ES": {"sí", "no"}, "it_IT": {"sì", "no"}, "nl_NL": {"ja", "nee"},
		"pl_PL": {"tak", "nie"}, "pt_PT": {"sim", "não"}, "ja_JP": {"はい", "いいえ"}, "zh_CN": {"是", "不是"}, "ru_RU": {"да", "нет"}, "sv_SE": {"ja", "nej"},
		"cs_CZ": {"ano", "ne"}, "ko_KR": {"예", "아니요"}, "nb_NO": {"ja", "nei"}, "hu_HU": {"igen", "nem"}, "da_DK": {"ja", "nej"}, "sk_SK": {"áno", "nie"},
		"fi_FI": {"kyllä", "ei"}, "ro_RO": {"da", "nu"}, "uk_UA": {"так", "ні"}, "tr_TR": {"evet", "hayır"}, "et_EE": {"jah", "ei"}, "hr_HR": {"da", "ne"},
		"vi_VN": {"Có", "Không"}, "lt_LT": {"taip", "ne"}, "lv_LV": {"jā", "nē"}, "el_GR": {"ναι", "όχι"}, "id_ID": {"ya", "tidak"}, "bg_BG": {"да", "не"},
		"ar_EG": {"نعم", "لا"}, "he_IL": {"כן", "לא"}, "th_TH": {"ใช่", "ไม่ใช่"}, "sl_SI": {"da", "ne"}, "sr_RS": {"да", "не"}, "hi_IN": {"हाँ", "नहीं"},
		"is_IS": {"já", "nei"},
	}
	languages := map[string]bool{}
	for _, l := range flagLanguages {
		languages[l.code] = true
	}
	parser, err := Compile(intray.Field{Type: intray.FieldType{Name: intray.TypeCheckbox}})
	if err != nil {
		t.Fatal(err)
	}
	for locale, words := range sources {
		code, _, _ := strings.Cut(locale, "_")
		if code = strings.Replace(code, "nb", "no", 1); !languages[code] {
			t.Errorf("%s has no words", code)
		}
		for i, want := range []string{"true", "false"} {
			for _, word := range []string{words[i], strings.ToUpper(words[i]), " " + words[i] + " "} {
				if got := parser.Parse(Cell{Raw: []byte(word)}, nil); got.State != Parsed || string(got.Value) != want {
					t.Errorf("%s: %q gives %v %q, want %s", locale, word, got.State, got.Value, want)
				}
			}
		}
	}
}

// TestFlagWordsAreUnambiguous checks that no word means both yes and no.
func TestFlagWordsAreUnambiguous(t *testing.T) {
	meaning := map[string]bool{}
	for _, l := range flagLanguages {
		for yes, list := range map[bool]string{true: l.yes, false: l.no} {
			for word := range strings.SplitSeq(list, ", ") {
				for _, form := range []string{word, normalizeName(word)} {
					if before, known := meaning[form]; known && before != yes && form != "" {
						t.Errorf("%s: %q means both yes and no", l.code, form)
					}
					meaning[form] = yes
				}
			}
		}
	}
}
