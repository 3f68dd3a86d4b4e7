// SPDX-License-Identifier: Apache-2.0

// What kustomize-controller makes of a Kustomization, with Flux's own library: for each folder on standard
// input, the Kustomizations in its flux.yaml are built and substituted one after the other. Answers with one
// line of JSON per folder: {"objects": [...]} or {"error": "..."}.
package main

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/fluxcd/pkg/kustomize"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/yaml"
)

type answer struct {
	Objects []json.RawMessage `json:"objects"`
	Error   string            `json:"error,omitempty"`
}

func kustomizations(folder string) ([]unstructured.Unstructured, error) {
	text, err := os.ReadFile(filepath.Join(folder, "flux.yaml"))
	if err != nil {
		return nil, err
	}
	var all []unstructured.Unstructured
	for _, document := range strings.Split(string(text), "\n---\n") {
		var object map[string]interface{}
		if err := yaml.Unmarshal([]byte(document), &object); err != nil {
			return nil, err
		}
		if object["kind"] == "Kustomization" {
			all = append(all, unstructured.Unstructured{Object: object})
		}
	}
	return all, nil
}

func apply(folder string, object unstructured.Unstructured) ([]json.RawMessage, error) {
	path, _, _ := unstructured.NestedString(object.Object, "spec", "path")
	directory := filepath.Join(folder, path)
	action, err := kustomize.NewGenerator(folder, object).WriteFile(directory, kustomize.WithSaveOriginalKustomization())
	if err != nil {
		return nil, err
	}
	defer kustomize.CleanDirectory(directory, action)
	built, err := kustomize.SecureBuild(folder, directory, false)
	if err != nil {
		return nil, err
	}
	// The controller substitutes nothing without a postBuild, and writes the objects as YAML all the same.
	_, isSubstituted, _ := unstructured.NestedMap(object.Object, "spec", "postBuild")
	strategy, _, _ := unstructured.NestedString(object.Object, "spec", "postBuild", "substituteStrategy")
	var objects []json.RawMessage
	for _, resource := range built.Resources() {
		if !isSubstituted {
			if _, err := resource.AsYAML(); err != nil {
				return nil, err
			}
			text, err := resource.MarshalJSON()
			if err != nil {
				return nil, err
			}
			objects = append(objects, text)
			continue
		}
		substituted, err := kustomize.SubstituteVariables(context.Background(), nil, object, resource,
			kustomize.SubstituteWithDryRun(true), kustomize.SubstituteWithAlways(strategy == "Always"))
		if err != nil {
			return nil, err
		}
		if substituted == nil {
			substituted = resource
		}
		text, err := substituted.MarshalJSON()
		if err != nil {
			return nil, err
		}
		objects = append(objects, text)
	}
	return objects, nil
}

func answerFor(folder string) answer {
	all, err := kustomizations(folder)
	result := answer{Objects: []json.RawMessage{}}
	for i := 0; err == nil && i < len(all); i++ {
		var objects []json.RawMessage
		objects, err = apply(folder, all[i])
		result.Objects = append(result.Objects, objects...)
	}
	if err != nil {
		return answer{Objects: []json.RawMessage{}, Error: err.Error()}
	}
	return result
}

func main() {
	lines := bufio.NewScanner(os.Stdin)
	for lines.Scan() {
		text, err := json.Marshal(answerFor(lines.Text()))
		if err != nil {
			text = []byte(fmt.Sprintf("{\"objects\":[],\"error\":%q}", err.Error()))
		}
		fmt.Println(string(text))
	}
}
