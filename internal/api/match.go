package api

import (
	"regexp"
	"strings"

	"github.com/intraydata/intray"
)

// maxTags is the most tags that one If-Match may have.
const maxTags = 20

var entityTag = regexp.MustCompile(`^(W/)?"([!#-~]*)"[ \t]*(?:,|$)`)

// ifMatch reads RFC 9110's header: the tags of which one must be in place, "*"
// for any, and nil where nothing is asked. The comparison is the strong one, in
// which a weak tag fits nothing. So a header of weak tags gives none.
func ifMatch(values []string) ([]string, error) {
	rest := strings.Trim(strings.Join(values, ","), " \t,")
	if len(values) == 0 {
		return nil, nil
	}
	if rest == "*" {
		return []string{"*"}, nil
	}
	tags := []string{}
	for count := 0; rest != "" || count == 0; count++ {
		match := entityTag.FindStringSubmatch(rest)
		if match == nil || count == maxTags {
			return nil, invalidField("If-Match", intray.NewMessage("request.invalid_if_match", intray.Params{"n": maxTags}))
		}
		if tag := match[2]; match[1] == "" && tag != "" && tag != "*" {
			tags = append(tags, tag)
		}
		rest = strings.TrimLeft(rest[len(match[0]):], " \t,")
	}
	return tags, nil
}
