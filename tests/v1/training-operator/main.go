// SPDX-License-Identifier: Apache-2.0

// Prints the pods that Training Operator v1 makes of a job, as a JSON list: its own reconcilers run on a fake
// cluster.
//
//	training-operator JOB.yaml
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"sort"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	kubefake "k8s.io/client-go/kubernetes/fake"
	"k8s.io/client-go/tools/record"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"
	"sigs.k8s.io/yaml"

	v1 "github.com/kubeflow/training-operator/pkg/apis/kubeflow.org/v1"
	"github.com/kubeflow/training-operator/pkg/config"
	"github.com/kubeflow/training-operator/pkg/controller.v1/common"
	"github.com/kubeflow/training-operator/pkg/controller.v1/control"
	"github.com/kubeflow/training-operator/pkg/controller.v1/expectation"
	"github.com/kubeflow/training-operator/pkg/controller.v1/jax"
	"github.com/kubeflow/training-operator/pkg/controller.v1/mpi"
	paddle "github.com/kubeflow/training-operator/pkg/controller.v1/paddlepaddle"
	"github.com/kubeflow/training-operator/pkg/controller.v1/pytorch"
	"github.com/kubeflow/training-operator/pkg/controller.v1/tensorflow"
	"github.com/kubeflow/training-operator/pkg/controller.v1/xgboost"
)

type replicas = map[v1.ReplicaType]*v1.ReplicaSpec

// The part of a reconciler that makes pods.
type podMaker interface {
	ReconcilePods(job interface{}, status *v1.JobStatus, pods []*corev1.Pod, role v1.ReplicaType, spec *v1.ReplicaSpec,
		all map[v1.ReplicaType]*v1.ReplicaSpec) error
}

func check(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func main() {
	config.Config.PyTorchInitContainerImage = config.PyTorchInitContainerImageDefault
	config.Config.PyTorchInitContainerMaxTries = config.PyTorchInitContainerMaxTriesDefault
	config.Config.MPIKubectlDeliveryImage = config.MPIKubectlDeliveryImageDefault
	text, err := os.ReadFile(os.Args[1])
	check(err)
	var kind struct {
		metav1.TypeMeta `json:",inline"`
		Spec            struct {
			RunPolicy v1.RunPolicy `json:"runPolicy"`
		} `json:"spec"`
	}
	check(yaml.Unmarshal(text, &kind))
	scheme := runtime.NewScheme()
	check(v1.AddToScheme(scheme))
	check(clientgoscheme.AddToScheme(scheme))

	pods := &control.FakePodControl{}
	base := common.JobController{
		Expectations:  expectation.NewControllerExpectations(),
		Recorder:      record.NewFakeRecorder(1000),
		PodControl:    pods,
		KubeClientSet: kubefake.NewSimpleClientset(),
	}
	if policy := kind.Spec.RunPolicy.SchedulingPolicy; policy != nil && policy.Queue != "" {
		// As an operator that runs with Volcano: only it knows queues.
		base.Config.GangScheduling = common.GangSchedulerVolcano
		base.PodGroupControl = &control.VolcanoControl{}
	}
	read := func(job runtime.Object) {
		check(yaml.UnmarshalStrict(text, job))
		scheme.Default(job)
	}
	var job runtime.Object
	var status *v1.JobStatus
	var specs replicas
	var maker podMaker
	switch kind.Kind {
	case "PyTorchJob":
		it := &v1.PyTorchJob{}
		read(it)
		r := &pytorch.PyTorchJobReconciler{JobController: base, Scheme: scheme}
		r.JobController.Controller = r
		job, status, specs, maker = it, &it.Status, it.Spec.PyTorchReplicaSpecs, r
	case "TFJob":
		it := &v1.TFJob{}
		read(it)
		r := &tensorflow.TFJobReconciler{JobController: base, Scheme: scheme}
		r.JobController.Controller = r
		job, status, specs, maker = it, &it.Status, it.Spec.TFReplicaSpecs, r
	case "XGBoostJob":
		it := &v1.XGBoostJob{}
		read(it)
		r := &xgboost.XGBoostJobReconciler{JobController: base, Scheme: scheme}
		r.JobController.Controller = r
		job, status, specs, maker = it, &it.Status, it.Spec.XGBReplicaSpecs, r
	case "JAXJob":
		it := &v1.JAXJob{}
		read(it)
		r := &jax.JAXJobReconciler{JobController: base}
		r.JobController.Controller = r
		job, status, specs, maker = it, &it.Status, it.Spec.JAXReplicaSpecs, r
	case "PaddleJob":
		it := &v1.PaddleJob{}
		read(it)
		r := &paddle.PaddleJobReconciler{JobController: base, Scheme: scheme}
		r.JobController.Controller = r
		job, status, specs, maker = it, &it.Status, it.Spec.PaddleReplicaSpecs, r
	case "MPIJob":
		it := &v1.MPIJob{}
		read(it)
		r := &mpi.MPIJobReconciler{JobController: base, Scheme: scheme,
			Client: fake.NewClientBuilder().WithScheme(scheme).Build()}
		r.JobController.Controller = r
		job, status, specs, maker = it, &it.Status, it.Spec.MPIReplicaSpecs, r
	default:
		check(fmt.Errorf("unknown kind %q", kind.Kind))
	}
	if kind.Kind == "MPIJob" {
		check(maker.ReconcilePods(job, status, nil, v1.MPIJobReplicaTypeLauncher, specs[v1.MPIJobReplicaTypeLauncher], specs))
		all, err := base.KubeClientSet.CoreV1().Pods("").List(context.Background(), metav1.ListOptions{})
		check(err)
		maps, err := base.KubeClientSet.CoreV1().ConfigMaps("").List(context.Background(), metav1.ListOptions{})
		check(err)
		out := []any{}
		for _, pod := range all.Items {
			out = append(out, described(pod.ObjectMeta, pod.Spec))
		}
		for _, one := range maps.Items {
			out = append(out, map[string]any{"hostfile": one.Data["hostfile"]})
		}
		show(out)
		return
	}
	out := []any{}
	roles := []string{}
	for role := range specs {
		roles = append(roles, string(role))
	}
	sort.Strings(roles)
	for _, role := range roles {
		before := len(pods.Templates)
		check(maker.ReconcilePods(job, status, nil, v1.ReplicaType(role), specs[v1.ReplicaType(role)], specs))
		for _, template := range pods.Templates[before:] {
			out = append(out, described(template.ObjectMeta, template.Spec))
		}
	}
	show(out)
}

func described(metadata metav1.ObjectMeta, spec corev1.PodSpec) map[string]any {
	return map[string]any{"name": metadata.Name, "labels": metadata.Labels, "annotations": metadata.Annotations, "spec": spec}
}

func show(value any) {
	text, err := json.MarshalIndent(value, "", " ")
	check(err)
	fmt.Println(string(text))
}
