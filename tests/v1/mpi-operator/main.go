// SPDX-License-Identifier: Apache-2.0

// Prints the pods that the MPI Operator makes of a job, and its hostfile, as a JSON list: its own controller runs
// on a fake cluster.
//
//	mpi-operator JOB.yaml
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	kubeinformers "k8s.io/client-go/informers"
	kubefake "k8s.io/client-go/kubernetes/fake"
	kubescheme "k8s.io/client-go/kubernetes/scheme"
	"k8s.io/klog/v2"
	"sigs.k8s.io/yaml"

	"github.com/kubeflow/mpi-operator/cmd/mpi-operator/app/options"
	"github.com/kubeflow/mpi-operator/pkg/apis/kubeflow/v2beta1"
	jobfake "github.com/kubeflow/mpi-operator/pkg/client/clientset/versioned/fake"
	jobscheme "github.com/kubeflow/mpi-operator/pkg/client/clientset/versioned/scheme"
	informers "github.com/kubeflow/mpi-operator/pkg/client/informers/externalversions"
	"github.com/kubeflow/mpi-operator/pkg/controller"
)

func check(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func described(name string, metadata metav1.ObjectMeta, spec corev1.PodSpec) map[string]any {
	return map[string]any{"name": name, "labels": metadata.Labels, "annotations": metadata.Annotations, "spec": spec}
}

func main() {
	klog.LogToStderr(false)
	klog.SetOutput(io.Discard)
	check(jobscheme.AddToScheme(kubescheme.Scheme))
	text, err := os.ReadFile(os.Args[1])
	check(err)
	job := &v2beta1.MPIJob{}
	check(yaml.UnmarshalStrict(text, job))
	job.Spec.LauncherCreationPolicy = v2beta1.LauncherCreationPolicyAtStartup // no pod of a fake cluster gets ready
	job.Spec.RunPolicy.Suspend = nil                                         // a suspended job has no pods

	ctx, stop := context.WithCancel(context.Background())
	defer stop()
	kube := kubefake.NewSimpleClientset()
	jobs := jobfake.NewSimpleClientset(job)
	ofKube := kubeinformers.NewSharedInformerFactory(kube, 0)
	ofJobs := informers.NewSharedInformerFactory(jobs, 0)
	it, err := controller.NewMPIJobController(ctx, kube, jobs, nil, nil, ofKube.Core().V1().ConfigMaps(),
		ofKube.Core().V1().Secrets(), ofKube.Core().V1().Services(), ofKube.Batch().V1().Jobs(), ofKube.Core().V1().Pods(),
		ofKube.Scheduling().V1().PriorityClasses(), ofJobs.Kubeflow().V2beta1().MPIJobs(),
		&options.ServerOption{Namespace: metav1.NamespaceAll, ControllerRateLimit: 10, ControllerBurst: 100})
	check(err)
	ofKube.Start(ctx.Done())
	ofJobs.Start(ctx.Done())
	go func() { _ = it.Run(1, ctx.Done()) }()

	for end := time.Now().Add(30 * time.Second); ; time.Sleep(50 * time.Millisecond) {
		launchers, err := kube.BatchV1().Jobs("").List(ctx, metav1.ListOptions{})
		check(err)
		if len(launchers.Items) == 0 {
			if time.Now().After(end) {
				check(fmt.Errorf("the controller makes no launcher"))
			}
			continue
		}
		workers, err := kube.CoreV1().Pods("").List(ctx, metav1.ListOptions{})
		check(err)
		maps, err := kube.CoreV1().ConfigMaps("").List(ctx, metav1.ListOptions{})
		check(err)
		out := []any{}
		for _, pod := range workers.Items {
			out = append(out, described(pod.Name, pod.ObjectMeta, pod.Spec))
		}
		for _, launcher := range launchers.Items {
			pods := launcher.Spec.Template
			out = append(out, described(launcher.Name, pods.ObjectMeta, pods.Spec))
		}
		for _, one := range maps.Items {
			out = append(out, map[string]any{"hostfile": one.Data["hostfile"]})
		}
		result, err := json.MarshalIndent(out, "", " ")
		check(err)
		fmt.Println(string(result))
		return
	}
}
