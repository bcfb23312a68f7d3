package celltype

import (
	"strings"
	"sync"
)

// maxMarkerBytes is an upper bound for the length of a marker of a missing value, in bytes.
const maxMarkerBytes = 48

// IsMissingMarker reports whether text, which has no surrounding white space, marks a missing
// value, in any case. The markers are those that programs write and that people write in 36
// languages.
func IsMissingMarker(text []byte) bool {
	if len(text) == 0 || len(text) > maxMarkerBytes {
		return false
	}
	markers := missingMarkers()
	return markers[string(text)] || markers[strings.ToLower(string(text))]
}

// missingMarkers holds the markers in lower case.
var missingMarkers = sync.OnceValue(func() map[string]bool {
	markers := map[string]bool{}
	for _, list := range markerLanguages {
		for marker := range strings.SplitSeq(list.markers, ", ") {
			markers[marker] = true
		}
	}
	return markers
})

// markerLanguages lists the markers of missing values. The first ones are the default na_values of
// pandas 2.2, the error value #N/A of Excel and its translations, and the markers of SQL, R, SAS,
// Stata and Tableau. Other error values, such as #DIV/0!, are errors. The others are abbreviations and words for "not available", "no answer",
// "unknown" and "empty".
var markerLanguages = []struct{ code, markers string }{
	{"", "-, --, ---, –, —, ., .., ..., …, ?, \\n, na, n/a, #n/a, #n/a n/a, #na, <na>, <n/a>, nan, -nan, null, <null>, (null), [null], nil, none, nat, (blank), (empty), [empty], (none), (missing), (not set), (n/a)"},
	{"en", "n.a., n. a., n/d, nd, n.d., not available, not applicable, no data, no answer, not specified, unknown, missing, empty, blank"},
	{"de", "k.a., k. a., k.a, keine angabe, keine angaben, nicht verfügbar, nicht vorhanden, unbekannt, entfällt, leer, #nv"},
	{"fr", "n.c., nc, non disponible, non renseigné, non communiqué, inconnu, vide, s.o., sans objet, #n/d"},
	{"es", "s/d, s.d., sin datos, sin dato, no disponible, no aplica, desconocido, vacío"},
	{"it", "n.d, n.p., non disponibile, sconosciuto, vuoto"},
	{"nl", "n.v.t., nvt, n.b., niet beschikbaar, onbekend, leeg, #n/b"},
	{"pl", "b.d., bd, brak, brak danych, nie dotyczy, nd., nieznany, #n/d!"},
	{"pt", "não disponível, não aplicável, sem dados, desconhecido, vazio"},
	{"ja", "なし, 不明, 未入力, 該当なし, データなし, 無回答"},
	{"zh", "无, 無, 未知, 不详, 不詳, 暂无, 缺失, 无数据, 不适用"},
	{"ru", "н/д, нет данных, неизвестно, не указано, пусто"},
	{"sv", "saknas, uppgift saknas, okänd, okänt, ej tillgänglig, #saknas!"},
	{"cs", "není k dispozici, neznámý, neznámé, neuvedeno, nevyplněno, #nen_k_dispozici"},
	{"ko", "없음, 미상, 해당없음, 해당 없음"},
	{"no", "ukjent, mangler, ikke tilgjengelig, ikke oppgitt, #i/t"},
	{"hu", "nincs adat, ismeretlen, nincs megadva, üres, #hiányzik"},
	{"da", "ukendt, ikke tilgængelig, ikke oplyst, #i/t"},
	{"sk", "neznáme, neznámy, nie je k dispozícii, neuvedené, #nedostupný"},
	{"fi", "ei tietoa, ei tiedossa, tuntematon, puuttuu, tyhjä, #puuttuu!"},
	{"ro", "indisponibil, necunoscut, fără date, gol"},
	{"uk", "немає даних, невідомо, не вказано, порожньо"},
	{"tr", "yok, bilinmiyor, veri yok, belirtilmemiş, boş, #yok"},
	{"et", "puudub, andmed puuduvad, teadmata, tundmatu"},
	{"hr", "nema podataka, nepoznato, nije dostupno, prazno"},
	{"vi", "không có, không rõ, chưa rõ, không có dữ liệu, trống"},
	{"lt", "nėra duomenų, nežinoma, nenurodyta, tuščia"},
	{"lv", "nav datu, nav zināms, nav norādīts, tukšs"},
	{"el", "δ/υ, δεν υπάρχει, άγνωστο, μη διαθέσιμο, κενό"},
	{"id", "tidak ada, tidak tersedia, tidak diketahui, kosong"},
	{"bg", "няма данни, неизвестно, не е посочено, празно"},
	{"ar", "غير متوفر, غير متاح, غير معروف, لا يوجد, فارغ"},
	{"he", "לא זמין, לא ידוע, אין נתונים, ריק"},
	{"th", "ไม่มี, ไม่มีข้อมูล, ไม่ทราบ, ไม่ระบุ, ว่าง"},
	{"sl", "ni podatka, ni podatkov, neznano, prazno"},
	{"sr", "нема података, непознато, nema podataka, nepoznato"},
	{"hi", "उपलब्ध नहीं, अज्ञात, लागू नहीं, खाली"},
}
