package server

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/intraydata/intray/server/model"
)

// ParseQuotas parses a comma-separated list of limits of organizations, such as
// "imports=2000000,stored-bytes=0". 0 means no limit. "ORG:NAME=N" sets the limit of the
// organization with this id only.
func ParseQuotas(text string) (model.Quotas, error) {
	known := map[model.Quota]bool{}
	names := []string{}
	for _, quota := range model.AllQuotas() {
		known[quota] = true
		names = append(names, string(quota))
	}
	quotas := model.Quotas{ForAll: map[model.Quota]int64{}, ByOrg: map[string]map[model.Quota]int64{}}
	for part := range strings.SplitSeq(text, ",") {
		if part = strings.TrimSpace(part); part == "" {
			continue
		}
		name, value, _ := strings.Cut(part, "=")
		org, ownName, forOne := strings.Cut(name, ":")
		limits := quotas.ForAll
		if forOne {
			id, isID := model.ParseID(org)
			if !isID {
				return quotas, fmt.Errorf("%q is not the ID of an organization", org)
			}
			if quotas.ByOrg[id] == nil {
				quotas.ByOrg[id] = map[model.Quota]int64{}
			}
			name, limits = ownName, quotas.ByOrg[id]
		}
		quota := model.Quota(strings.TrimSpace(name))
		limit, err := strconv.ParseInt(strings.TrimSpace(value), 10, 64)
		switch {
		case !known[quota]:
			return quotas, fmt.Errorf("%q is not the name of a quota; the names are %s", name, strings.Join(names, ", "))
		case err != nil || limit < 0:
			return quotas, fmt.Errorf("%q is not a limit such as %s=1000; 0 means no limit", part, quota)
		}
		if _, twice := limits[quota]; twice {
			return quotas, fmt.Errorf("%s is set twice", name)
		}
		limits[quota] = limit
	}
	return quotas, nil
}
