module edgeplane/scripts/catalog/extract

go 1.26

// Read as data, never imported: their Go files are what the tables are made from.
require (
	k8s.io/api v0.36.3
	k8s.io/apiextensions-apiserver v0.36.3
	k8s.io/apimachinery v0.36.3
	k8s.io/client-go v0.36.3
	k8s.io/kube-aggregator v0.36.3
)
