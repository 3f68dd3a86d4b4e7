// SPDX-License-Identifier: Apache-2.0

// What the environment of an API server computes, for the tests that compare with it: reads and writes the lines that
// evaluate_main.cpp describes. With a folder of cel.dev/expr's conformance tests as argument, writes their lines, with what each
// test wants.
package main

import (
	"bufio"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"sort"
	"strconv"
	"strings"
	"time"

	celpb "cel.dev/expr"
	testpb "cel.dev/expr/conformance/test"
	"github.com/google/cel-go/cel"
	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"
	"github.com/google/cel-go/common/types/traits"
	"google.golang.org/protobuf/encoding/prototext"
	utiljson "k8s.io/apimachinery/pkg/util/json"
	"k8s.io/apimachinery/pkg/util/version"
	apiservercel "k8s.io/apiserver/pkg/cel"
	"k8s.io/apiserver/pkg/cel/environment"

	_ "cel.dev/expr/conformance/proto2"
	_ "cel.dev/expr/conformance/proto3"
)

type variable struct {
	Type string          `json:"type,omitempty"`
	Expr string          `json:"expr,omitempty"`
	JSON json.RawMessage `json:"json,omitempty"`
}

type line struct {
	Name      string              `json:"name,omitempty"`
	Expr      string              `json:"expr"`
	Variables map[string]variable `json:"variables,omitempty"`
	Want      string              `json:"want,omitempty"`
	WantType  string              `json:"wantType,omitempty"`
}

type answer struct {
	Issues []string `json:"issues,omitempty"`
	Result string   `json:"result,omitempty"`
	Error  string   `json:"error,omitempty"`
	Type   string   `json:"type,omitempty"`
	Cost   uint64   `json:"cost,omitempty"`
}

func text(value string) string {
	var out strings.Builder
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	encoder.Encode(strings.ToValidUTF8(value, "\uFFFD"))
	escaped := strings.TrimSuffix(out.String(), "\n")
	return strings.NewReplacer(`\u2028`, "\u2028", `\u2029`, "\u2029").Replace(escaped)
}

func shown(value ref.Val) string {
	switch v := value.(type) {
	case *types.Err:
		return "error"
	case *types.Unknown:
		names := map[string]bool{}
		for _, id := range v.IDs() {
			trails, _ := v.GetAttributeTrails(id)
			for _, trail := range trails {
				names[trail.Variable()] = true
			}
		}
		var sorted []string
		for name := range names {
			sorted = append(sorted, name)
		}
		sort.Strings(sorted)
		return "unknown " + strings.Join(sorted, " ")
	case types.Null:
		return "null"
	case types.Bool:
		return fmt.Sprint(bool(v))
	case types.Int:
		return fmt.Sprintf("int %d", int64(v))
	case types.Uint:
		return fmt.Sprintf("uint %d", uint64(v))
	case types.Double:
		return "double " + strconv.FormatFloat(float64(v), 'g', -1, 64)
	case types.String:
		return text(string(v))
	case types.Bytes:
		return "bytes " + base64.StdEncoding.EncodeToString(v)
	case types.Timestamp:
		return "timestamp " + v.Time.Format(time.RFC3339Nano)
	case types.Duration:
		return fmt.Sprintf("duration %d", v.Duration.Nanoseconds())
	case *types.Optional:
		if !v.HasValue() {
			return "optional none"
		}
		return "optional " + shown(v.GetValue())
	case apiservercel.Quantity:
		return "quantity " + v.Quantity.String()
	case *apiservercel.Quantity:
		return "quantity " + v.Quantity.String()
	case ref.Type:
		return "type " + v.TypeName()
	case traits.Lister:
		var parts []string
		for it := v.Iterator(); it.HasNext() == types.True; {
			parts = append(parts, shown(it.Next()))
		}
		return "[" + strings.Join(parts, ", ") + "]"
	case traits.Mapper:
		var parts []string
		for it := v.Iterator(); it.HasNext() == types.True; {
			key := it.Next()
			parts = append(parts, shown(key)+": "+shown(v.Get(key)))
		}
		sort.Strings(parts)
		return "{" + strings.Join(parts, ", ") + "}"
	}
	return value.Type().TypeName()
}

