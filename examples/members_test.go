package examples_test

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
	"time"

	"golang.org/x/text/encoding/japanese"
)

// place is a city in Japan, with the first three digits of its postal codes and a phone
// number format in which # is a digit.
type place struct{ prefecture, city, postal, phone string }

func places() []place {
	return []place{
		{"東京都", "世田谷区桜丘", "156", "03-3426-000#"}, {"神奈川県", "横浜市港北区菊名", "222", "045-431-000#"},
		{"大阪府", "吹田市山手町", "564", "06-6388-000#"}, {"北海道", "札幌市北区北七条西", "060", "011-746-000#"},
		{"愛知県", "名古屋市千種区今池", "464", "052-741-000#"}, {"福岡県", "福岡市中央区薬院", "810", "092-521-000#"},
		{"京都府", "京都市左京区下鴨", "606", "075-781-000#"}, {"広島県", "広島市南区宇品", "734", "082-251-000#"},
	}
}

// members returns a list of the members of an association in the encoding of Japanese
// Windows. It has digits of both widths and dates with Japanese characters.
func members(t *testing.T) []byte {
	d := newDraw(4)
	rows := joined(d, 150)
	for _, s := range []slip{
		{9, 7, "sato.misaki＠mail.example"}, {24, 9, "2021年2月30日"}, {38, 0, rows[30][0]}, {55, 11, "退会？"},
		{71, 3, "〒12-345"}, {88, 10, "未定"}, {104, 6, "03-12"}, {126, 1, ""},
	} {
		s.spoil(rows)
	}
	var b bytes.Buffer
	delimited(&b, [][]string{
		{"みなと市民合唱団　会員名簿"}, {"出力日：2021年10月1日"}, {},
		{"会員番号", "氏名", "フリガナ", "郵便番号", "都道府県", "住所", "電話番号", "メールアドレス", "生年月日", "入会日", "年会費", "会員区分"},
	}, ",", false, "\r\n")
	delimited(&b, rows, ",", false, "\r\n")
	return encode(t, japanese.ShiftJIS, b.Bytes())
}

func joined(d draw, n int) (rows [][]string) {
	last := [][3]string{{"佐藤", "サトウ", "sato"}, {"鈴木", "スズキ", "suzuki"}, {"髙橋", "タカハシ", "takahashi"}, {"渡邊", "ワタナベ", "watanabe"}, {"小林", "コバヤシ", "kobayashi"}, {"山﨑", "ヤマザキ", "yamazaki"}, {"表", "オモテ", "omote"}}
	first := [][3]string{{"美咲", "ミサキ", "misaki"}, {"健一", "ケンイチ", "kenichi"}, {"さくら", "サクラ", "sakura"}, {"大輔", "ダイスケ", "daisuke"}, {"陽子", "ヨウコ", "yoko"}, {"翔太", "ショウタ", "shota"}}
	list := places()
	for i := range n {
		family, given, at := last[d.IntN(len(last))], first[d.IntN(len(first))], list[d.IntN(len(list))]
		phone, postal := d.number(at.phone), d.number("〒"+at.postal+"-00##")
		if d.one(3) {
			phone = d.number("090-6###-000#")
		}
		if d.one(5) {
			phone = wide(phone)
		}
		mail := fmt.Sprintf("%s.%s%d@mail.example", family[2], given[2], i+1)
		if d.one(6) {
			mail = ""
		}
		birth := d.day(day(2002, time.March, 31), 18000)
		born := inWords(birth)
		if birth.Year() < 1989 && d.one(2) {
			born = fmt.Sprintf("昭和%d年%s", birth.Year()-1925, birth.Format("1月2日")) // years of the Showa era
		}
		if d.one(4) {
			born = wide(born)
		}
		kind := d.of("正会員", "正会員", "正会員", "準会員", "賛助会員")
		fee := map[string]string{"正会員": "１２，０００", "準会員": "６，０００", "賛助会員": "３０，０００"}[kind]
		if d.one(2) {
			fee = map[string]string{"正会員": "12,000", "準会員": "6,000", "賛助会員": "30,000"}[kind]
		}
		rows = append(rows, []string{
			fmt.Sprintf("%06d", 120+i), family[0] + "　" + given[0], family[1] + "　" + given[1], postal, at.prefecture,
			at.city + wide(fmt.Sprintf("%d-%d-%d", d.between(1, 6), d.between(1, 30), d.between(1, 20))), phone, mail,
			born, inWords(d.day(day(2021, time.September, 30), 2500)), fee, kind,
		})
	}
	return rows
}

func inWords(t time.Time) string { return t.Format("2006年1月2日") }

// wide returns text with full-width digits and signs.
func wide(text string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == '-':
			return '－'
		case r >= '0' && r <= '9':
			return r - '0' + '０'
		}
		return r
	}, text)
}
