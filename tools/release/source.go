package main

import (
	"fmt"
	"os/exec"
	"strconv"
	"strings"
	"time"
)

// source is a commit that a release is built from.
type source struct {
	// folder is the root of the repository.
	folder string
	// version is the version without the v of the tag: 1.2.3. For a commit without a tag, it
	// looks like the pseudo-versions of Go: 0.0.0-20261128041937-b6ff9529f3a1.
	version string
	// commit is the full hash.
	commit string
	// date is the date of the commit. It is the time of all files.
	date time.Time
}

// readSource reads the commit from Git. It returns an error if files differ from the commit,
// because nobody could reproduce such a release.
func readSource(folder string) (source, error) {
	src := source{folder: folder}
	changed, err := git(folder, "status", "--porcelain")
	if err != nil {
		return src, err
	}
	if changed != "" {
		return src, fmt.Errorf("a release is built from a commit, but these files have changed:\n%s\nCommit or stash them", changed)
	}
	if src.commit, err = git(folder, "rev-parse", "HEAD"); err != nil {
		return src, err
	}
	seconds, err := git(folder, "show", "-s", "--format=%ct", "HEAD")
	if err != nil {
		return src, err
	}
	unix, err := strconv.ParseInt(seconds, 10, 64)
	if err != nil {
		return src, err
	}
	src.date = time.Unix(unix, 0).UTC()
	tags, err := git(folder, "tag", "--points-at", "HEAD", "--sort=-version:refname", "--list", "v[0-9]*")
	if err != nil {
		return src, err
	}
	src.version = versionOf(tags, src.commit, src.date)
	return src, nil
}

// versionOf returns the version of a commit with these tags, one per line.
func versionOf(tags, commit string, date time.Time) string {
	if tag, _, _ := strings.Cut(tags, "\n"); tag != "" {
		return strings.TrimPrefix(tag, "v")
	}
	return "0.0.0-" + date.Format("20060102150405") + "-" + commit[:12]
}

// git runs Git and returns its output without the last line break.
func git(folder string, args ...string) (string, error) {
	out, err := exec.Command("git", append([]string{"-C", folder}, args...)...).Output()
	if err != nil {
		return "", fmt.Errorf("git %s: %w", strings.Join(args, " "), withStderr(err))
	}
	return strings.TrimSuffix(string(out), "\n"), nil
}
