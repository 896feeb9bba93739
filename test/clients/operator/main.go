package main

import (
	_ "k8s.io/api/apps/v1"
	_ "sigs.k8s.io/controller-runtime"
	_ "sigs.k8s.io/controller-runtime/pkg/envtest"
	_ "k8s.io/client-go/applyconfigurations/core/v1"
)

func main() {}
