package lint

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/internal/shape"
)

// known is what the rules of one field say together, as far as it is seen.
type known struct {
	// seen gives the first rule of each kind and properties.
	seen map[string]int
	// required is the place of the strictest rule required, or -1.
	required int
	// values are the rules on values, never those that no filled cell keeps.
	values, never []int
	// wants are the forms that each rule takes.
	wants []want
	// patterns gives the first rule with each expression.
	patterns map[*pattern]int
	// with and without are the first rules that want the cell filled where one
	// other field is, or is not, filled or of a value.
	with, without map[string]int
}

// want is what a rule takes: texts of these forms.
type want struct {
	rule  int
	forms []form
}

// rules looks through the rules of a field.
func (l *linter) rules(i int, f intray.Field) {
	if len(f.Validators) == 0 {
		return
	}
	k := known{seen: map[string]int{}, required: -1, patterns: map[*pattern]int{}, with: map[string]int{}, without: map[string]int{}}
	for n, v := range f.Validators {
		if v.Rule == "required" && (k.required < 0 || v.Level < f.Validators[k.required].Level) {
			k.required = n
		}
	}
	values := l.closed(f)
	for n, v := range f.Validators {
		if l.repeatedRule(i, n, f, &k) {
			continue
		}
		never := false
		switch v.Rule {
		case "length":
			never = l.length(i, n, f, values, &k)
		case "alphabetical":
			never = l.alphabetical(i, n, f, values, &k)
		case "regex_match", "regex_exclude":
			never = l.regex(i, n, f, values, &k)
		default:
			l.requireRule(i, n, f, &k)
			continue
		}
		k.values = append(k.values, n)
		if never {
			k.never = append(k.never, n)
		}
	}
	l.togetherNever(i, f, &k)
	l.behindNever(i, f, &k)
}

// ruleKey writes what a rule asks, without its level and text.
func ruleKey(v intray.Validator) string {
	switch v.Rule {
	case "required", "unique", "unique_case_insensitive", "alphabetical":
		return v.Rule
	case "length":
		return fmt.Sprint(v.Rule, " ", v.Options["min"], " ", v.Options["max"])
	}
	if len(v.Options) == 1 && v.Options["regex"] != nil {
		return fmt.Sprint(v.Rule, " ", v.Options["regex"])
	}
	text, err := json.Marshal(v.Options)
	if err != nil {
		return ""
	}
	return v.Rule + string(text)
}

// repeatedRule tells of a rule that another rule of the field says already, at
// a level that is as strict.
func (l *linter) repeatedRule(i, n int, f intray.Field, k *known) bool {
	v := f.Validators[n]
	key := ruleKey(v)
	first, again := k.seen[key]
	switch {
	case key == "" || !again:
		k.seen[key] = n
		return false
	case v.Level == f.Validators[first].Level:
		l.warn(l.ruleAt(i, n, ""), "rule_repeated", "validators[%d] is the same rule. Take one of them away.", first)
	default:
		low, high := n, first
		if v.Level < f.Validators[first].Level {
			low, high = first, n
		}
		l.warn(l.ruleAt(i, low, "level"), "rule_repeated",
			"validators[%d] is the same rule at the level %s, so that this one, at %s, only tells it again. Take it away.",
			high, f.Validators[high].Level, f.Validators[low].Level)
	}
	return true
}

// notText says what to use in place of a rule that is about texts.
func notText(t intray.TypeName) string {
	switch t {
	case intray.TypeNumber:
		return "Bound a number with min and max of its type."
	case intray.TypeMultiSelect:
		return "Its value is a list of options."
	case intray.TypeDate, intray.TypeDatetime, intray.TypeTime:
		return "How it is written is up to its type."
	case intray.TypeCheckbox:
		return "It is true or false."
	}
	return ""
}

