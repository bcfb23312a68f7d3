package phone

// labels are the words that stand before a number, in small letters. They tell
// what line it is and are no part of it.
var labels = []string{
	"tel", "tel.nr", "tel.-nr", "tel nr", "tel no", "telnr", "telephone", "telephone number", "telefon", "telefonnummer", "telefono", "téléphone", "telefone",
	"teléfono", "telefoon", "tél", "fon", "phone", "phone number", "phone no", "phone nr", "ph", "p", "t", "m", "f", "h", "w", "o", "c",
	"mobile", "mobile phone", "mobile number", "mobil", "mob", "mobiel", "móvil", "movil", "celular", "cel", "cell", "cell phone", "cellphone", "handy",
	"portable", "gsm", "sms", "whatsapp", "fax", "telefax", "office", "work", "home", "number", "no", "nr", "n°", "№",
	"тел", "телефон", "моб", "факс", "電話", "电话", "callto",
}

// extensions stand between a number and its extension. A longer one goes before
// its own end.
var extensions = []string{
	";ext=", "ext=", "extension", "extensión", "extensions", "extn", "ext", "xtn", "durchwahl", "nebenstelle", "apparat", "app", "dw",
	"poste", "interno", "int", "anexo", "ramal", "toestel", "lokal", "linka", "klapka", "wew", "доб", "внутр", "分機", "内線",
	"x", "#", "~", ",,",
}

// between stand between two numbers.
var between = []string{",", ";", "|", "&", "\n", "\r", "\\", " or ", " and ", " oder ", " und ", " ou ", " et ", " y ", " o ", " e ", " или ", " и "}
