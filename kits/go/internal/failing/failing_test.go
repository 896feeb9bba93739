//go:build failing

// Package failing has a test that fails: its output is to show the requests of its cluster.
package failing

import (
	"bytes"
	"context"
	"testing"

	"edgeplane.dev/edgeplanetest"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/runtime/serializer"
	"k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/rest"
)

func TestMain(m *testing.M) { edgeplanetest.Run(m) }

func TestThatFails(t *testing.T) {
	config := rest.CopyConfig(edgeplanetest.NewCluster(t).Config)
	config.GroupVersion = &schema.GroupVersion{}
	config.NegotiatedSerializer = serializer.NewCodecFactory(scheme.Scheme).WithoutConversion()
	client, err := rest.UnversionedRESTClientFor(config)
	if err != nil {
		t.Fatal(err)
	}
	for range 2 {
		body := bytes.NewBufferString(`{"metadata":{"name":"a"}}`).Bytes()
		result := client.Post().AbsPath("/api/v1/namespaces/default/configmaps").Body(body).Do(context.Background())
		if err := result.Error(); err != nil {
			t.Error(err)
		}
	}
}
