package celltype

import "testing"

// TestMissingMarkers checks a marker in each of 21 languages and of each program. They come from
// the default na_values of pandas 2.2 (io.parsers.readers), from the translations of #N/A in
// Microsoft Excel, and from the abbreviations in the style guides of the statistical offices:
// k. A. (Destatis), n.c. (INSEE), s/d (INE), n.d. (Istat), н/д (Rosstat) and b.d. (GUS).
func TestMissingMarkers(t *testing.T) {
	for language, markers := range map[string][]string{
		"pandas": {"#N/A", "#N/A N/A", "#NA", "-nan", "<NA>", "N/A", "NA", "NULL", "NaN", "None", "n/a", "nan", "null"},
		"other":  {`\N`, "(null)", "[NULL]", "(blank)", "NaT", ".", "..", "-", "--", "—", "?"},
		"en":     {"n.a.", "Not available", "not applicable", "Unknown"}, "de": {"k.A.", "k. A.", "keine Angabe", "Unbekannt", "#NV"},
		"fr": {"n.c.", "non renseigné", "Inconnu", "#N/D"}, "es": {"s/d", "Sin datos", "no disponible"}, "it": {"n.d.", "non disponibile"},
		"nl": {"n.v.t.", "onbekend", "#N/B"}, "pl": {"b.d.", "Brak danych", "nie dotyczy"}, "pt": {"sem dados", "Não disponível"},
		"ja": {"不明", "未入力"}, "zh": {"未知", "不详"}, "ru": {"н/д", "Нет данных", "НЕИЗВЕСТНО"}, "sv": {"saknas", "Uppgift saknas"},
		"cs": {"neuvedeno"}, "ko": {"해당없음"}, "no": {"ukjent"}, "hu": {"nincs adat"}, "da": {"Ikke oplyst"}, "fi": {"ei tietoa"},
		"tr": {"bilinmiyor"}, "uk": {"немає даних"}, "ro": {"necunoscut"}, "el": {"άγνωστο"}, "ar": {"غير متوفر"},
	} {
		for _, marker := range markers {
			if !IsMissingMarker([]byte(marker)) {
				t.Errorf("%s: %q is no marker", language, marker)
			}
		}
	}
	for _, text := range []string{"", "0", "999", "-1", "9999-12-31", "#DIV/0!", "#REF!", "tbd", "no", "nano", "Nadia", "N", "x", "a - b", "empty set"} {
		if IsMissingMarker([]byte(text)) {
			t.Errorf("%q is a marker", text)
		}
	}
}