// A type as the driver spells it: list<int>.
func parseType(rest *string) *cel.Type {
	end := strings.IndexAny(*rest+">", "<>,")
	name := (*rest)[:end]
	*rest = (*rest)[end:]
	var params []*cel.Type
	if strings.HasPrefix(*rest, "<") {
		for !strings.HasPrefix(*rest, ">") {
			*rest = (*rest)[1:]
			params = append(params, parseType(rest))
		}
		*rest = (*rest)[1:]
	}
	switch name {
	case "list":
		return cel.ListType(params[0])
	case "map":
		return cel.MapType(params[0], params[1])
	case "optional_type":
		return cel.OptionalType(params[0])
	case "type":
		return cel.TypeType
	}
	for _, known := range []*cel.Type{cel.BoolType, cel.IntType, cel.UintType, cel.DoubleType, cel.StringType, cel.BytesType,
		cel.NullType} {
		if known.TypeName() == name {
			return known
		}
	}
	switch name {
	case "timestamp":
		return cel.TimestampType
	case "duration":
		return cel.DurationType
	}
	return cel.DynType
}

// One variable of each line's own type makes an environment; most lines have the same ones.
var environments = map[string]*cel.Env{}

func environmentOf(variables map[string]variable) *cel.Env {
	var names []string
	for name, given := range variables {
		names = append(names, name+" "+given.Type)
	}
	sort.Strings(names)
	key := strings.Join(names, ";")
	if found := environments[key]; found != nil {
		return found
	}
	var options []cel.EnvOption
	for name, given := range variables {
		rest := given.Type
		options = append(options, cel.Variable(name, parseType(&rest)))
	}
	set, err := environment.MustBaseEnvSet(version.MajorMinor(1, 36)).Extend(environment.VersionedOptions{
		IntroducedVersion: version.MajorMinor(1, 0), EnvOptions: options})
	if err != nil {
		panic(err)
	}
	environments[key] = set.StoredExpressionsEnv()
	return environments[key]
}

func valueOf(name string, given variable) any {
	if given.JSON != nil {
		var value any
		if err := utiljson.Unmarshal(given.JSON, &value); err != nil {
			panic(err)
		}
		return value
	}
	ast, issues := environmentOf(nil).Compile(given.Expr)
	if issues.Err() != nil {
		panic(issues.Err())
	}
	program, err := environmentOf(nil).Program(ast)
	if err != nil {
		panic(err)
	}
	value, _, err := program.Eval(cel.NoVars())
	if err != nil {
		return types.WrapErr(err)
	}
	return value
}

func evaluate(in line) (out answer) {
	defer func() {
		if problem := recover(); problem != nil {
			out = answer{Result: "error", Error: fmt.Sprint(problem)}
		}
	}()
	env := environmentOf(in.Variables)
	ast, issues := env.Compile(in.Expr)
	for _, issue := range issues.Errors() {
		out.Issues = append(out.Issues, fmt.Sprintf("%d: %s", issue.Location.Column(), issue.Message))
	}
	if out.Issues != nil {
		return out
	}
	out.Type = ast.OutputType().String()
	program, err := env.Program(ast, cel.EvalOptions(cel.OptPartialEval, cel.OptTrackCost), cel.CostLimit(1000000))
	if err != nil {
		out.Issues = append(out.Issues, err.Error())
		return out
	}
	values := map[string]any{}
	var patterns []*cel.AttributePatternType
	for name, given := range in.Variables {
		if given.JSON == nil && given.Expr == "" {
			patterns = append(patterns, cel.AttributePattern(name))
		} else {
			values[name] = valueOf(name, given)
		}
	}
	vars, err := cel.PartialVars(values, patterns...)
	if err != nil {
		panic(err)
	}
	value, details, err := program.Eval(vars)
	if err != nil {
		out.Result, out.Error = "error", err.Error()
	} else {
		out.Result = shown(value)
	}
	if details != nil && details.ActualCost() != nil {
		out.Cost = *details.ActualCost()
	}
	return out
}

// A value as an expression.
func literal(value ref.Val) string {
	switch v := value.(type) {
	case types.Uint:
		return fmt.Sprintf("%du", uint64(v))
	case types.Double:
		number := strconv.FormatFloat(float64(v), 'e', -1, 64)
		if strings.ContainsAny(number, "IN") {
			return fmt.Sprintf("double('%s')", number)
		}
		return number
	case types.String:
		return text(string(v))
	case types.Bytes:
		return "b" + strconv.QuoteToASCII(string(v))
	case traits.Lister:
		var parts []string
		for it := v.Iterator(); it.HasNext() == types.True; {
			parts = append(parts, "dyn("+literal(it.Next())+")")
		}
		return "[" + strings.Join(parts, ", ") + "]"
	case traits.Mapper:
		var parts []string
		for it := v.Iterator(); it.HasNext() == types.True; {
			key := it.Next()
			parts = append(parts, "dyn("+literal(key)+"): dyn("+literal(v.Get(key))+")")
		}
		return "{" + strings.Join(parts, ", ") + "}"
	case types.Timestamp:
		return fmt.Sprintf("timestamp('%s')", v.Time.Format(time.RFC3339Nano))
	case types.Duration:
		return fmt.Sprintf("duration('%dns')", v.Duration.Nanoseconds())
	}
	return fmt.Sprint(value.Value())
}

