package numfmt

import "strings"

// Languages of locale tags whose dates have calendars of their own.
const (
	languageJapan  = 0x411
	languageTaiwan = 0x404
)

// names are the words of a calendar in one language.
type names struct {
	months, shortMonths [12]string
	days, shortDays     [7]string
}

// languages are those whose words are known, with the lower ten bits of their
// numbers and the beginning of their tags.
var languages = [...]struct {
	number uint16
	tag    string
	names  *names
}{
	{0x07, "de", &german},
	{0x0a, "es", &spanish},
	{0x0c, "fr", &french},
	{0x10, "it", &italian},
	{0x13, "nl", &dutch},
	{0x16, "pt", &portuguese},
	{languageJapan, "ja", &english},
}

// namesOf finds the words of a locale tag's language; English where it has none
// here.
func namesOf(language uint16) *names {
	for i := range languages {
		if languages[i].number == language&0x3ff {
			return languages[i].names
		}
	}
	return &english
}

// languageOf finds the language of a tag that is spelled, such as de-DE.
func languageOf(tag string) uint16 {
	tag, _, _ = strings.Cut(strings.ToLower(tag), "-")
	for i := range languages {
		if languages[i].tag == tag {
			return languages[i].number
		}
	}
	return 0
}

var (
	english = names{
		months:      [12]string{"January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November", "December"},
		shortMonths: [12]string{"Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"},
		days:        [7]string{"Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"},
		shortDays:   [7]string{"Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"},
	}
	german = names{
		months:      [12]string{"Januar", "Februar", "März", "April", "Mai", "Juni", "Juli", "August", "September", "Oktober", "November", "Dezember"},
		shortMonths: [12]string{"Jan", "Feb", "Mrz", "Apr", "Mai", "Jun", "Jul", "Aug", "Sep", "Okt", "Nov", "Dez"},
		days:        [7]string{"Sonntag", "Montag", "Dienstag", "Mittwoch", "Donnerstag", "Freitag", "Samstag"},
		shortDays:   [7]string{"So", "Mo", "Di", "Mi", "Do", "Fr", "Sa"},
	}
	spanish = names{
		months:      [12]string{"enero", "febrero", "marzo", "abril", "mayo", "junio", "julio", "agosto", "septiembre", "octubre", "noviembre", "diciembre"},
		shortMonths: [12]string{"ene", "feb", "mar", "abr", "may", "jun", "jul", "ago", "sep", "oct", "nov", "dic"},
		days:        [7]string{"domingo", "lunes", "martes", "miércoles", "jueves", "viernes", "sábado"},
		shortDays:   [7]string{"dom", "lun", "mar", "mié", "jue", "vie", "sáb"},
	}
	french = names{
		months:      [12]string{"janvier", "février", "mars", "avril", "mai", "juin", "juillet", "août", "septembre", "octobre", "novembre", "décembre"},
		shortMonths: [12]string{"janv", "févr", "mars", "avr", "mai", "juin", "juil", "août", "sept", "oct", "nov", "déc"},
		days:        [7]string{"dimanche", "lundi", "mardi", "mercredi", "jeudi", "vendredi", "samedi"},
		shortDays:   [7]string{"dim", "lun", "mar", "mer", "jeu", "ven", "sam"},
	}
	italian = names{
		months:      [12]string{"gennaio", "febbraio", "marzo", "aprile", "maggio", "giugno", "luglio", "agosto", "settembre", "ottobre", "novembre", "dicembre"},
		shortMonths: [12]string{"gen", "feb", "mar", "apr", "mag", "giu", "lug", "ago", "set", "ott", "nov", "dic"},
		days:        [7]string{"domenica", "lunedì", "martedì", "mercoledì", "giovedì", "venerdì", "sabato"},
		shortDays:   [7]string{"dom", "lun", "mar", "mer", "gio", "ven", "sab"},
	}
	dutch = names{
		months:      [12]string{"januari", "februari", "maart", "april", "mei", "juni", "juli", "augustus", "september", "oktober", "november", "december"},
		shortMonths: [12]string{"jan", "feb", "mrt", "apr", "mei", "jun", "jul", "aug", "sep", "okt", "nov", "dec"},
		days:        [7]string{"zondag", "maandag", "dinsdag", "woensdag", "donderdag", "vrijdag", "zaterdag"},
		shortDays:   [7]string{"zo", "ma", "di", "wo", "do", "vr", "za"},
	}
	portuguese = names{
		months:      [12]string{"janeiro", "fevereiro", "março", "abril", "maio", "junho", "julho", "agosto", "setembro", "outubro", "novembro", "dezembro"},
		shortMonths: [12]string{"jan", "fev", "mar", "abr", "mai", "jun", "jul", "ago", "set", "out", "nov", "dez"},
		days:        [7]string{"domingo", "segunda-feira", "terça-feira", "quarta-feira", "quinta-feira", "sexta-feira", "sábado"},
		shortDays:   [7]string{"dom", "seg", "ter", "qua", "qui", "sex", "sáb"},
	}
	// islamicNames has the months of the Islamic year only.
	islamicNames = names{
		months:      islamicMonths,
		shortMonths: islamicMonths,
	}
	islamicMonths = [12]string{"Muharram", "Safar", "Rabi I", "Rabi II", "Jumada I", "Jumada II", "Rajab", "Sha'ban", "Ramadan", "Shawwal", "Dhu'l-Qi'dah", "Dhu'l-Hijjah"}
)
