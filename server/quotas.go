package server

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/intraydata/intray/server/model"
)

// ParseQuotas parses a comma-separated list of limits of organizations, such as
// "imports=2000000,stored-bytes=0". 0 means no limit. "ORG:NAME=N" sets the limit of the
// organization with this id only.
func ParseQuotas(text string) (model.Quotas, error) {
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
		quota, err := parseQuota(name)
		if err != nil {
			return quotas, err
		}
		limit, err := strconv.ParseInt(strings.TrimSpace(value), 10, 64)
		if err != nil || limit < 0 {
			return quotas, fmt.Errorf("%q is not a limit such as %s=1000; 0 means no limit", part, quota)
		}
		if _, twice := limits[quota]; twice {
			return quotas, fmt.Errorf("%s is set twice", name)
		}
		limits[quota] = limit
	}
	return quotas, nil
}

// parseQuota parses the name of a quota.
func parseQuota(name string) (model.Quota, error) {
	quota := model.Quota(strings.TrimSpace(name))
	all := model.AllQuotas()
	if slices.Contains(all, quota) {
		return quota, nil
	}
	names := make([]string, len(all))
	for i, known := range all {
		names[i] = string(known)
	}
	return "", fmt.Errorf("%q is not the name of a quota; the names are %s", name, strings.Join(names, ", "))
}

// ParseLimits parses limits of one organization, such as "imports=2000000". The limit of
// "imports=default" is nil.
func ParseLimits(list []string) (map[model.Quota]*int64, error) {
	limits := map[model.Quota]*int64{}
	for _, text := range list {
		name, value, _ := strings.Cut(text, "=")
		quota, err := parseQuota(name)
		if err != nil {
			return nil, err
		}
		if _, twice := limits[quota]; twice {
			return nil, fmt.Errorf("%s is set twice", quota)
		}
		limits[quota] = nil
		if value == "default" {
			continue
		}
		limit, err := strconv.ParseInt(value, 10, 64)
		if err != nil || limit < 0 {
			return nil, fmt.Errorf("%q is not a limit such as %s=1000 or %s=default; 0 means no limit", text, quota, quota)
		}
		limits[quota] = &limit
	}
	return limits, nil
}
