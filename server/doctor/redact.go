package doctor

import (
	"regexp"
	"strings"
)

// mask replaces a secret.
const mask = "***"

// minSecret is the length below which a secret is not searched for in the report, in bytes. It could
// be part of an ordinary word. [Secrets] masks the passwords and parameters in URLs whatever their length.
const minSecret = 8

// Secrets are texts that must not appear in a report. The passwords and parameters of URLs never do.
type Secrets []string

var (
	// credentials is the part of a URL before the host if it contains a password.
	credentials = regexp.MustCompile(`(://[^\s/@:"]*):[^\s/@"]*@`)
	// otherCredentials is the same for a password that contains a slash.
	otherCredentials = regexp.MustCompile(`(://[^\s/@:"]*):[^\s"]*@`)
	// parameters are the parameters and the fragment of a URL.
	parameters = regexp.MustCompile(`(://[^\s?#"]*)[?#][^\s"]+`)
	// assignment is a password in the other notation of PostgreSQL.
	assignment = regexp.MustCompile(`(?i)\b(password|passfile|sslpassword)=[^\s"&]+`)
)

// Redact replaces the secrets in a text.
func (s Secrets) Redact(text string) string {
	for _, secret := range s {
		if secret = strings.TrimSpace(secret); len(secret) >= minSecret {
			text = strings.ReplaceAll(text, secret, mask)
		}
	}
	text = credentials.ReplaceAllString(text, "$1:"+mask+"@")
	text = otherCredentials.ReplaceAllString(text, "$1:"+mask+"@")
	text = parameters.ReplaceAllString(text, "$1?"+mask)
	return assignment.ReplaceAllString(text, "$1="+mask)
}

func (s Secrets) redactResult(r *Result) {
	r.Detail = s.Redact(r.Detail)
	for i := range r.Findings {
		f := &r.Findings[i]
		f.Problem, f.Where, f.Fix = s.Redact(f.Problem), s.Redact(f.Where), s.Redact(f.Fix)
	}
}
