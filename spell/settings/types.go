package settings

import (
	"errors"
	"fmt"
	"math"
	"path"
	"path/filepath"
	"regexp/syntax"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"

	"spell-lsp/spell"
)

// maxWeight keeps the weighted sums of energies finite.
const maxWeight = 1e6

func text(trust Trust, name, doc, allowed string, check func(string) error, at func(*Settings) *string) Key {
	return Key{
		Name: name, Type: "string", Allowed: allowed, Doc: doc, Trust: trust,
		get:  func(s *Settings) any { return *at(s) },
		copy: func(to, from *Settings) { *at(to) = *at(from) },
		set: func(s *Settings, v value) error {
			if v.kind != textKind {
				return v.mustBe(allowed)
			}
			if err := check(v.text); err != nil {
				return fmt.Errorf("%w: %w", v.mustBe(allowed), err)
			}
			*at(s) = v.text
			return nil
		},
	}
}

func choice[T ~string](trust Trust, name, doc string, values []T, at func(*Settings) *T) Key {
	enum := make([]string, len(values))
	for i, v := range values {
		enum[i] = string(v)
	}
	allowed := "one of " + strings.Join(enum, ", ")
	return Key{
		Name: name, Type: "string", Allowed: allowed, Enum: enum, Doc: doc, Trust: trust,
		get:  func(s *Settings) any { return string(*at(s)) },
		copy: func(to, from *Settings) { *at(to) = *at(from) },
		set: func(s *Settings, v value) error {
			for _, allowed := range enum {
				if v.kind == textKind && v.text == allowed {
					*at(s) = T(v.text)
					return nil
				}
			}
			return fmt.Errorf("%w%s", v.mustBe(allowed), didYouMean(v.text, enum))
		},
	}
}

// library accepts what spell.ParseLibrary does.
func library(trust Trust, name, doc string, at func(*Settings) *spell.Library) Key {
	return Key{
		Name: name, Type: "string", Allowed: spell.LibraryWords, Doc: doc, Trust: trust,
		get:  func(s *Settings) any { return at(s).String() },
		copy: func(to, from *Settings) { *at(to) = *at(from) },
		set: func(s *Settings, v value) error {
			l, err := spell.ParseLibrary(v.text)
			if v.kind != textKind || v.text == "" || err != nil {
				return v.mustBe(spell.LibraryWords)
			}
			*at(s) = l
			return nil
		},
	}
}

// meters accepts one name, or several joined by commas. Package meters decides which of
// them can be combined. %s in doc stands for the list of names.
func meters(trust Trust, name, doc string, at func(*Settings) *string) Key {
	names := Meters()
	list := strings.Join(names, ", ")
	allowed := "one of " + list + ", or several joined by commas"
	return Key{
		Name: name, Type: "string", Allowed: allowed, Doc: fmt.Sprintf(doc, list), Trust: trust,
		get:  func(s *Settings) any { return *at(s) },
		copy: func(to, from *Settings) { *at(to) = *at(from) },
		set: func(s *Settings, v value) error {
			if v.kind != textKind {
				return v.mustBe(allowed)
			}
			for part := range strings.SplitSeq(v.text, ",") {
				if !slices.Contains(names, part) {
					return fmt.Errorf("%w%s", v.mustBe(allowed), didYouMean(part, names))
				}
			}
			*at(s) = v.text
			return nil
		},
	}
}

func level(name, doc string, at func(*Settings) *Level) Key {
	return choice(harmless, name, doc, []Level{Error, Warning, Information, Hint, Off}, at)
}

func boolean(trust Trust, name, doc string, at func(*Settings) *bool) Key {
	return Key{
		Name: name, Type: "boolean", Allowed: "true or false", Doc: doc, Trust: trust,
		get:  func(s *Settings) any { return *at(s) },
		copy: func(to, from *Settings) { *at(to) = *at(from) },
		set: func(s *Settings, v value) error {
			if v.kind != boolKind {
				return v.mustBe("true or false")
			}
			*at(s) = strings.EqualFold(v.text, "true")
			return nil
		},
	}
}

func integer[T int | uint32](trust Trust, name, doc string, low, high int64, at func(*Settings) *T) Key {
	allowed := fmt.Sprintf("a whole number from %d to %d", low, high)
	return Key{
		Name: name, Type: "integer", Allowed: allowed, Doc: doc, Trust: trust,
		get:  func(s *Settings) any { return *at(s) },
		copy: func(to, from *Settings) { *at(to) = *at(from) },
		set: func(s *Settings, v value) error {
			n, ok := v.number()
			if !ok || n != math.Trunc(n) || n < float64(low) || n > float64(high) {
				return v.mustBe(allowed)
			}
			*at(s) = T(n)
			return nil
		},
	}
}

// rounds is an integer or the word auto, which is stored as 0.
func rounds(trust Trust, name, doc string, at func(*Settings) *int) Key {
	const auto = "auto"
	k := integer(trust, name, doc, 1, 1000, at)
	k.Type, k.Allowed = "integer or string", "auto, or "+k.Allowed
	get, set := k.get, k.set
	k.get = func(s *Settings) any {
		if *at(s) == 0 {
			return auto
		}
		return get(s)
	}
	k.set = func(s *Settings, v value) error {
		if v.kind == textKind && v.text == auto {
			*at(s) = 0
			return nil
		}
		if set(s, v) != nil {
			return v.mustBe(k.Allowed)
		}
		return nil
	}
	return k
}

