package lab

import (
	"maps"
	"reflect"
	"strings"
	"testing"
)

// TestEveryKeyIsDefined: each key of a result in the JSON document has its definition, but for the stack's name and what is left out ("-").
func TestEveryKeyIsDefined(t *testing.T) {
	typ := reflect.TypeFor[Result]()
	for i := range typ.NumField() {
		key, _, _ := strings.Cut(typ.Field(i).Tag.Get("json"), ",")
		if key == "" {
			t.Errorf("field %s has no key", typ.Field(i).Name)
			continue
		}
		if key == "stack" || key == "-" {
			continue
		}
		text, err := Explain(key)
		if err != nil {
			t.Errorf("no definition of %s", key)
			continue
		}
		if !strings.HasPrefix(text, key) || !strings.Contains(text, "Source: ") {
			t.Errorf("%s: %q", key, text)
		}
	}
}

func TestExplainUnknown(t *testing.T) {
	_, err := Explain("speed")
	if err == nil || !strings.Contains(err.Error(), "goodput_bps") || strings.Contains(err.Error(), "\n") {
		t.Errorf("error %q must be one line that lists the names", err)
	}
}

// TestFigures: repeated runs average every number of the document but those that are the same in each, under its key.
func TestFigures(t *testing.T) {
	want := map[string]bool{}
	var walk func(prefix string, typ reflect.Type)
	walk = func(prefix string, typ reflect.Type) {
		for i := range typ.NumField() {
			key, _, _ := strings.Cut(typ.Field(i).Tag.Get("json"), ",")
			inner := typ.Field(i).Type
			if inner.Kind() == reflect.Pointer {
				inner = inner.Elem()
			}
			switch {
			case inner.Kind() == reflect.Struct:
				walk(prefix+key+".", inner)
			case inner.Kind() == reflect.Float64 && key != "limit_bps":
				want[prefix+key] = true
			}
		}
	}
	walk("", reflect.TypeFor[Result]())
	have := map[string]bool{}
	for _, f := range figures {
		have[f.key] = true
		if _, err := Explain(f.key); err != nil {
			t.Error(err)
		}
	}
	if !maps.Equal(have, want) {
		t.Errorf("figures are %v, the numbers of a result %v", have, want)
	}
}
