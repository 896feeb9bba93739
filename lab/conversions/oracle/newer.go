//go:build !release124

package main

import (
	_ "k8s.io/kubernetes/pkg/apis/resource/install"
	_ "k8s.io/kubernetes/pkg/apis/storagemigration/install"
)
