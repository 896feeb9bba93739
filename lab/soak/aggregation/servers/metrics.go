package main

import (
	"context"
	"time"

	"github.com/spf13/pflag"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	genericapiserver "k8s.io/apiserver/pkg/server"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/metadata"
	"k8s.io/client-go/metadata/metadatainformer"
	"k8s.io/client-go/tools/clientcmd"
	"k8s.io/metrics/pkg/apis/metrics"
	"sigs.k8s.io/metrics-server/cmd/metrics-server/app/options"
	"sigs.k8s.io/metrics-server/pkg/api"
)

// fixed measures the same for every node and Pod.
type fixed struct{}

var usage = corev1.ResourceList{
	corev1.ResourceCPU:    resource.MustParse("250m"),
	corev1.ResourceMemory: resource.MustParse("64Mi"),
}

func (fixed) GetPodMetrics(pods ...*metav1.PartialObjectMetadata) ([]metrics.PodMetrics, error) {
	measured := make([]metrics.PodMetrics, 0, len(pods))
	for _, pod := range pods {
		measured = append(measured, metrics.PodMetrics{
			ObjectMeta: metav1.ObjectMeta{Name: pod.Name, Namespace: pod.Namespace, Labels: pod.Labels},
			Timestamp:  metav1.Now(),
			Window:     metav1.Duration{Duration: time.Minute},
			Containers: []metrics.ContainerMetrics{{Name: "main", Usage: usage}},
		})
	}
	return measured, nil
}

func (fixed) GetNodeMetrics(nodes ...*corev1.Node) ([]metrics.NodeMetrics, error) {
	measured := make([]metrics.NodeMetrics, 0, len(nodes))
	for _, node := range nodes {
		measured = append(measured, metrics.NodeMetrics{
			ObjectMeta: metav1.ObjectMeta{Name: node.Name, Labels: node.Labels},
			Timestamp:  metav1.Now(),
			Window:     metav1.Duration{Duration: time.Minute},
			Usage:      usage,
		})
	}
	return measured, nil
}

func metricsServer(ctx context.Context, args []string) error {
	settings := options.NewOptions()
	flags := pflag.NewFlagSet("metrics", pflag.ContinueOnError)
	for _, set := range settings.Flags().FlagSets {
		flags.AddFlagSet(set)
	}
	if err := flags.Parse(args); err != nil {
		return err
	}
	config, err := settings.ApiserverConfig()
	if err != nil {
		return err
	}
	server, err := config.Complete(nil).New("metrics-server", genericapiserver.NewEmptyDelegate())
	if err != nil {
		return err
	}
	if err := install(ctx, server, settings.Kubeconfig); err != nil {
		return err
	}
	return server.PrepareRun().RunWithContext(ctx)
}

func install(ctx context.Context, server *genericapiserver.GenericAPIServer, kubeconfig string) error {
	config, err := clientcmd.BuildConfigFromFlags("", kubeconfig)
	if err != nil {
		return err
	}
	objects := informers.NewSharedInformerFactory(kubernetes.NewForConfigOrDie(config), 0)
	partial := metadatainformer.NewSharedInformerFactory(metadata.NewForConfigOrDie(config), 0)
	nodes := objects.Core().V1().Nodes().Lister()
	pods := partial.ForResource(corev1.SchemeGroupVersion.WithResource("pods")).Lister()
	if err := api.Install(fixed{}, pods, nodes, server, nil); err != nil {
		return err
	}
	objects.Start(ctx.Done())
	partial.Start(ctx.Done())
	objects.WaitForCacheSync(ctx.Done())
	partial.WaitForCacheSync(ctx.Done())
	return nil
}
