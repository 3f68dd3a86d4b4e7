// SPDX-License-Identifier: Apache-2.0

// What an API server makes of Jobs when they are created, by Kubernetes' own strategy; and random Jobs for it.
//
//	jobs create < JOBS                  a Job as JSON per line; prints what is refused, the Job's spec as it is stored, and the
//	                                    spec of a pod of its template with a pod's defaults
//	jobs generate COUNT SEED TYPES.GO...
//	                                    the files of k8s.io/api whose constants are the values to choose from
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"math/rand"
	"os"
	"reflect"
	"regexp"
	"strconv"
	"strings"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/intstr"
	"k8s.io/apiserver/pkg/endpoints/request"
	"k8s.io/apiserver/pkg/registry/rest"
	"k8s.io/kubernetes/pkg/api/legacyscheme"
	"k8s.io/kubernetes/pkg/apis/batch"
	_ "k8s.io/kubernetes/pkg/apis/batch/install"
	_ "k8s.io/kubernetes/pkg/apis/core/install"
	"k8s.io/kubernetes/pkg/registry/batch/job"
)

type answer struct {
	Errors []string        `json:"errors"`
	Spec   json.RawMessage `json:"spec,omitempty"`
	Pod    json.RawMessage `json:"pod,omitempty"`
}

func specOf(object runtime.Object, version schema.GroupVersion) json.RawMessage {
	text, err := runtime.Encode(legacyscheme.Codecs.LegacyCodec(version), object)
	var whole struct{ Spec json.RawMessage }
	if err != nil || json.Unmarshal(text, &whole) != nil {
		return nil
	}
	return whole.Spec
}

func podOf(text []byte) json.RawMessage {
	var whole struct {
		Spec struct {
			Template struct{ Spec json.RawMessage }
		}
	}
	if json.Unmarshal(text, &whole) != nil {
		return nil
	}
	pod := fmt.Appendf(nil, `{"apiVersion":"v1","kind":"Pod","spec":%s}`, whole.Spec.Template.Spec)
	object, _, err := legacyscheme.Codecs.UniversalDecoder().Decode(pod, nil, nil)
	if err != nil {
		return nil
	}
	return specOf(object, corev1.SchemeGroupVersion)
}

func create(text []byte) (out answer) {
	defer func() {
		if said := recover(); said != nil {
			out = answer{Errors: []string{fmt.Sprint("panic: ", said)}}
		}
	}()
	object, _, err := legacyscheme.Codecs.UniversalDecoder().Decode(text, nil, &batch.Job{})
	if err != nil {
		return answer{Errors: []string{err.Error()}}
	}
	made := object.(*batch.Job)
	ctx := request.WithNamespace(request.NewContext(), made.Namespace)
	ctx = request.WithRequestInfo(ctx, &request.RequestInfo{APIGroup: "batch", APIVersion: "v1", Resource: "jobs", Verb: "create"})
	rest.FillObjectMetaSystemFields(made)
	job.Strategy.PrepareForCreate(ctx, made)
	for _, refused := range job.Strategy.Validate(ctx, made) {
		out.Errors = append(out.Errors, refused.Error())
	}
	out.Spec = specOf(made, batchv1.SchemeGroupVersion)
	out.Pod = podOf(text)
	return out
}

func createAll() {
	in := bufio.NewReader(os.Stdin)
	out := bufio.NewWriter(os.Stdout)
	defer out.Flush()
	for {
		line, err := in.ReadBytes('\n')
		if len(line) > 1 {
			text, _ := json.Marshal(create(line))
			out.Write(append(text, '\n'))
		}
		if err != nil {
			return
		}
	}
}

// A Job that is valid but for a few fields, which have random values.
type generator struct {
	*rand.Rand
	constants map[string][]string // by the name of their type
}

