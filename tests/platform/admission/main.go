// SPDX-License-Identifier: Apache-2.0

// What the admission plugin of an API server for ValidatingAdmissionPolicies says, for the test that compares with it: each line
// of the input is a request, with the objects that the cluster has; each line of the output is the answer.
package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"sync"
	"time"

	admissionregistration "k8s.io/api/admissionregistration/v1"
	core "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apiserver/pkg/admission"
	"k8s.io/apiserver/pkg/admission/plugin/policy/validating"
	"k8s.io/apiserver/pkg/authentication/user"
	"k8s.io/apiserver/pkg/authorization/authorizer"
	"k8s.io/apiserver/pkg/warning"
	dynamicfake "k8s.io/client-go/dynamic/fake"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes/fake"
	"k8s.io/client-go/kubernetes/scheme"
)

type request struct {
	Objects   []json.RawMessage          `json:"objects"`
	Object    *unstructured.Unstructured `json:"object"`
	OldObject *unstructured.Unstructured `json:"oldObject"`
	Resource  string                     `json:"resource"`
}

type answer struct {
	Denied   string   `json:"denied,omitempty"`
	Warnings []string `json:"warnings"`
	Error    string   `json:"error,omitempty"`
}

type recorder struct{ warnings []string }

func (r *recorder) AddWarning(_, text string) { r.warnings = append(r.warnings, text) }

// What an API server fills in when it stores the object.
func complete(resources *admissionregistration.MatchResources) {
	if resources == nil {
		return
	}
	equivalent, all := admissionregistration.Equivalent, admissionregistration.AllScopes
	if resources.MatchPolicy == nil {
		resources.MatchPolicy = &equivalent
	}
	if resources.NamespaceSelector == nil {
		resources.NamespaceSelector = &metav1.LabelSelector{}
	}
	if resources.ObjectSelector == nil {
		resources.ObjectSelector = &metav1.LabelSelector{}
	}
	for _, rules := range [][]admissionregistration.NamedRuleWithOperations{resources.ResourceRules, resources.ExcludeResourceRules} {
		for i := range rules {
			if rules[i].Scope == nil {
				rules[i].Scope = &all
			}
		}
	}
}

func stored(text []byte) (runtime.Object, error) {
	object, _, err := scheme.Codecs.UniversalDeserializer().Decode(text, nil, nil)
	if err != nil {
		return nil, err
	}
	switch one := object.(type) {
	case *admissionregistration.ValidatingAdmissionPolicy:
		complete(one.Spec.MatchConstraints)
		if one.Spec.FailurePolicy == nil {
			fail := admissionregistration.Fail
			one.Spec.FailurePolicy = &fail
		}
	case *admissionregistration.ValidatingAdmissionPolicyBinding:
		complete(one.Spec.MatchResources)
	case *core.Namespace:
		if one.Labels == nil {
			one.Labels = map[string]string{}
		}
		one.Labels["kubernetes.io/metadata.name"] = one.Name
	}
	return object, nil
}

func start(objects []runtime.Object, stop chan struct{}) (*validating.Plugin, error) {
	plugin, err := validating.NewPlugin(nil)
	if err != nil {
		return nil, err
	}
	client := fake.NewClientset(objects...)
	factory := informers.NewSharedInformerFactory(client, 0)
	mapper := meta.NewDefaultRESTMapper([]schema.GroupVersion{{Version: "v1"}})
	mapper.Add(core.SchemeGroupVersion.WithKind("ConfigMap"), meta.RESTScopeNamespace)
	plugin.SetExternalKubeInformerFactory(factory)
	plugin.SetExternalKubeClientSet(client)
	plugin.SetRESTMapper(mapper)
	plugin.SetDynamicClient(dynamicfake.NewSimpleDynamicClient(scheme.Scheme))
	plugin.SetDrainedNotification(stop)
	plugin.SetAuthorizer(authorizer.AuthorizerFunc(
		func(context.Context, authorizer.Attributes) (authorizer.Decision, string, error) {
			return authorizer.DecisionAllow, "", nil
		}))
	if err := plugin.ValidateInitialization(); err != nil {
		return nil, err
	}
	factory.Start(stop)
	factory.WaitForCacheSync(stop)
	return plugin, nil
}

func ask(line []byte) (answer, error) {
	var asked request
	if err := json.Unmarshal(line, &asked); err != nil {
		return answer{}, err
	}
	var objects []runtime.Object
	for _, text := range asked.Objects {
		object, err := stored(text)
		if err != nil {
			return answer{}, err
		}
		objects = append(objects, object)
	}
	stop := make(chan struct{})
	defer close(stop)
	plugin, err := start(objects, stop)
	if err != nil {
		return answer{}, err
	}
	kind := asked.Object.GroupVersionKind()
	var old runtime.Object
	operation, options := admission.Create, runtime.Object(&metav1.CreateOptions{})
	if asked.OldObject != nil {
		old, operation, options = asked.OldObject, admission.Update, &metav1.UpdateOptions{}
	}
	attributes := admission.NewAttributesRecord(asked.Object, old, kind, asked.Object.GetNamespace(), asked.Object.GetName(),
		kind.GroupVersion().WithResource(asked.Resource), "", operation, options, false, &user.DefaultInfo{Name: "someone"})
	said := &recorder{warnings: []string{}}
	ctx, cancel := context.WithTimeout(warning.WithWarningRecorder(context.Background(), said), time.Minute)
	defer cancel()
	err = plugin.Validate(ctx, attributes, admission.NewObjectInterfacesFromScheme(scheme.Scheme))
	result := answer{Warnings: said.warnings}
	var status *apierrors.StatusError
	if errors.As(err, &status) && status.ErrStatus.Details != nil && len(status.ErrStatus.Details.Causes) > 0 {
		result.Denied = status.ErrStatus.Details.Causes[0].Message
	} else if err != nil {
		result.Error = err.Error()
	}
	return result, nil
}

func main() {
	input := bufio.NewScanner(os.Stdin)
	input.Buffer(nil, 1<<24)
	var lines [][]byte
	for input.Scan() {
		lines = append(lines, append([]byte(nil), input.Bytes()...))
	}
	answers := make([]answer, len(lines))
	var group sync.WaitGroup
	free := make(chan struct{}, 16)
	for i := range lines {
		group.Add(1)
		free <- struct{}{}
		go func() {
			defer group.Done()
			said, err := ask(lines[i])
			if err != nil {
				said.Error = err.Error()
			}
			answers[i] = said
			<-free
		}()
	}
	group.Wait()
	for _, one := range answers {
		text, err := json.Marshal(one)
		if err != nil {
			panic(err)
		}
		fmt.Println(string(text))
	}
}