// share is a threshold of the zones. Because 0 in a ZoneRule means the default, a
// threshold of 0 is stored as -1. It only affects how results are shown.
func share(name, doc string, at func(*Settings) *float64) Key {
	return number(name, doc, "a number from 0 to 1", 1,
		func(s *Settings) float64 { return max(0, *at(s)) },
		func(s *Settings, n float64) {
			if n == 0 {
				n = -1
			}
			*at(s) = n
		})
}

func weight(d spell.Domain) Key {
	doc := fmt.Sprintf("Weight of a joule of the domain %s in the energy similarity.", d)
	return number("weights."+string(d), doc, fmt.Sprintf("a number from 0 to %d", int(maxWeight)), maxWeight,
		func(s *Settings) float64 { return s.Weights[d] },
		func(s *Settings, n float64) { s.Weights[d] = n })
}

// number is a key from 0 to high that only affects how results are shown.
func number(name, doc, allowed string, high float64, get func(*Settings) float64, set func(*Settings, float64)) Key {
	return Key{
		Name: name, Type: "number", Allowed: allowed, Doc: doc, Trust: harmless,
		get:  func(s *Settings) any { return get(s) },
		copy: func(to, from *Settings) { set(to, get(from)) },
		set: func(s *Settings, v value) error {
			n, ok := v.number()
			if !ok || !(n >= 0 && n <= high) { // written this way, so that NaN is refused
				return v.mustBe(allowed)
			}
			set(s, n)
			return nil
		},
	}
}

const aTime = "a time above 0 with its unit, like 90s, 10m or 1h30m"

// bound is a duration, or empty for none.
func bound(trust Trust, name, doc string, at func(*Settings) *time.Duration) Key {
	k := duration(trust, name, doc, at)
	k.Allowed = aTime + ", or empty"
	k.get = func(s *Settings) any {
		if *at(s) == 0 {
			return ""
		}
		return at(s).String()
	}
	set := k.set
	k.set = func(s *Settings, v value) error {
		if v.kind == textKind && v.text == "" {
			*at(s) = 0
			return nil
		}
		if set(s, v) != nil {
			return v.mustBe(k.Allowed)
		}
		return nil
	}
	return k
}

func duration(trust Trust, name, doc string, at func(*Settings) *time.Duration) Key {
	return Key{
		Name: name, Type: "string", Allowed: aTime, Doc: doc, Trust: trust,
		get:  func(s *Settings) any { return at(s).String() },
		copy: func(to, from *Settings) { *at(to) = *at(from) },
		set: func(s *Settings, v value) error {
			d, err := time.ParseDuration(v.text)
			if v.kind != textKind || err != nil || d <= 0 {
				return v.mustBe(aTime)
			}
			*at(s) = d
			return nil
		},
	}
}

// list is a list of texts. It replaces the list of the layer below.
func list(trust Trust, name, doc, allowed string, check func(string) error, at func(*Settings) *[]string) Key {
	return Key{
		Name: name, Type: "array", Allowed: allowed, Doc: doc, Trust: trust,
		get:  func(s *Settings) any { return append([]string{}, *at(s)...) },
		copy: func(to, from *Settings) { *at(to) = slices.Clone(*at(from)) },
		set: func(s *Settings, v value) error {
			if v.kind != listKind {
				return v.mustBe(allowed)
			}
			var items []string
			for _, item := range v.items {
				if item.kind != textKind {
					return item.mustBe("text in quotes")
				}
				if err := check(item.text); err != nil {
					return item.errorf("%s: %w", item.shown(), err)
				}
				items = append(items, item.text)
			}
			*at(s) = items
			return nil
		},
	}
}

func absolute(s string) error {
	if s != "" && !filepath.IsAbs(s) {
		return errors.New("it is relative")
	}
	return nil
}

func glob(s string) error {
	if s == "" {
		return errors.New("an empty glob matches nothing")
	}
	if _, err := path.Match(s, ""); err != nil {
		return fmt.Errorf("not a glob: %w", err)
	}
	return nil
}

func buildTag(s string) error {
	for _, r := range s {
		if !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != '_' && r != '.' {
			return fmt.Errorf("%s cannot be in a build tag; give each tag as an item of its own", strconv.QuoteRune(r))
		}
	}
	if s == "" {
		return errors.New("a build tag is not empty")
	}
	return nil
}

// plainText accepts text that can be a name.
func plainText(s string) error {
	if strings.ContainsFunc(s, func(r rune) bool { return !unicode.IsPrint(r) }) || strings.HasPrefix(s, "-") {
		return errors.New("a name has only characters that are printed, and does not begin with -")
	}
	return nil
}

// maxCurrency exceeds the length of all usual codes and names.
const maxCurrency = 10

func currency(s string) error {
	n := 0
	for _, r := range s {
		if n++; !unicode.IsLetter(r) && !unicode.Is(unicode.Sc, r) {
			return fmt.Errorf("%s is neither a letter nor a sign of a currency", strconv.QuoteRune(r))
		}
	}
	if n > maxCurrency {
		return errors.New("it is longer")
	}
	return nil
}

// maxPattern is the longest accepted regular expression, in bytes; longer ones take long
// to parse each time.
const maxPattern = 64 << 10

// pattern only parses a regular expression: compiling nested repetitions such as
// (.{1000}){1000} takes thousands of times as much memory as the text.
func pattern(s string) error {
	if len(s) > maxPattern {
		return fmt.Errorf("it has more than %d KiB", maxPattern>>10)
	}
	_, err := syntax.Parse(s, syntax.Perl)
	var wrong *syntax.Error
	if errors.As(err, &wrong) {
		return errors.New(wrong.Code.String()) // the full message quotes the pattern with its control characters
	}
	return err
}