var (
	names = []string{"a", "data", "b", "c"}
	paths = []string{"/a", "a", "a/b", "../b"}
	words = []string{"", "a", "a.b", "a/b", "/data", "..", "A_B", "example.com/x", "nvidia.com/gpu", "1", "-1", "x y", "127.0.0.1",
		"010.0.0.1", "::1", "::ffff:1.2.3.4", "http", "HTTP", "TCP", "kubernetes.io/hostname", strings.Repeat("a", 64), "@", "a=b",
		"SIGTERM", "cpu", "$(A)", "system-node-critical", "*"}
	images     = []string{"a", "ghcr.io/a/b:1", "a:latest", "localhost:5000/a", "a@sha256:" + strings.Repeat("0", 64)}
	quantities = []string{"0", "1", "-1", "1Gi", "100m", "1500m", "2M"}
	ports      = []string{"http", "50%", "x", "-1", ""}
	numbers    = []int64{0, 1, -1, 2, 3, 10, 30, 100, 101, 255, 256, 420, 511, 512, 1000, 3600, 7862400, 65535, 65536, 86400, 1 << 31}

	quantity = reflect.TypeFor[resource.Quantity]()
	port     = reflect.TypeFor[intstr.IntOrString]()
	moment   = reflect.TypeFor[metav1.Time]()
)

func isWhole(t reflect.Type) bool { return t == quantity || t == port || t == moment }

func (g generator) one(of []string) string { return of[g.Intn(len(of))] }

func (g generator) text(t reflect.Type, field string) string {
	if known := g.constants[t.Name()]; len(known) > 0 && t.Name() != "string" && g.Intn(8) > 0 {
		return g.one(known)
	}
	switch usual := g.Intn(3) > 0; {
	case field == "Image" || field == "Reference":
		return g.one(images)
	case field == "Name" && usual:
		return g.one(names)
	case strings.HasSuffix(field, "Path") && usual:
		return g.one(paths)
	}
	return g.one(words)
}

// fill gives v a random value, of a struct some fields.
func (g generator) fill(v reflect.Value, depth int, field string) {
	t := v.Type()
	switch {
	case t == quantity:
		v.Set(reflect.ValueOf(resource.MustParse(g.one(quantities))))
	case t == port && g.Intn(2) == 0:
		v.Set(reflect.ValueOf(intstr.FromString(g.one(ports))))
	case t == port:
		v.Set(reflect.ValueOf(intstr.FromInt32(int32(numbers[g.Intn(len(numbers)-1)]))))
	case t == moment:
	case t.Kind() == reflect.Pointer:
		v.Set(reflect.New(t.Elem()))
		g.fill(v.Elem(), depth, field)
	case t.Kind() == reflect.Struct:
		g.fillFields(v, depth)
	case t.Kind() == reflect.Slice && t.Elem().Kind() != reflect.Uint8:
		v.Set(reflect.MakeSlice(t, 1+g.Intn(2), 2))
		for i := range v.Len() {
			g.fill(v.Index(i), depth+1, field)
		}
	case t.Kind() == reflect.Map:
		key, value := reflect.New(t.Key()).Elem(), reflect.New(t.Elem()).Elem()
		g.fill(key, depth+1, field)
		g.fill(value, depth+1, field)
		v.Set(reflect.MakeMap(t))
		v.SetMapIndex(key, value)
	case t.Kind() == reflect.String:
		v.SetString(g.text(t, field))
	case t.Kind() == reflect.Bool:
		v.SetBool(g.Intn(2) == 0)
	case v.CanInt():
		number := numbers[g.Intn(len(numbers))]
		if v.OverflowInt(number) {
			number = 5
		}
		v.SetInt(number)
	}
}

func (g generator) fillFields(v reflect.Value, depth int) {
	t := v.Type()
	if t.NumField() == 0 {
		return
	}
	given := g.Intn(t.NumField())
	for i := range t.NumField() {
		field := t.Field(i)
		tag := field.Tag.Get("json")
		isOptional := strings.Contains(tag, "omitempty") || strings.Contains(tag, "omitzero")
		switch {
		case !field.IsExported(): // of managedFields, since Kubernetes 1.38
		case field.Anonymous:
			g.fill(v.Field(i), depth, field.Name)
		case i == given, !isOptional && g.Intn(10) > 0, depth < 4 && g.Intn(6) == 0:
			g.fill(v.Field(i), depth+1, field.Name)
		}
	}
}

