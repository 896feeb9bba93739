package edgeplanetest_test

import (
	"context"
	"testing"
	"time"

	"edgeplane.dev/edgeplanetest"
	"k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/util/retry"
)

func TestMain(m *testing.M) { edgeplanetest.Run(m) }

var resource = schema.GroupVersionResource{Group: "example.com", Version: "v1", Resource: "lamps"}

// newLamp makes a cluster with the definition, and a lamp.
func newLamp(t *testing.T, options ...edgeplanetest.Options) (*edgeplanetest.Cluster, dynamic.ResourceInterface) {
	cluster := edgeplanetest.NewCluster(t, options...)
	cluster.Install("testdata/crds", nil)
	lamps := dynamic.NewForConfigOrDie(cluster.Config).Resource(resource).Namespace("default")
	lamp := &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "example.com/v1", "kind": "Lamp", "metadata": map[string]any{"name": "desk"},
	}}
	if _, err := lamps.Create(context.Background(), lamp, v1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	return cluster, lamps
}

func TestAConflictIsRepeated(t *testing.T) {
	t.Parallel()
	cluster, lamps := newLamp(t)
	statusUpdates := edgeplanetest.Match{Verb: "update", Resource: "lamps", Subresource: "status"}
	cluster.Fail(edgeplanetest.Fault{Match: statusUpdates, Code: 409})
	err := retry.RetryOnConflict(retry.DefaultRetry, func() error {
		lamp, err := lamps.Get(context.Background(), "desk", v1.GetOptions{})
		if err != nil {
			return err
		}
		lamp.Object["status"] = map[string]any{"isOn": true}
		_, err = lamps.UpdateStatus(context.Background(), lamp, v1.UpdateOptions{})
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if found := cluster.Requests(statusUpdates); len(found) != 2 || found[0].Code != 409 || found[1].Code != 200 {
		t.Errorf("not exactly two updates of status: %v", found)
	}
}

func TestALampIsAsOldAsTheClockSays(t *testing.T) {
	t.Parallel()
	start := time.Date(2030, 1, 1, 0, 0, 0, 0, time.UTC)
	cluster, lamps := newLamp(t, edgeplanetest.Options{Seed: 1, Now: &start, Frozen: true})
	lamp, err := lamps.Get(context.Background(), "desk", v1.GetOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if age := cluster.Advance(24 * time.Hour).Sub(lamp.GetCreationTimestamp().Time); age != 24*time.Hour {
		t.Errorf("the lamp is %s old", age)
	}
}
