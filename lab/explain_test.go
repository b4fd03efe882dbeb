package lab

import (
	"reflect"
	"strings"
	"testing"
)

// TestEveryKeyIsDefined: each key of a result in the JSON document has its definition, but for the stack's name.
func TestEveryKeyIsDefined(t *testing.T) {
	typ := reflect.TypeFor[Result]()
	for i := range typ.NumField() {
		key, _, _ := strings.Cut(typ.Field(i).Tag.Get("json"), ",")
		if key == "" {
			t.Errorf("field %s has no key", typ.Field(i).Name)
			continue
		}
		if key == "stack" {
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

// TestFiguresAreKeys: what repeated runs average is named as in the document.
func TestFiguresAreKeys(t *testing.T) {
	for _, f := range figures {
		key, _, _ := strings.Cut(f.key, ".")
		if _, err := Explain(key); err != nil {
			t.Error(err)
		}
	}
}