// length looks at a rule length. It says whether no filled cell keeps it.
func (l *linter) length(i, n int, f intray.Field, values []string, k *known) bool {
	v := f.Validators[n]
	least, most := bounds(v)
	want := form{max(least, 1), most, nil}
	if most == 0 {
		l.warn(l.ruleAt(i, n, "max"), "rule_never_kept", "A length of at most 0 leaves no room for any text, so that every filled cell breaks this rule. Raise max.%s", withRequired(k))
		return true
	}
	if why := notText(f.Type.Name); why != "" {
		l.warn(l.ruleAt(i, n, ""), "rule_not_for_type", "A rule on length is about texts, and a %s is none. %s Take the rule away.", f.Type.Name, why)
		return false
	}
	if values != nil {
		return l.brokenRule(i, n, values, func(text string) bool {
			c := codePoints(text)
			return c >= least && (most < 0 || c <= most)
		})
	}
	has := formOf(f)
	switch {
	case has.apart(want):
		l.warn(l.ruleAt(i, n, ""), "rule_never_kept", "A value of the type %s has %s, so that every filled cell breaks this rule. Mend the bounds or take the rule away.%s", f.Type.Name, lengths(has), withRequired(k))
		return true
	case has.most >= 0 && has.least >= least && (most < 0 || has.most <= most):
		l.info(l.ruleAt(i, n, ""), "rule_without_effect", "A value of the type %s always has %s, so that this rule refuses nothing. Take it away.", f.Type.Name, lengths(has))
	}
	k.wants = append(k.wants, wantOf(n, want))
	return false
}

func wantOf(rule int, forms ...form) want { return want{rule, forms} }

func withRequired(k *known) string {
	if k.required < 0 {
		return ""
	}
	return fmt.Sprintf(" With the rule required beside it (validators[%d]), no cell at all is free of problems.", k.required)
}

// bounds gives those of a rule length; most is negative without one.
func bounds(v intray.Validator) (least, most int) {
	if n, ok := shape.Int64(v.Options["min"]); ok {
		least = int(min(n, unending))
	}
	most = -1
	if n, ok := shape.Int64(v.Options["max"]); ok {
		most = int(min(n, unending))
	}
	return least, most
}

func lengths(f form) string {
	switch {
	case f.most < 0:
		return fmt.Sprintf("at least %s", counted(f.least, "character"))
	case f.least == f.most:
		return fmt.Sprintf("exactly %s", counted(f.least, "character"))
	}
	return fmt.Sprintf("%d to %s", f.least, counted(f.most, "character"))
}

// alphabetical looks at a rule alphabetical.
func (l *linter) alphabetical(i, n int, f intray.Field, values []string, k *known) bool {
	switch f.Type.Name {
	case intray.TypeNumber, intray.TypeDate, intray.TypeDatetime, intray.TypeTime, intray.TypeMultiSelect, intray.TypeEmail,
		intray.TypePhone, intray.TypeURL, intray.TypeDomain, intray.TypeZIP, intray.TypeSSN, intray.TypeUUID:
		l.warn(l.ruleAt(i, n, ""), "rule_never_kept", "A value of the type %s is never written with letters alone, so that every filled cell breaks this rule. Take it away.%s", f.Type.Name, withRequired(k))
		return true
	case intray.TypeState, intray.TypeCountry, intray.TypeCheckbox:
		l.info(l.ruleAt(i, n, ""), "rule_without_effect", "A value of the type %s is always written with letters alone, so that this rule refuses nothing. Take it away.", f.Type.Name)
		return false
	}
	if values != nil {
		return l.brokenRule(i, n, values, alphabeticalText)
	}
	k.wants = append(k.wants, wantOf(n, form{1, -1, letters}))
	return false
}

func alphabeticalText(text string) bool {
	return strings.IndexFunc(text, func(r rune) bool { return r > 'z' || !isAlnum(byte(r)) || r <= '9' }) < 0
}

// mostWants is how many rules of a field are compared with each other.
const mostWants = 20

// togetherNever looks for two rules that no text keeps both.
func (l *linter) togetherNever(i int, f intray.Field, k *known) {
	wants := k.wants[:min(len(k.wants), mostWants)]
	for a := range wants {
		for _, b := range wants[:a] {
			if allApart(wants[a].forms, b.forms) {
				l.warn(l.ruleAt(i, wants[a].rule, ""), "rules_contradict",
					"No text keeps both this rule and validators[%d] (%s), so that every filled cell breaks one of them. Change one or take it away.%s",
					b.rule, f.Validators[b.rule].Rule, withRequired(k))
				break
			}
		}
	}
}

// behindNever tells of rules on values beside one that no value keeps.
func (l *linter) behindNever(i int, f intray.Field, k *known) {
	if len(k.never) == 0 || f.Validators[k.never[0]].Level != intray.LevelError {
		return
	}
	var behind []string
	for _, n := range k.values {
		if !slices.Contains(k.never, n) {
			behind = append(behind, indexed("validators", n))
		}
	}
	if len(behind) > 0 {
		l.info(l.ruleAt(i, k.never[0], ""), "rules_unreachable",
			"As long as no filled cell keeps this rule, %s cannot make a cell valid or invalid.", listed(behind, len(behind)))
	}
}
