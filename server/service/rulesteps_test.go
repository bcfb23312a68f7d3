package service_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/engine"
	"github.com/intraydata/intray/server/imports"
	"github.com/intraydata/intray/server/model"
	"github.com/intraydata/intray/server/service"
	"github.com/intraydata/intray/source/formats"
)

// TestFindingS5TooMuchWorkFailsImport checks that an import whose validators take too much work
// fails with this reason, without a result and without the rows that it has already staged, and
// that the next import succeeds.
func TestFindingS5TooMuchWorkFailsImport(t *testing.T) {
	t.Parallel()
	const rows = 20_000
	// Rules examine each distinct value once, so all names differ.
	var names strings.Builder
	names.WriteString("Name\n")
	for i := range rows {
		fmt.Fprintf(&names, "AdaLovelace%07d\n", i)
	}
	file := names.String()
	for rule, steps := range map[string]int64{
		`{"validate":"alphabetical","level":"info"}`:              3 * rows,
		`{"validate":"regex_match","regex":"^A"}`:                 20 * rows,
		`{"validate":"require_with","fields":["name"]}`:           3 * rows,
		`{"validate":"unique","level":"warning"}`:                 30 * rows,
		`{"validate":"unique_with","uniqueKey":"k"}`:              30 * rows,
		`{"validate":"unique_case_insensitive","level":"info"}`:   30 * rows,
		`{"validate":"require_without_values","fieldValues":{}}`:  3 * rows,
		`{"validate":"length","min":1},{"validate":"required"}`:   6 * rows,
		`{"validate":"regex_exclude","regex":"(?:[a-z]{3}){9}x"}`: 20 * rows,
	} {
		t.Run(rule, func(t *testing.T) {
			t.Parallel()
			f := newFixture(t, func(_ *fixture, cfg *service.Config) {
				cfg.Engine = engine.New(engine.Config{Formats: formats.Formats(""), Workers: 2, RuleSteps: steps})
			})
			fields := `[{"key":"name","label":"Name","validators":[` + rule + `]}]`
			run := func(file string) model.Import {
				imp, err := f.CreateImport(f.ctx, f.org, imports.Draft{Doc: doc(t, fields, "")})
				must(t, err)
				must(t, f.upload(imp, file))
				f.runAll()
				return f.reload(imp)
			}
			imp := run(file)
			want := intray.NewMessage("file.over_limit", intray.Params{"reason": intray.NewMessage("limit.rules", nil)})
			if imp.Status != model.Failed || imp.Outcome == nil {
				t.Fatalf("the import is %s with outcome %+v", imp.Status, imp.Outcome)
			}
			if all := imp.Outcome.Notices; len(all) != 1 || all[0].Type != intray.TooLarge || all[0].Level != intray.LevelError || !all[0].Text.Equal(want) {
				t.Errorf("the notices are %+v", all)
			}
			if imp.Stage != "" || imp.Result.Key != "" {
				t.Errorf("the stage is %q and the result %+v", imp.Stage, imp.Result)
			}
			f.wantNoBlobsOfRun(imp, 1)
			if imp := run("Name\nAda\n"); imp.Status == model.Failed {
				t.Errorf("the next import failed: %+v", imp.Outcome.Notices)
			}
		})
	}
}
