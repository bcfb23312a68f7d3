package schema

import (
	"maps"
	"net/url"
	"regexp"
	"strings"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/internal/jsonschema"
)

// Page describes the page on which people upload a file. Each text may be "".
type Page struct {
	// Title and Text say what is asked for. Text may contain line breaks.
	Title, Text string
	// Company is the name of the organization that asks for the file.
	Company string
	// Contact is the person or address that people can ask, such as an e-mail address.
	Contact string
	// AccentColor is a color in the form #rrggbb.
	AccentColor string
	// ReturnURL is the address of the page that people may return to.
	ReturnURL string
}

// The maximum numbers of characters of the texts of a page.
const (
	maxPageTitle, maxPageLine = 200, 200
	maxPageText               = 2000
	maxReturnURL              = 2048
)

// PageShape returns the shape of the object that describes a page. See Page.
func PageShape() *jsonschema.Schema {
	line := func(doc string, longest int) *jsonschema.Schema {
		return &jsonschema.Schema{Kind: jsonschema.String, Description: doc, NoControl: true, MaxLength: longest}
	}
	return named("UploadPage", objectShape("The page on which people upload a file.",
		optional("title", line("The heading, such as Your customer list.", maxPageTitle)),
		optional("text", &jsonschema.Schema{Kind: jsonschema.String, Description: "What people should know before they upload a file. Plain text.", MaxLength: maxPageText}),
		optional("company", line("The name of the company that asks for the file.", maxPageLine)),
		optional("contact", line("Whom people can ask, such as an e-mail address.", maxPageLine)),
		optional("accentColor", line("The color of buttons and links, in the form #rrggbb.", len("#rrggbb"))),
		optional("returnUrl", line("An https address that people can return to after the import.", maxReturnURL))))
}

var hexColor = regexp.MustCompile(`^#[0-9A-Fa-f]{6}$`)

// CheckPage returns the issues in an object that describes a page. Their paths start in the object.
func CheckPage(page any) []Issue {
	if issues := PageShape().Validate(page); len(issues) > 0 {
		return issues
	}
	p := &parser{}
	p.checkPage("", page)
	return p.issues
}

func (p *parser) checkPage(prefix string, page any) {
	read := ReadPage(page)
	if read.AccentColor != "" && !hexColor.MatchString(read.AccentColor) {
		p.addIssue(prefix+"accentColor", intray.NewMessage("schema.invalid_color", nil))
	}
	if read.ReturnURL == "" {
		return
	}
	if u, err := url.Parse(read.ReturnURL); err != nil || u.Scheme != "https" || u.Host == "" || u.User != nil || strings.ContainsAny(read.ReturnURL, " \\") {
		p.addIssue(prefix+"returnUrl", intray.NewMessage("schema.invalid_return_url", nil))
	}
}

// ReadPage returns the page that an object describes, which must match PageShape. Of several
// objects, each overrides the properties of those before it.
func ReadPage(objects ...any) Page {
	all := map[string]any{}
	for _, one := range objects {
		object, _ := one.(map[string]any)
		maps.Copy(all, object)
	}
	text := func(name string) string {
		s, _ := all[name].(string)
		return strings.TrimSpace(s)
	}
	return Page{
		Title: text("title"), Text: text("text"), Company: text("company"), Contact: text("contact"),
		AccentColor: text("accentColor"), ReturnURL: text("returnUrl"),
	}
}
