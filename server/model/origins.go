package model

import (
	"net/url"
	"slices"
	"strings"

	"github.com/intraydata/intray"
)

// Origins is a list of origins of web pages, such as https://app.example.com, separated by spaces. The
// empty list allows every origin in development mode, and none otherwise.
type Origins string

// maxOrigins is the maximum number of origins of a key.
const maxOrigins = 100

// ParseOrigins returns the given origins. It returns an Invalid error if one of them is not a scheme
// http or https with a host and an optional port.
func ParseOrigins(given []string) (Origins, error) {
	if len(given) > maxOrigins {
		return "", InvalidField("origins", intray.NewMessage("license_key.too_many_origins", intray.Params{"n": maxOrigins}))
	}
	list := make([]string, 0, len(given))
	for _, text := range given {
		u, err := url.Parse(strings.ToLower(strings.TrimSuffix(text, "/")))
		if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Hostname() == "" || u.String() != u.Scheme+"://"+u.Host || strings.ContainsAny(u.Host, " ;,*'\"") {
			return "", InvalidField("origins", intray.NewMessage("license_key.invalid_origin", intray.Params{"origin": Truncate(text)}))
		}
		if origin := u.String(); !slices.Contains(list, origin) {
			list = append(list, origin)
		}
	}
	return Origins(strings.Join(list, " ")), nil
}

// List returns the origins.
func (o Origins) List() []string { return strings.Fields(string(o)) }

// Allow reports whether a page of an origin may use the key.
func (o Origins) Allow(origin string, developmentMode bool) bool {
	if o == "" {
		return developmentMode
	}
	return slices.Contains(o.List(), strings.ToLower(origin))
}
