// The API servers of the story of aggregation: k8s.io/sample-apiserver with an etcd of its own, and the API layer of
// metrics-server with fixed measurements.
//
//	servers sample DIR [FLAGS …]   flags of sample-apiserver; DIR holds the data of etcd
//	servers metrics [FLAGS …]      flags of metrics-server
package main

import (
	"context"
	"fmt"
	"os"

	genericapiserver "k8s.io/apiserver/pkg/server"
)

type command func(ctx context.Context, args []string) error

var commands = map[string]command{"sample": sample, "metrics": metricsServer}

func main() {
	ctx := genericapiserver.SetupSignalContext()
	if len(os.Args) < 2 || commands[os.Args[1]] == nil {
		fmt.Fprintln(os.Stderr, "usage: servers sample DIR [FLAGS …] | metrics [FLAGS …]")
		os.Exit(2)
	}
	if err := commands[os.Args[1]](ctx, os.Args[2:]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
