// SPDX-License-Identifier: Apache-2.0

// Command wirefacts prints, as JSON, what encoding/json does with every field of the Trainer and JobSet API
// types: kind -> field path -> {wire, patchStrategy, patchMergeKey}. Paths are those of the CRD schema, with
// "[]" for a list's items and "{}" for a map's values. The wire classes are those of schema::Wire.
//
// A field's class is observed, not derived from its tags: a zero value of its struct is marshalled, and where
// the field's key is missing, once more with the field set to an empty but non-nil value.
package main

import (
	"encoding/json"
	"fmt"
	"os"
	"reflect"
	"strings"

	trainer "github.com/kubeflow/trainer/v2/pkg/apis/trainer/v1alpha1"
	"k8s.io/apimachinery/pkg/runtime"
	jobset "sigs.k8s.io/jobset/api/jobset/v1alpha2"
)

type fact struct {
	Wire          string `json:"wire"`
	PatchStrategy string `json:"patchStrategy,omitempty"`
	PatchMergeKey string `json:"patchMergeKey,omitempty"`
}

var marshaler = reflect.TypeFor[json.Marshaler]()

// leaf tells whether the type writes itself, so that its fields are not the schema's.
func leaf(t reflect.Type) bool {
	return t.Implements(marshaler) || reflect.PointerTo(t).Implements(marshaler)
}

// value marshals the struct that p points at and returns what it wrote for the key.
func value(p reflect.Value, key string) (text string, present bool) {
	data, err := json.Marshal(p.Interface())
	check(err)
	var object map[string]json.RawMessage
	check(json.Unmarshal(data, &object))
	raw, present := object[key]
	return string(raw), present
}

// wire classifies a field of struct t.
func wire(t reflect.Type, field reflect.StructField, key string) string {
	p := reflect.New(t)
	if text, present := value(p, key); present {
		switch {
		case text == "null":
			return "Null"
		case field.Type.Kind() == reflect.Struct && !leaf(field.Type):
			return "Struct"
		default:
			return "Always"
		}
	}
	v := p.Elem().Field(field.Index[0])
	switch field.Type.Kind() {
	case reflect.Pointer:
		v.Set(reflect.New(field.Type.Elem()))
	case reflect.Slice:
		v.Set(reflect.MakeSlice(field.Type, 0, 0))
	case reflect.Map:
		v.Set(reflect.MakeMap(field.Type))
	case reflect.Struct:
		// `omitzero`: absent stays absent, and what was given stays unless all of it is zero.
		return "Pointer"
	}
	if _, present := value(p, key); present {
		return "Pointer"
	}
	return "OmitEmpty"
}

func walk(t reflect.Type, path string, facts map[string]fact) {
	switch t.Kind() {
	case reflect.Pointer:
		walk(t.Elem(), path, facts)
	case reflect.Slice, reflect.Array:
		if t.Elem().Kind() != reflect.Uint8 { // []byte is a base64 string
			walk(t.Elem(), path+"[]", facts)
		}
	case reflect.Map:
		walk(t.Elem(), path+"{}", facts)
	case reflect.Struct:
		if leaf(t) {
			return
		}
		for i := range t.NumField() {
			field := t.Field(i)
			key, _, _ := strings.Cut(field.Tag.Get("json"), ",")
			if !field.IsExported() || key == "-" {
				continue
			}
			if field.Anonymous && key == "" { // its fields are written as the outer struct's
				walk(field.Type, path, facts)
				continue
			}
			if key == "" {
				fail("%s.%s has no JSON name", t, field.Name)
			}
			sub := key
			if path != "" {
				sub = path + "." + key
			}
			if _, seen := facts[sub]; seen {
				fail("%s is there twice, or its type is recursive", sub)
			}
			facts[sub] = fact{wire(t, field, key), field.Tag.Get("patchStrategy"), field.Tag.Get("patchMergeKey")}
			walk(field.Type, sub, facts)
		}
	}
}

func check(err error) {
	if err != nil {
		fail("%v", err)
	}
}

func fail(format string, args ...any) {
	fmt.Fprintf(os.Stderr, "wirefacts: "+format+"\n", args...)
	os.Exit(1)
}

func main() {
	scheme := runtime.NewScheme()
	check(trainer.AddToScheme(scheme))
	kinds := map[string]reflect.Type{"JobSet": reflect.TypeFor[jobset.JobSet]()}
	for kind, t := range scheme.KnownTypes(trainer.GroupVersion) {
		if t.PkgPath() == reflect.TypeFor[trainer.TrainJob]().PkgPath() && !strings.HasSuffix(kind, "List") {
			kinds[kind] = t
		}
	}
	out := map[string]map[string]fact{}
	for kind, t := range kinds {
		out[kind] = map[string]fact{}
		walk(t, "", out[kind])
	}
	encoder := json.NewEncoder(os.Stdout)
	encoder.SetIndent("", " ")
	check(encoder.Encode(out))
}