// change gives one field somewhere in v a random value.
func (g generator) change(v reflect.Value, field string) {
	t := v.Type()
	switch {
	case isWhole(t):
		g.fill(v, 0, field)
	case t.Kind() == reflect.Pointer && !v.IsNil():
		g.change(v.Elem(), field)
	case t.Kind() == reflect.Struct && t.NumField() > 0:
		one := g.Intn(t.NumField())
		if name := t.Field(one).Name; name != "EphemeralContainers" {
			g.change(v.Field(one), name)
		}
	case t.Kind() == reflect.Slice && v.Len() > 0 && g.Intn(4) > 0:
		g.change(v.Index(g.Intn(v.Len())), field)
	case t.Kind() == reflect.Slice && v.Len() > 0:
		item := reflect.New(t.Elem()).Elem()
		g.fill(item, 1, field)
		v.Set(reflect.Append(v, item))
	default:
		g.fill(v, 0, field)
	}
}

func (g generator) valid() *batchv1.Job {
	made := &batchv1.Job{}
	pod := &made.Spec.Template.Spec
	pod.RestartPolicy = corev1.RestartPolicyNever
	pod.Containers = []corev1.Container{{Name: "main", Image: "a"}}
	if g.Intn(2) == 0 {
		pod.InitContainers = []corev1.Container{{Name: "init", Image: "a"}}
		if g.Intn(2) == 0 {
			pod.InitContainers[0].RestartPolicy = new(corev1.ContainerRestartPolicy)
			*pod.InitContainers[0].RestartPolicy = corev1.ContainerRestartPolicyAlways
		}
	}
	if g.Intn(2) == 0 {
		pod.Volumes = []corev1.Volume{{Name: "data", VolumeSource: corev1.VolumeSource{EmptyDir: &corev1.EmptyDirVolumeSource{}}}}
		pod.Containers[0].VolumeMounts = []corev1.VolumeMount{{Name: "data", MountPath: "/data"}}
	}
	return made
}

func (g generator) job() *batchv1.Job {
	made := g.valid()
	pod := &made.Spec.Template.Spec
	for range 1 + g.Intn(3) {
		switch part := g.Intn(8); {
		case part == 0:
			g.change(reflect.ValueOf(&made.Spec).Elem(), "")
		case part < 4:
			g.change(reflect.ValueOf(&pod.Containers[0]).Elem(), "")
		case part == 4 && len(pod.InitContainers) > 0:
			g.change(reflect.ValueOf(&pod.InitContainers[0]).Elem(), "")
		default:
			g.change(reflect.ValueOf(pod).Elem(), "")
		}
	}
	return made
}

func generate(count, seed int64, files []string) {
	g := generator{rand.New(rand.NewSource(seed)), map[string][]string{}}
	constant := regexp.MustCompile(`(?m)^\s*\w+\s+(\w+)\s*=\s*"([^"]*)"`)
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			panic(err)
		}
		for _, found := range constant.FindAllStringSubmatch(string(text), -1) {
			g.constants[found[1]] = append(g.constants[found[1]], found[2])
		}
	}
	out := bufio.NewWriter(os.Stdout)
	defer out.Flush()
	for range count {
		text, err := json.Marshal(g.job())
		if err != nil {
			panic(err)
		}
		out.Write(append(text, '\n'))
	}
}

func main() {
	if os.Args[1] == "create" {
		createAll()
		return
	}
	count, _ := strconv.ParseInt(os.Args[2], 10, 64)
	seed, _ := strconv.ParseInt(os.Args[3], 10, 64)
	generate(count, seed, os.Args[4:])
}
