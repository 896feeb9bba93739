// An operator as people write them with controller-runtime, and a client that looks at what it does:
//
//	operator manager KUBECONFIG NAMESPACE PORT   the operator, with controller-runtime's defaults; health probes at PORT
//	operator scenario KUBECONFIG NAMESPACE       prints what a client is answered, as lines that are the same with every
//	                                             server
//
// Both install the definition of crds/, in the working directory, as envtest does.
// transcript.txt holds what the scenario prints where both run against kube-apiserver 1.36.3.
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
	if len(os.Args) < 4 {
		fmt.Fprintln(os.Stderr, "operator manager|scenario KUBECONFIG NAMESPACE [PORT]")
		os.Exit(2)
	}
	logger := logr.FromSlogHandler(slog.NewJSONHandler(os.Stderr, nil))
	ctrl.SetLogger(logger)
	klog.SetLogger(logger)
	config, err := clientcmd.BuildConfigFromFlags("", os.Args[2])
	must(err)
	_, err = envtest.InstallCRDs(config, envtest.CRDInstallOptions{Paths: []string{"crds"}, ErrorIfPathMissing: true})
	must(err)
	switch os.Args[1] {
	case "manager":
		must(runManager(config, os.Args[3], os.Args[4]))
	case "scenario":
		// As in envtest: nobody waits for the client's own limits.
		config = rest.CopyConfig(config)
		config.QPS, config.Burst = 1000, 2000
		runScenario(config, os.Args[3])
	}
}
