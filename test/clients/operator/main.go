// A typical operator built with controller-runtime, and clients that check it:
//
//	operator manager KUBECONFIG NAMESPACE PORT   the operator, with controller-runtime's defaults; health probes at PORT
//	operator scenario KUBECONFIG NAMESPACE       prints the responses to a client, as lines that are the same with every
//	                                             server
//	operator kinds KUBECONFIG                    reads objects of built-in kinds, one per line as kinds.go defines, and
//	                                             prints whether typed clients get the same in protobuf as in JSON
//	operator webhooks KUBECONFIG PORT DIRECTORY  webhooks of the builder at PORT, with tls.crt and tls.key of DIRECTORY
//	operator lamps KUBECONFIG                    an operator with webhooks of all kinds, which the tests of the kits start
//	operator clusters NAME=KUBECONFIG …          a manager and an informer for each cluster, at once
//
// The first two install the definition in crds/ of the working directory, as envtest does.
// transcript.txt contains the output of the scenario if both run against kube-apiserver 1.36.3.
package main

import (
	"fmt"
	"log/slog"
	"os"

	"github.com/go-logr/logr"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	"k8s.io/klog/v2"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/envtest"
)

func must(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, "failed:", err)
		os.Exit(1)
	}
}

func main() {
	if len(os.Args) < 3 {
		fmt.Fprintln(os.Stderr, "operator manager|scenario|kinds|webhooks|lamps|clusters KUBECONFIG …")
		os.Exit(2)
	}
	logger := logr.FromSlogHandler(slog.NewJSONHandler(os.Stderr, nil))
	ctrl.SetLogger(logger)
	klog.SetLogger(logger)
	if os.Args[1] == "clusters" {
		runClusters(os.Args[2:])
		return
	}
	config, err := clientcmd.BuildConfigFromFlags("", os.Args[2])
	must(err)
	fast := rest.CopyConfig(config)
	// As in envtest: no client-side rate limit.
	fast.QPS, fast.Burst = 1000, 2000
	if os.Args[1] == "kinds" {
		runKinds(fast)
		return
	}
	if os.Args[1] == "webhooks" {
		must(runWebhooks(config, os.Args[3], os.Args[4]))
		return
	}
	if os.Args[1] == "lamps" {
		must(runLamps(fast))
		return
	}
	_, err = envtest.InstallCRDs(config, envtest.CRDInstallOptions{Paths: []string{"crds"}, ErrorIfPathMissing: true})
	must(err)
	switch os.Args[1] {
	case "manager":
		must(runManager(config, os.Args[3], os.Args[4]))
	case "scenario":
		runScenario(fast, os.Args[3])
	}
}