func typeText(t *celpb.Type) string {
	switch kind := t.GetTypeKind().(type) {
	case *celpb.Type_ListType_:
		return "list<" + typeText(kind.ListType.ElemType) + ">"
	case *celpb.Type_MapType_:
		return "map<" + typeText(kind.MapType.KeyType) + "," + typeText(kind.MapType.ValueType) + ">"
	case *celpb.Type_Primitive:
		return map[celpb.Type_PrimitiveType]string{celpb.Type_BOOL: "bool", celpb.Type_INT64: "int", celpb.Type_UINT64: "uint",
			celpb.Type_DOUBLE: "double", celpb.Type_STRING: "string", celpb.Type_BYTES: "bytes"}[kind.Primitive]
	case *celpb.Type_WellKnown:
		return map[celpb.Type_WellKnownType]string{celpb.Type_TIMESTAMP: "timestamp", celpb.Type_DURATION: "duration",
			celpb.Type_ANY: "dyn"}[kind.WellKnown]
	case *celpb.Type_Null:
		return "null_type"
	}
	return "dyn"
}

func conformanceLines(folder string) {
	paths, _ := filepath.Glob(filepath.Join(folder, "*.textproto"))
	encoder := json.NewEncoder(os.Stdout)
	for _, path := range paths {
		content, err := os.ReadFile(path)
		if err != nil {
			panic(err)
		}
		file := &testpb.SimpleTestFile{}
		if err := prototext.Unmarshal(content, file); err != nil {
			panic(fmt.Errorf("%s: %w", path, err))
		}
		for _, section := range file.Section {
			for _, test := range section.Test {
				encoder.Encode(conformanceLine(file.Name+"/"+section.Name+"/"+test.Name, test))
			}
		}
	}
}

func conformanceLine(name string, test *testpb.SimpleTest) (out line) {
	out = line{Name: name, Expr: test.Expr, Variables: map[string]variable{}, Want: "true"}
	defer func() {
		if recover() != nil { // a message of Protocol Buffers
			out.Want = ""
		}
	}()
	if test.DisableMacros || test.Container != "" {
		out.Want = ""
		return out
	}
	for _, declared := range test.TypeEnv {
		if declared.GetFunction() != nil {
			out.Want = ""
			return out
		}
		out.Variables[declared.Name] = variable{Type: typeText(declared.GetIdent().GetType())}
	}
	for name, bound := range test.Bindings {
		value, err := cel.ProtoAsValue(types.DefaultTypeAdapter, bound.GetValue())
		if err != nil {
			panic(err)
		}
		given := out.Variables[name]
		given.Expr = literal(value)
		out.Variables[name] = given
	}
	wanted := test.GetValue()
	if typed := test.GetTypedResult(); typed != nil {
		wanted = typed.Result
		out.WantType = typeText(typed.DeducedType)
		if wanted == nil {
			out.Want = "any"
		}
	}
	if wanted != nil {
		value, err := cel.ProtoAsValue(types.DefaultTypeAdapter, wanted)
		if err != nil {
			panic(err)
		}
		out.Want = shown(value)
	}
	if test.GetEvalError() != nil || test.GetAnyEvalErrors() != nil {
		out.Want = "error"
	}
	if test.GetUnknown() != nil || test.GetAnyUnknowns() != nil {
		out.Want = "unknown"
	}
	return out
}

func main() {
	if len(os.Args) > 1 {
		conformanceLines(os.Args[1])
		return
	}
	encoder := json.NewEncoder(os.Stdout)
	lines := bufio.NewReader(os.Stdin)
	for {
		content, err := lines.ReadBytes('\n')
		if err != nil {
			return
		}
		var in line
		if err := json.Unmarshal(content, &in); err != nil {
			panic(err)
		}
		encoder.Encode(evaluate(in))
	}
}
